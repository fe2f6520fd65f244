//! Rasterizes egui's meshes on the CPU, by the rules that egui's painters follow on a GPU: premultiplied colours, blended as
//! they are, textures sampled between texels, pixels outside the clip rectangle untouched.

use std::collections::HashMap;

use egui::epaint::{ClippedPrimitive, ImageDelta, Mesh, Primitive, Vertex};
use egui::{Color32, Pos2, Rect, TextureFilter, TextureId, TextureWrapMode, TexturesDelta, Ui};
use egui_kittest::{Harness, TestRenderer};
use image::RgbaImage;

/// A harness whose pictures are the same on every machine.
pub fn harness<'a>(size: [f32; 2], ui: impl FnMut(&mut Ui) + 'a) -> Harness<'a> {
    Harness::builder().with_size(size).renderer(Rasterizer::default()).build_ui(ui)
}

/// A colour with premultiplied alpha, each part from 0 to 255.
type Color = [f32; 4];

#[derive(Default)]
pub struct Rasterizer {
    textures: HashMap<TextureId, Texture>,
}

struct Texture {
    size: [usize; 2],
    texels: Vec<Color32>,
    smooth: bool,
    repeats: bool,
}

impl TestRenderer for Rasterizer {
    fn handle_delta(&mut self, delta: &mut TexturesDelta) {
        for (id, images) in delta.set.drain() {
            for image in images {
                self.update(id, &image);
            }
        }
        for id in delta.free.drain() {
            self.textures.remove(&id);
        }
    }

    fn render(&mut self, ctx: &egui::Context, output: &egui::FullOutput) -> Result<RgbaImage, String> {
        let scale = ctx.pixels_per_point();
        let size = ctx.content_rect().size() * scale;
        let mut canvas = Canvas::new(size.x.round() as usize, size.y.round() as usize);
        for ClippedPrimitive { clip_rect, primitive } in ctx.tessellate(output.shapes.clone(), scale) {
            match primitive {
                Primitive::Mesh(mesh) => {
                    let texture =
                        self.textures.get(&mesh.texture_id).ok_or("a mesh has a texture that does not exist")?;
                    canvas.paint(&mesh, texture, clip_rect * scale, scale);
                }
                Primitive::Callback(_) => return Err("paint callbacks cannot be drawn without a GPU".to_owned()),
            }
        }
        canvas.image().ok_or_else(|| "the picture has no size".to_owned())
    }
}

impl Rasterizer {
    fn update(&mut self, id: TextureId, delta: &ImageDelta) {
        let egui::ImageData::Color(image) = &delta.image;
        let (pos, size) = match (delta.pos, self.textures.get(&id)) {
            (Some(pos), Some(texture)) => (pos, texture.size),
            _ => ([0, 0], image.size),
        };
        let texture = self.textures.entry(id).or_insert_with(|| Texture::empty(size));
        if texture.size != size {
            *texture = Texture::empty(size);
        }
        texture.smooth = delta.options.magnification == TextureFilter::Linear;
        texture.repeats = delta.options.wrap_mode == TextureWrapMode::Repeat;
        for (y, row) in image.pixels.chunks(image.size[0]).enumerate() {
            let start = (pos[1] + y) * size[0] + pos[0];
            texture.texels[start..start + row.len()].copy_from_slice(row);
        }
    }
}

impl Texture {
    fn empty(size: [usize; 2]) -> Self {
        Self { size, texels: vec![Color32::TRANSPARENT; size[0] * size[1]], smooth: true, repeats: false }
    }

    fn texel(&self, x: i64, y: i64) -> Color {
        let wrap = |at: i64, size: usize| {
            let size = size as i64;
            (if self.repeats { at.rem_euclid(size) } else { at.clamp(0, size - 1) }) as usize
        };
        let [w, h] = self.size;
        self.texels[wrap(y, h) * w + wrap(x, w)].to_array().map(f32::from)
    }

    fn sample(&self, uv: Pos2) -> Color {
        let (x, y) = (uv.x * self.size[0] as f32, uv.y * self.size[1] as f32);
        if !self.smooth {
            return self.texel(x.floor() as i64, y.floor() as i64);
        }
        let (x, y) = (x - 0.5, y - 0.5);
        let (left, top) = (x.floor(), y.floor());
        let (column, row) = (left as i64, top as i64);
        let upper = mix(self.texel(column, row), self.texel(column + 1, row), x - left);
        let lower = mix(self.texel(column, row + 1), self.texel(column + 1, row + 1), x - left);
        mix(upper, lower, y - top)
    }
}

fn mix(a: Color, b: Color, part: f32) -> Color {
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * part)
}

struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<Color>,
}

impl Canvas {
    fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![[0.0; 4]; width * height] }
    }

    /// Paints a mesh in points; `clip` is in pixels.
    fn paint(&mut self, mesh: &Mesh, texture: &Texture, clip: Rect, scale: f32) {
        let within = |at: f32, size: usize| at.round().clamp(0.0, size as f32) as usize;
        let columns = within(clip.min.x, self.width)..within(clip.max.x, self.width);
        let rows = within(clip.min.y, self.height)..within(clip.max.y, self.height);
        for corners in mesh.indices.chunks_exact(3) {
            let [a, b, c] = [0, 1, 2].map(|i| {
                let vertex = mesh.vertices[corners[i] as usize];
                Vertex { pos: vertex.pos * scale, ..vertex }
            });
            let Some(triangle) = Triangle::new(a, b, c) else { continue };
            let (across, down) = triangle.extent();
            for y in rows.start.max(down.start)..rows.end.min(down.end) {
                for x in columns.start.max(across.start)..columns.end.min(across.end) {
                    let center = Pos2::new(x as f32 + 0.5, y as f32 + 0.5);
                    if let Some((uv, color)) = triangle.at(center) {
                        let texel = texture.sample(uv);
                        let source: Color = std::array::from_fn(|i| color[i] * texel[i] / 255.0);
                        self.blend(x, y, source);
                    }
                }
            }
        }
    }

    /// Puts a colour over what is there. The result is rounded as a picture of eight bits would.
    fn blend(&mut self, x: usize, y: usize, source: Color) {
        let pixel = &mut self.pixels[y * self.width + x];
        let through = 1.0 - source[3] / 255.0;
        *pixel = std::array::from_fn(|i| (source[i] + pixel[i] * through).round().min(255.0));
    }

    fn image(&self) -> Option<RgbaImage> {
        let bytes = self.pixels.iter().flatten().map(|part| *part as u8).collect();
        RgbaImage::from_raw(self.width as u32, self.height as u32, bytes)
    }
}

/// Three corners in pixels, counted so that the area is positive.
struct Triangle {
    corners: [Vertex; 3],
    area: f64,
}

impl Triangle {
    /// None when it covers nothing.
    fn new(a: Vertex, b: Vertex, c: Vertex) -> Option<Self> {
        let area = cross(a.pos, b.pos, c.pos);
        if area > 0.0 {
            Some(Self { corners: [a, b, c], area })
        } else if area < 0.0 {
            Some(Self { corners: [a, c, b], area: -area })
        } else {
            None
        }
    }

    /// Columns and rows that it may touch.
    fn extent(&self) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
        let span = |part: fn(&Vertex) -> f32| {
            let parts = self.corners.each_ref().map(part);
            let least = parts.into_iter().fold(f32::INFINITY, f32::min);
            let most = parts.into_iter().fold(0.0, f32::max);
            least.max(0.0).floor() as usize..most.ceil() as usize
        };
        (span(|v| v.pos.x), span(|v| v.pos.y))
    }

    /// Texture position and colour at `point`. A point on an edge that two triangles share belongs to one of them: that
    /// whose left or upper edge it is.
    fn at(&self, point: Pos2) -> Option<(Pos2, Color)> {
        let [a, b, c] = &self.corners;
        let edges = [(b.pos, c.pos), (c.pos, a.pos), (a.pos, b.pos)];
        let mut weights = [0.0; 3];
        for (weight, (from, to)) in weights.iter_mut().zip(edges) {
            let side = cross(from, to, point);
            let owns_edge = to.y < from.y || (to.y == from.y && to.x > from.x);
            if side < 0.0 || (side == 0.0 && !owns_edge) {
                return None;
            }
            *weight = (side / self.area) as f32;
        }
        let [wa, wb, wc] = weights;
        let uv = Pos2::new(a.uv.x * wa + b.uv.x * wb + c.uv.x * wc, a.uv.y * wa + b.uv.y * wb + c.uv.y * wc);
        let parts = [a, b, c].map(|corner| corner.color.to_array().map(f32::from));
        Some((uv, std::array::from_fn(|i| parts[0][i] * wa + parts[1][i] * wb + parts[2][i] * wc)))
    }
}

/// Twice the signed area of a triangle, exact enough for its edges to fit together.
fn cross(a: Pos2, b: Pos2, c: Pos2) -> f64 {
    let [ax, ay, bx, by, cx, cy] = [a.x, a.y, b.x, b.y, c.x, c.y].map(f64::from);
    (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
}

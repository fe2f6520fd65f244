//! The rasterizer draws what egui means.

use egui::epaint::{Mesh, Rect, Shape, pos2};
use egui::{Color32, LayerId};
use image::RgbaImage;

use super::renderer::harness;

/// The picture of what `paint` paints, on black.
fn painted(paint: impl Fn(&egui::Painter) + 'static) -> RgbaImage {
    let screen = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(20.0, 20.0));
    let mut harness = harness([20.0, 20.0], move |ui| {
        let painter = ui.ctx().layer_painter(LayerId::debug());
        let mut mesh = Mesh::default();
        mesh.add_colored_rect(screen, Color32::BLACK);
        painter.add(Shape::mesh(mesh));
        paint(&painter);
    });
    harness.run();
    harness.render().unwrap()
}

fn rect(mesh: &mut Mesh, from: [f32; 2], to: [f32; 2], color: Color32) {
    mesh.add_colored_rect(Rect::from_min_max(from.into(), to.into()), color);
}

#[test]
fn widgets_look_as_they_did() {
    let mut harness = harness([160.0, 64.0], |ui| {
        ui.label("Streams and bubbles");
        let _response = ui.button("Run");
    });
    harness.run();
    harness.snapshot("widgets");
}

#[test]
fn nothing_is_drawn_outside_the_clip_rectangle() {
    let picture = painted(|painter| {
        let mut mesh = Mesh::default();
        rect(&mut mesh, [0.0, 0.0], [20.0, 20.0], Color32::WHITE);
        let clip = Rect::from_min_max(pos2(5.0, 6.0), pos2(10.0, 12.0));
        painter.with_clip_rect(clip).add(Shape::mesh(mesh));
    });
    for (x, y, pixel) in picture.enumerate_pixels() {
        let inside = (5..10).contains(&x) && (6..12).contains(&y);
        assert_eq!(pixel.0, if inside { [255; 4] } else { [0, 0, 0, 255] }, "at {x}, {y}");
    }
}

#[test]
fn what_is_half_transparent_lets_half_through() {
    let picture = painted(|painter| {
        let mut mesh = Mesh::default();
        rect(&mut mesh, [0.0, 0.0], [10.0, 20.0], Color32::from_rgb(200, 0, 0));
        rect(&mut mesh, [0.0, 0.0], [20.0, 20.0], Color32::from_rgba_premultiplied(0, 51, 0, 51));
        painter.add(Shape::mesh(mesh));
    });
    assert_eq!(picture.get_pixel(3, 3).0, [160, 51, 0, 255]);
    assert_eq!(picture.get_pixel(15, 3).0, [0, 51, 0, 255]);
}

#[test]
fn triangles_that_share_an_edge_neither_overlap_nor_gape() {
    let glass = Color32::from_rgba_premultiplied(0, 0, 51, 51);
    let picture = painted(move |painter| {
        let mut mesh = Mesh::default();
        for corner in [[0.5, 0.5], [20.5, 0.5], [20.5, 20.5], [0.5, 20.5], [10.5, 10.5]] {
            mesh.colored_vertex(corner.into(), glass);
        }
        // Wound either way.
        mesh.indices.extend([0, 1, 4, 1, 4, 2, 2, 3, 4, 4, 3, 0]);
        painter.add(Shape::mesh(mesh));
    });
    assert!(picture.enumerate_pixels().all(|(_, _, pixel)| pixel.0 == [0, 0, 51, 255]), "{:?}", picture.as_raw());
}

#[test]
fn colours_run_from_corner_to_corner() {
    let picture = painted(|painter| {
        let mut mesh = Mesh::default();
        for (x, color) in [(0.0, Color32::BLACK), (20.0, Color32::WHITE)] {
            mesh.colored_vertex(pos2(x, 0.0), color);
            mesh.colored_vertex(pos2(x, 20.0), color);
        }
        mesh.indices.extend([0, 1, 2, 1, 2, 3]);
        painter.add(Shape::mesh(mesh));
    });
    let row: Vec<u8> = (0..20).map(|x| picture.get_pixel(x, 7).0[0]).collect();
    assert!(row.is_sorted() && row[0] < 10 && row[19] > 245, "{row:?}");
}

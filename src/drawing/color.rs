//! Colours, how they lie over each other, and how well they are told apart.

/// A colour in sRGB with straight (not premultiplied) alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgba {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// Opacity: 0 is clear, 255 solid.
    pub a: u8,
}

impl Rgba {
    /// The solid colour `0xRRGGBB`.
    pub const fn hex(rgb: u32) -> Self {
        let [_, r, g, b] = rgb.to_be_bytes();
        Self { r, g, b, a: 255 }
    }

    /// The same colour with opacity `alpha`, 0 to 1.
    pub fn with_alpha(self, alpha: f32) -> Self {
        Self { a: (alpha.clamp(0.0, 1.0) * 255.0).round() as u8, ..self }
    }

    /// What is seen when this lies on the solid colour `below`.
    pub fn over(self, below: Self) -> Self {
        let mix = |top: u8, under: u8| {
            let a = f32::from(self.a) / 255.0;
            (f32::from(top) * a + f32::from(under) * (1.0 - a)).round() as u8
        };
        Self { r: mix(self.r, below.r), g: mix(self.g, below.g), b: mix(self.b, below.b), a: 255 }
    }

    /// Contrast with `other` after WCAG 2, from 1 to 21. Both are taken as solid.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Relative luminance after WCAG 2, from 0 to 1.
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.linear();
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The channels as amounts of light, 0 to 1.
    fn linear(self) -> [f64; 3] {
        [self.r, self.g, self.b].map(|channel| {
            let c = f64::from(channel) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        })
    }
}

#[cfg(test)]
pub(super) mod vision {
    //! How the colour-blind see: the matrices of Machado, Oliveira and Fernandes, “A Physiologically-based Model for Simulation of
    //! Color Vision Deficiency” (2009), at full severity, and distances in Oklab (Ottosson, 2020).

    use super::Rgba;

    type Matrix = [[f64; 3]; 3];

    const PROTANOPIA: Matrix =
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]];
    const DEUTERANOPIA: Matrix =
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]];
    const TRITANOPIA: Matrix =
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]];
    const NORMAL: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// How far apart two colours are for those who tell them apart least. About 0.02 is the least that anybody notices.
    pub(in crate::drawing) fn distance(a: Rgba, b: Rgba) -> f64 {
        let apart = |eye: &Matrix| {
            let pairs = oklab(seen(eye, a)).into_iter().zip(oklab(seen(eye, b)));
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        [NORMAL, PROTANOPIA, DEUTERANOPIA, TRITANOPIA].iter().map(apart).fold(f64::INFINITY, f64::min)
    }

    fn seen(eye: &Matrix, color: Rgba) -> [f64; 3] {
        times(eye, color.linear()).map(|channel| channel.clamp(0.0, 1.0))
    }

    fn oklab(rgb: [f64; 3]) -> [f64; 3] {
        const CONES: Matrix = [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ];
        const LAB: Matrix = [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ];
        times(&LAB, times(&CONES, rgb).map(f64::cbrt))
    }

    fn times(matrix: &Matrix, vector: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_on_white_has_the_highest_contrast() {
        assert!((Rgba::hex(0x000000).contrast(Rgba::hex(0xffffff)) - 21.0).abs() < 1e-9);
    }

    #[test]
    fn who_sees_no_red_and_green_confuses_them_but_not_blue_and_yellow() {
        let [red, green, blue, yellow] = [0xa05000, 0x607000, 0x0000ff, 0xffff00].map(Rgba::hex);
        assert!(vision::distance(red, green) < 0.1);
        assert!(vision::distance(blue, yellow) > 0.4);
    }
}

//! The PTX that is embedded belongs to the CUDA C++ beside it, and old drivers take it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

#[path = "../gpu/reference.rs"]
mod reference;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// All files of `kernels/` with this extension.
fn files(extension: &str) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

/// The names of all headers that `source` includes, directly or through another, sorted.
fn headers(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut texts = vec![source.to_owned()];
    while let Some(text) = texts.pop() {
        for line in text.lines() {
            let name = line.strip_prefix("#include \"").and_then(|rest| rest.split('"').next());
            if let Some(name) = name
                && found.insert(name.to_owned())
            {
                texts.push(fs::read_to_string(folder().join(name)).unwrap());
            }
        }
    }
    found
}

#[test]
fn each_ptx_was_made_from_the_source_beside_it() {
    let sources = files("cu");
    assert!(!sources.is_empty());
    assert_eq!(files("ptx"), sources.iter().map(|path| path.with_extension("ptx")).collect());
    for path in sources {
        let source = fs::read_to_string(&path).unwrap();
        let mut hash = Sha256::new_with_prefix(&source);
        for header in headers(&source) {
            hash.update(fs::read(folder().join(header)).unwrap());
        }
        let ptx = fs::read_to_string(path.with_extension("ptx")).unwrap();
        assert_eq!(
            ptx.lines().next(),
            Some(format!("// source sha256: {:x}", hash.finalize()).as_str()),
            "{} is not made from its source: run kernels/build.py",
            path.with_extension("ptx").display()
        );
    }
}

#[test]
fn each_ptx_loads_on_driver_535_and_a_turing_gpu() {
    for path in files("ptx") {
        let ptx = fs::read_to_string(&path).unwrap();
        let directive = |name: &str| ptx.lines().find_map(|line| line.strip_prefix(name).map(str::trim)).unwrap();
        let (major, minor) = directive(".version").split_once('.').unwrap();
        let version: (u32, u32) = (major.parse().unwrap(), minor.parse().unwrap());
        assert!(version <= (8, 2), "{}: PTX {major}.{minor} is newer than CUDA 12.2", path.display());
        assert_eq!(directive(".target"), "sm_75", "{}", path.display());
    }
}

mod references {
    //! What the GPU is held against must itself be right: by hand, by algebra, or by the format's definition.

    use super::reference::{
        Random, add, bf16_bits, bf16_value, close, f16_bits, f16_value, fresh_seed, gelu, layer_norm, linear, matmul,
        scale_shift, softmax, sum, sum_i64, timed,
    };

    #[test]
    fn products_by_hand_and_against_each_other() {
        let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let b = [1.0, 0.0, 0.0, 1.0, 2.0, -1.0];
        assert_eq!(matmul(&a, &b, 2, 3, 2), [7.0, -1.0, 16.0, -1.0]);
        let transposed = [1.0, 0.0, 2.0, 0.0, 1.0, -1.0];
        assert_eq!(linear(&a, &transposed, 2, 3, 2), matmul(&a, &b, 2, 3, 2));
    }

    #[test]
    fn rows_have_the_moments_that_define_them() {
        let x = Random::new(7).uniform(3 * 50, -2.0, 5.0);
        for row in layer_norm(&x, 3, 50).chunks(50) {
            let mean = sum(row) / 50.0;
            let variance = row.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / 50.0;
            assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-4, "{mean} {variance}");
        }
        let shares = softmax(&x, 3, 50);
        for (row, from) in shares.chunks(50).zip(x.chunks(50)) {
            assert!((sum(row) - 1.0).abs() < 1e-5);
            let ratio = f64::from(row[0]) / f64::from(row[1]);
            assert!((ratio.ln() - f64::from(from[0] - from[1])).abs() < 1e-4);
        }
    }

    #[test]
    fn gelu_is_x_times_the_normal_distribution() {
        // Φ(1) and Φ(−2), Abramowitz and Stegun, table 26.1.
        let shown = gelu(&[0.0, 1.0, -2.0, 6.0, -6.0]);
        for (found, expected) in shown.iter().zip([0.0, 0.841_344_75, -2.0 * 0.022_750_13, 6.0, 0.0]) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn small_formats_round_to_the_nearest_even() {
        // IEEE 754 binary16: largest 65504, smallest normal 2^-14, smallest 2^-24; ties go to the even neighbour.
        for (value, bits) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (2f32.powi(-14), 0x0400),
            (2f32.powi(-24), 0x0001),
            (2f32.powi(-25), 0x0000),
            (3.0 * 2f32.powi(-25), 0x0002),
        ] {
            assert_eq!(f16_bits(value), bits, "{value}");
        }
        for bits in (0..=0x7c00u16).chain(0x8000..=0xfc00) {
            assert_eq!(f16_bits(f16_value(bits)), bits);
        }
        assert_eq!(bf16_bits(1.0), 0x3f80);
        assert_eq!(bf16_bits(1.0 + 1.0 / 256.0), 0x3f80);
        assert_eq!(bf16_bits(1.0 + 3.0 / 256.0), 0x3f82);
        assert_eq!(bf16_value(0xc040), -3.0);
        assert!(bf16_value(bf16_bits(f32::NAN)).is_nan() && f16_value(f16_bits(f32::NAN)).is_nan());
    }

    #[test]
    fn elements_by_hand() {
        assert_eq!(add(&[1.0, 2.0], &[0.5, -2.0]), [1.5, 0.0]);
        assert_eq!(scale_shift(&[1.0, -2.0], 3.0, 0.5), [3.5, -5.5]);
        assert_eq!(sum_i64(&[i64::MAX, 1, 5]), i64::MIN + 5);
    }

    #[test]
    fn a_timed_kernel_repeats_its_operand() {
        assert_eq!(timed(&[1u8, 2, 3], 7), [1, 2, 3, 1, 2, 3, 1]);
    }

    #[test]
    fn closeness_is_relative_to_the_largest_and_never_accepts_nonsense() {
        assert_eq!(close(&[1000.0, 0.5], &[1000.0, 0.0], 1e-3), Ok(()));
        assert!(close(&[1000.0, 2.0], &[1000.0, 0.0], 1e-3).is_err());
        assert!(close(&[f32::NAN], &[1.0], 1e-3).is_err());
        assert!(close(&[1.0], &[1.0, 1.0], 1e-3).is_err());
        assert!(Random::new(fresh_seed()).uniform(100, -1.0, 1.0).iter().all(|x| (-1.0..1.0).contains(x)));
    }
}

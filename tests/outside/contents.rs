//! What memory holds: halves of a tensor keep their own values through copies and elementwise kernels.

use serde_json::{Value, json};

use super::running::{pinned, run, value};

/// A tensor `x` of two halves with the values 0 and 2, then `body`, which makes `y` of it; what the halves of `y` are.
fn halves(body: &[Value]) -> (f64, f64) {
    let half =
        |name: &str, of: &str, offset: u32| json!({"view": {"name": name, "of": of, "shape": [512], "offset": offset}});
    let setup = [
        json!({"tensor": {"name": "x", "shape": [1024], "fill": 0}}),
        half("high", "x", 512),
        json!({"launch": {"kernel": {"fill": 2}, "writes": ["high"]}}),
        json!({"tensor": {"name": "y", "shape": [1024]}}),
        pinned("bytes", 4096),
        json!({"host_tensor": {"name": "pageable", "shape": [1024], "fill": 0}}),
    ];
    let mut program = body.to_vec();
    program.extend([half("low_y", "y", 0), half("high_y", "y", 512)]);
    for (name, into) in [("low_y", "a"), ("high_y", "b")] {
        program.push(json!({"launch": {"kernel": "clone", "reads": [name], "out": "part"}}));
        program.push(json!({"item": {"of": "part", "into": into}}));
        program.push(json!({"report": {"name": into, "value": format!("={into}")}}));
    }
    let recording = run(&setup, &program);
    (value(&recording, "a"), value(&recording, "b"))
}

#[test]
fn halves_stay_halves() {
    let kernel = |kernel: Value, reads: &[&str]| json!({"launch": {"kernel": kernel, "reads": reads, "writes": ["y"]}});
    let copy = |from: &str, to: &str| json!({"copy": {"from": from, "to": to, "non_blocking": true}});
    assert_eq!(halves(&[kernel(json!("clone"), &["x"])]), (0.0, 2.0));
    assert_eq!(halves(&[kernel(json!({"add_scalar": 1}), &["x"])]), (1.0, 3.0));
    assert_eq!(halves(&[kernel(json!({"mul_scalar": 2}), &["x"])]), (0.0, 4.0));
    assert_eq!(halves(&[kernel(json!("add"), &["x", "x"])]), (0.0, 4.0));
    assert_eq!(halves(&[copy("x", "y")]), (0.0, 2.0));
    assert_eq!(halves(&[copy("x", "bytes"), copy("bytes", "y")]), (0.0, 2.0));
    let through_pages = [copy("x", "pageable"), copy("pageable", "y")];
    assert_eq!(halves(&through_pages), (0.0, 2.0));
}

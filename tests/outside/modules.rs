//! The direction in which modules know each other, and other rules that the compiler does not hold.

use std::fs;
use std::path::{Path, PathBuf};

/// Each line may know those above it. Modules on one line do not know each other.
const ORDER: &[&[&str]] = &[
    &["file"],
    &["json"],
    &["text"],
    &["time", "bytes"],
    &["kernel"],
    &["profile"],
    &["scenario"],
    &["document", "program"],
    &["memory"],
    &["recording"],
    &["model", "gpu", "trace"],
    &["worker"],
    &["analysis"],
    &["advice"],
    &["drawing"],
    &["window"],
    &["cli"],
];

const MOST_LINES: usize = 700;

fn rank(module: &str) -> Option<usize> {
    ORDER.iter().position(|line| line.contains(&module))
}

fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![root.clone()];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                files.push((path.strip_prefix(&root).unwrap().to_owned(), text));
            }
        }
    }
    files
}

/// The top-level module that a file belongs to; none for `lib.rs` and `main.rs`, which see everything.
fn owner(path: &Path) -> Option<String> {
    let first = path.iter().next()?.to_str()?;
    let module = first.strip_suffix(".rs").unwrap_or(first);
    (module != "lib" && module != "main").then(|| module.to_owned())
}

/// The modules that follow `crate::` in code and `use`, also in braces; comments do not count.
fn known_modules(source: &str) -> Vec<String> {
    let code: String =
        source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut known = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let after = &code[at + "crate::".len()..];
        match after.strip_prefix('{') {
            None => known.push(word(after)),
            Some(group) => {
                let mut depth = 0;
                let names = group.split_inclusive(['{', '}', ',']).map_while(|part| {
                    let (is_inside, name) = (depth >= 0, (depth == 0).then(|| word(part)));
                    depth += i32::from(part.ends_with('{')) - i32::from(part.ends_with('}'));
                    is_inside.then_some(name)
                });
                known.extend(names.flatten().filter(|name| !name.is_empty()));
            }
        }
    }
    known
}

fn word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn a_module_knows_only_what_stands_before_it() {
    for (path, source) in sources() {
        let Some(own) = owner(&path) else { continue };
        let own_rank = rank(&own).unwrap_or_else(|| panic!("src/{own} has no place in the order of modules"));
        for other in known_modules(&source) {
            let Some(other_rank) = rank(&other) else { panic!("{}: `crate::{other}` has no place", path.display()) };
            assert!(other == own || other_rank < own_rank, "{}: {own} must not know {other}", path.display());
        }
    }
}

#[test]
fn a_file_has_one_idea_and_fits_in_the_eye() {
    for (path, source) in sources() {
        let lines = source.lines().count();
        assert!(lines <= MOST_LINES, "src/{} has {lines} lines, more than {MOST_LINES}", path.display());
    }
}

#[test]
fn unsafe_code_is_only_where_the_driver_is_called() {
    for (path, source) in sources() {
        let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
        let found = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).any(|w| w == "unsafe");
        assert!(!found || path.starts_with("gpu"), "src/{} is not the place for unsafe code", path.display());
    }
}

#[test]
fn the_direction_test_sees_every_way_to_name_a_module() {
    let source = "use crate::time::Ns;\nuse crate::{text, scenario::{Knob, Knobs}, model};\nfn f() { g() }\n// crate::window\nlet x = crate::cli::run();";
    assert_eq!(known_modules(source), ["time", "text", "scenario", "model", "cli"]);
}

//! What the documents point to is there.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn documents() -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let markdown = folder.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    markdown.chain([root().join("README.md")]).collect()
}

/// What stands between `open` and `close`, on one line.
fn between<'t>(text: &'t str, open: &str, close: char) -> Vec<&'t str> {
    let rest = text.split(open).skip(1);
    rest.filter_map(|rest| rest.split_once(close)).map(|(inside, _)| inside).filter(|it| !it.contains('\n')).collect()
}

#[test]
fn links_and_files_in_the_documents_are_there() {
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        let folder = path.parent().unwrap();
        for link in between(&text, "](", ')') {
            assert!(link.starts_with("http") || folder.join(link).exists(), "{}: {link}", path.display());
        }
        for file in between(&text, "`", '`') {
            let is_file = ["src/", "tests/", "assets/", "kernels/", "scenarios/"].iter().any(|it| file.starts_with(it));
            assert!(!is_file || root().join(file).exists(), "{}: `{file}`", path.display());
        }
    }
}

#[test]
fn the_readme_begins_with_a_picture_and_ends_before_it_tires() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let picture = readme.lines().position(|line| line.starts_with("![")).unwrap();
    assert!(picture < 10 && readme.lines().count() <= 150);
    assert!(fs::metadata(root().join("docs/implicit-sync.png")).unwrap().len() <= 150_000);
}

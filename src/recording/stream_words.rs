//! What sentences call a stream by its name in the program.

use crate::text::{Key, Lang};

/// The streams that every program has, by the names that scenarios have for them.
const BUILT_IN: [(&str, Key); 2] = [("default", Key::StreamDefault), ("per_thread", Key::StreamPerThread)];

/// What a sentence calls the stream of that name: `side`, in Chinese `side 流`.
pub fn stream_in_words(name: &str, lang: Lang) -> String {
    match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        Some((_, key)) => lang.text(*key).to_owned(),
        None => lang.fill(Key::StreamNamed, &[name]),
    }
}

/// What stands below the name of its lane: `side`, and of the default stream which one it is.
pub fn stream_below(name: &str, lang: Lang) -> String {
    match BUILT_IN.iter().find(|(built_in, _)| *built_in == name) {
        Some((_, Key::StreamDefault)) => lang.text(Key::LaneDefaultUnder).to_owned(),
        Some((_, key)) => lang.text(*key).to_owned(),
        None => name.to_owned(),
    }
}

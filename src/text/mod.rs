//! Everything that a person reads in the window or in a figure, in English and Simplified Chinese.
//!
//! [`Lang::text`] looks a [`Key`] up; [`Localized`] is a text that a scenario brings along. The command line, errors and
//! JSON are English and do not pass through here.

mod keys;
mod localized;

pub use keys::Key;
pub use localized::Localized;

/// A language of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Lang {
    /// The text of `key` in this language.
    pub fn text(self, key: Key) -> &'static str {
        let (en, zh) = key.texts();
        match self {
            Self::En => en,
            Self::Zh => zh,
        }
    }

    /// The text of `key` with `{0}`, `{1}`, … replaced by `parts`. A space that sets a Latin word off from Chinese goes where
    /// the part is Chinese itself.
    pub fn fill(self, key: Key, parts: &[&str]) -> String {
        let mut out = self.text(key).to_owned();
        for (i, part) in parts.iter().enumerate() {
            let hole = format!("{{{i}}}");
            if self == Self::Zh && part.starts_with(is_wide) {
                out = out.replace(&format!(" {hole}"), &hole);
            }
            if self == Self::Zh && part.ends_with(is_wide) {
                out = out.replace(&format!("{hole} "), &hole);
            }
            out = out.replace(&hole, part);
        }
        out
    }

    /// Several things one after the other, with the mark that this language sets between them.
    pub fn list(self, parts: &[impl AsRef<str>]) -> String {
        let separator = self.text(Key::Separator);
        parts.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(separator)
    }
}

/// Whether a character is Chinese, or a mark as wide as one.
fn is_wide(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{303f}' | '\u{4e00}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_space_stays_between_two_chinese_words() {
        assert_eq!(Lang::Zh.fill(Key::FixWait, &["side 流", "默认流"]), "缺少依赖：默认流应等待 side 流。");
        assert_eq!(Lang::Zh.fill(Key::FixWait, &["a", "b"]), "缺少依赖：b 应等待 a。");
        assert_eq!(Lang::En.fill(Key::FixWait, &["a", "中"]), "Missing: 中 must wait for a.");
    }

    #[test]
    fn both_languages_use_the_same_placeholders() {
        for &key in Key::ALL {
            let (en, zh) = key.texts();
            for i in 0..6 {
                let hole = format!("{{{i}}}");
                assert_eq!(en.contains(&hole), zh.contains(&hole), "{key:?} {hole}");
            }
            assert!(!en.is_empty() && !zh.is_empty(), "{key:?}");
        }
    }
}

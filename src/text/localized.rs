//! A text that a file brings along, or that names something in a recording: one string, or one for each language.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::{Key, Lang};

/// `"text"`, or `{"en": "text", "zh": "文字"}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub enum Localized {
    /// The same in both languages, such as an API name.
    Same(String),
    /// One text each.
    Each {
        /// English.
        en: String,
        /// Simplified Chinese.
        zh: String,
    },
}

impl Localized {
    /// The text in `lang`.
    pub fn get(&self, lang: Lang) -> &str {
        match (self, lang) {
            (Self::Same(text), _) => text,
            (Self::Each { en, .. }, Lang::En) => en,
            (Self::Each { zh, .. }, Lang::Zh) => zh,
        }
    }

    /// What `text` says in each language.
    pub fn each(text: impl Fn(Lang) -> String) -> Self {
        match (text(Lang::En), text(Lang::Zh)) {
            (en, zh) if en == zh => Self::Same(en),
            (en, zh) => Self::Each { en, zh },
        }
    }

    /// The text of `key` with `{0}`, `{1}`, … replaced by `parts`.
    pub fn of(key: Key, parts: &[&str]) -> Self {
        Self::each(|lang| lang.fill(key, parts))
    }

    /// The English text alone, as JSON for other programs has it.
    pub fn in_english(&self) -> Self {
        Self::Same(self.get(Lang::En).to_owned())
    }
}

impl Default for Localized {
    fn default() -> Self {
        Self::Same(String::new())
    }
}

impl From<&str> for Localized {
    fn from(text: &str) -> Self {
        Self::Same(text.to_owned())
    }
}

/// By hand rather than `untagged`, so that an error keeps its line and column.
impl<'de> Deserialize<'de> for Localized {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Localized;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(r#"a text, or {"en": "…", "zh": "…"}"#)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Localized, E> {
                Ok(Localized::Same(text.to_owned()))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Localized, A::Error> {
                let (mut en, mut zh) = (None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "en" => en = Some(map.next_value()?),
                        "zh" => zh = Some(map.next_value()?),
                        other => return Err(de::Error::unknown_field(other, &["en", "zh"])),
                    }
                }
                let en = en.ok_or_else(|| de::Error::missing_field("en"))?;
                let zh = zh.ok_or_else(|| de::Error::missing_field("zh"))?;
                Ok(Localized::Each { en, zh })
            }
        }

        deserializer.deserialize_any(Text)
    }
}

impl JsonSchema for Localized {
    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A text: one string for both languages, or one for each.",
            "oneOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": { "en": { "type": "string" }, "zh": { "type": "string" } },
                    "required": ["en", "zh"],
                    "additionalProperties": false
                }
            ]
        })
    }
}

//! The events of a trace, as far as they are looked at (Chrome's trace event format, as libkineto writes it).

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::number::Whole;

/// A whole trace. Its events are read one by one, so that one that is not as it should be does not cost the others.
#[derive(Debug, Default)]
pub(super) struct TraceFile<'t> {
    pub events: Vec<&'t RawValue>,
}

/// One event.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Event<'t> {
    /// What kind: `X` takes time, `M` names a process or thread, `s` and `f` begin and end an arrow.
    #[serde(default, borrow)]
    pub ph: Cow<'t, str>,
    #[serde(default, borrow)]
    pub cat: Cow<'t, str>,
    #[serde(default, borrow)]
    pub name: Cow<'t, str>,
    #[serde(default)]
    pub pid: Whole,
    #[serde(default)]
    pub tid: Whole,
    /// In µs.
    #[serde(default, borrow)]
    pub ts: Option<&'t RawValue>,
    #[serde(default, borrow)]
    pub dur: Option<&'t RawValue>,
    /// Of an arrow.
    #[serde(default)]
    pub id: Whole,
    #[serde(default, borrow, deserialize_with = "arguments")]
    pub args: Arguments<'t>,
}

/// What is said of an event besides.
#[derive(Debug, Default)]
pub(super) struct Arguments<'t> {
    pub correlation: Whole,
    pub device: Whole,
    pub stream: Whole,
    pub graph_node: Whole,
    /// Of a process or thread that is named.
    pub name: Option<Cow<'t, str>>,
}

/// Whatever else stands there is passed over.
fn arguments<'de: 't, 't, D: Deserializer<'de>>(deserializer: D) -> Result<Arguments<'t>, D::Error> {
    struct Any;

    #[derive(Deserialize)]
    #[serde(transparent)]
    struct Text<'t>(#[serde(borrow)] Cow<'t, str>);

    impl<'de> Visitor<'de> for Any {
        type Value = Arguments<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Arguments<'de>, E> {
            Ok(Arguments::default())
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Arguments<'de>, A::Error> {
            let mut found = Arguments::default();
            while let Some(key) = map.next_key::<Text<'de>>()? {
                match &*key.0 {
                    "correlation" => found.correlation = map.next_value()?,
                    "device" => found.device = map.next_value()?,
                    "stream" => found.stream = map.next_value()?,
                    "graph node id" => found.graph_node = map.next_value()?,
                    "name" => {
                        let raw = map.next_value::<&RawValue>()?;
                        found.name = serde_json::from_str::<String>(raw.get()).ok().map(Cow::Owned);
                    }
                    _ => {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
            }
            Ok(found)
        }
    }

    deserializer.deserialize_any(Any)
}

impl<'de: 't, 't> Deserialize<'de> for TraceFile<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct File;

        impl<'de> Visitor<'de> for File {
            type Value = TraceFile<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with `traceEvents`, or a list of events")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TraceFile<'de>, A::Error> {
                let mut events = None;
                while let Some(key) = map.next_key::<String>()? {
                    if key == "traceEvents" {
                        events = Some(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                let events = events.ok_or_else(|| de::Error::missing_field("traceEvents"))?;
                Ok(TraceFile { events })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<TraceFile<'de>, A::Error> {
                let mut events = Vec::new();
                while let Some(event) = seq.next_element()? {
                    events.push(event);
                }
                Ok(TraceFile { events })
            }
        }

        deserializer.deserialize_any(File)
    }
}

//! Numbers of a trace, which programs write as numbers or as texts.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde_json::value::RawValue;

use crate::time::Ns;

/// A whole number, or none where the file has something else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Whole(pub Option<i64>);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Whole;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Whole, E> {
                Ok(Whole(Some(number)))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Whole, E> {
                Ok(Whole(i64::try_from(number).ok()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Whole, E> {
                let is_whole = number.fract() == 0.0 && number.abs() < 9e15;
                Ok(Whole(is_whole.then_some(number as i64)))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Whole, E> {
                Ok(Whole(text.trim().parse().ok()))
            }

            fn visit_bool<E: de::Error>(self, _: bool) -> Result<Whole, E> {
                Ok(Whole(None))
            }

            fn visit_unit<E: de::Error>(self) -> Result<Whole, E> {
                Ok(Whole(None))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Whole, A::Error> {
                while seq.next_element::<de::IgnoredAny>()?.is_some() {}
                Ok(Whole(None))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Whole, A::Error> {
                while map.next_entry::<de::IgnoredAny, de::IgnoredAny>()?.is_some() {}
                Ok(Whole(None))
            }
        }

        deserializer.deserialize_any(Any)
    }
}

/// Microseconds as they stand in the file, in whole nanoseconds: times since 1970 have more digits than a floating-point number keeps.
/// `None` where it is no number, or one of more than 292 years.
pub(super) fn time(raw: &RawValue) -> Option<Ns> {
    let text = raw.get().trim_matches('"');
    let (digits, negative) = text.strip_prefix('-').map_or((text, false), |rest| (rest, true));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.contains(['e', 'E']) || fraction.contains(['e', 'E']) {
        let us: f64 = text.parse().ok()?;
        return (us.abs() < 9e15).then(|| Ns::from_us(us));
    }
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let thousandths = fraction.bytes().chain(*b"000").take(3).fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0'));
    let ns = whole.parse::<i64>().ok()?.checked_mul(1000)?.checked_add(thousandths)?;
    Some(Ns(if negative { -ns } else { ns }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_their_nanoseconds() {
        let read = |text: &str| time(&RawValue::from_string(text.to_owned()).unwrap()).map(|at| at.0);
        assert_eq!(read("1712195495984501.237"), Some(1_712_195_495_984_501_237));
        assert_eq!(read("\"12.5\""), Some(12_500));
        assert_eq!(read("-3"), Some(-3_000));
        assert_eq!(read("1.5e3"), Some(1_500_000));
        for none in ["null", "\"\"", "\"1.2.3\"", "1e300", "99999999999999999999", "[1]", "\"-\""] {
            assert_eq!(read(none), None, "{none}");
        }
    }
}

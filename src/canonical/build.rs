//! Making a [`Json`] from parts and from other types, and handing it to serde.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::Json;
use super::escape::write_string;

impl Json {
    /// `null`.
    pub fn null() -> Self {
        Self::trusted("null", true)
    }

    /// `{}`.
    pub fn empty_object() -> Self {
        Self::trusted("{}", true)
    }

    /// A string.
    pub fn string(text: &str) -> Self {
        let mut out = String::new();
        write_string(&mut out, text);
        Self::trusted(out, true)
    }

    /// An object in compact form. Of equal keys the last stands.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Self {
        let sorted: BTreeMap<String, Json> = members
            .into_iter()
            .map(|(key, value)| (key.into(), value))
            .collect();
        let mut out = String::from("{");
        for (index, (key, value)) in sorted.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            write_string(&mut out, key);
            out.push(':');
            value.write_compact(&mut out);
        }
        out.push('}');
        Self::trusted(out, true)
    }

    /// An array, its items in compact form.
    pub fn array(items: impl IntoIterator<Item = Json>) -> Self {
        let mut out = String::from("[");
        for (index, item) in items.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            item.write_compact(&mut out);
        }
        out.push(']');
        Self::trusted(out, true)
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Self {
        Self::trusted(value.to_string(), false)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::trusted(value.to_string(), true)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Self::trusted(value.to_string(), true)
    }
}

impl From<u64> for Json {
    fn from(value: u64) -> Self {
        Self::trusted(value.to_string(), true)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serde_json::from_str::<&RawValue>(self.text())
            .map_err(serde::ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self::from_raw(&raw))
    }
}

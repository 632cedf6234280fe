//! One spelling for one value, so that a digest of it means the value.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use surehand_core::{Code, Error, Result};

/// JSON without blanks, with the keys of every object in order of their bytes. Numbers in what we digest are integers,
/// which have one spelling.
///
/// # Errors
/// `INTERNAL` when a value has no JSON form.
pub fn json(value: &impl Serialize) -> Result<String> {
    let value = serde_json::to_value(value).map_err(|error| no_form(&error))?;
    let mut out = String::new();
    write(&value, &mut out)?;
    Ok(out)
}

fn write(value: &Value, out: &mut String) -> Result<()> {
    match value {
        Value::Object(map) => {
            // The order must not depend on how the map was built, or on features of serde_json.
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort_unstable();
            out.push('{');
            for (index, key) in keys.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&serde_json::to_string(key).map_err(|error| no_form(&error))?);
                out.push(':');
                write(&map[key], out)?;
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out)?;
            }
            out.push(']');
        }
        plain => out.push_str(&serde_json::to_string(plain).map_err(|error| no_form(&error))?),
    }
    Ok(())
}

fn no_form(error: &serde_json::Error) -> Error {
    Error::new(Code::Internal, "a value has no JSON form").platform(error.to_string())
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|nibble| char::from(DIGITS[usize::from(nibble)])).collect()
}

/// The SHA-256 of bytes, as hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A SHA-256 of bytes that come in parts.
#[derive(Default)]
pub struct Hasher(Sha256);

impl Hasher {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The SHA-256 of all of them, as hexadecimal digits.
    pub fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn keys_are_in_order_and_nothing_is_blank() {
        let value = json!({"b": [1, {"z": null, "a": "x\ny"}], "a": true});
        assert_eq!(super::json(&value).expect("JSON"), r#"{"a":true,"b":[1,{"a":"x\ny","z":null}]}"#);
        assert_eq!(super::sha256(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}

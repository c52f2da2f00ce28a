//! Seeds in JSON. Many JSON readers store every number as a 64-bit float, which represents whole numbers
//! exactly only up to 2^53. Seeds are therefore written as text, and read from text or from a number.

use serde::{Deserialize, Deserializer, Serializer, de};

/// Serializes a seed as text.
///
/// # Errors
/// The errors of the serializer.
pub fn as_text<S: Serializer>(seed: &u64, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(seed)
}

/// A seed as text or as a number.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a seed is a whole number from 0 to 2^64 - 1, as a number or as text"
)]
enum SeedText {
    Number(u64),
    Text(String),
}

/// Deserializes a seed from text or from a number.
///
/// # Errors
/// If the value is not a whole number from 0 to 2^64 - 1.
pub fn from_text<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    match SeedText::deserialize(from)? {
        SeedText::Number(seed) => Ok(seed),
        SeedText::Text(text) => text.parse().map_err(|_| {
            de::Error::custom(format!(
                "seed `{text}` is not a whole number from 0 to 2^64 - 1"
            ))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize, serde::Serialize)]
    struct Seeded {
        #[serde(serialize_with = "as_text", deserialize_with = "from_text")]
        seed: u64,
    }

    #[test]
    fn all_digits_of_a_seed_come_back() {
        let seeded = Seeded { seed: u64::MAX };
        let text = serde_json::to_string(&seeded).unwrap();
        assert_eq!(text, r#"{"seed":"18446744073709551615"}"#);
        assert_eq!(serde_json::from_str::<Seeded>(&text).unwrap(), seeded);
        let number = r#"{"seed":18446744073709551615}"#;
        assert_eq!(serde_json::from_str::<Seeded>(number).unwrap(), seeded);
        for (refused, why) in [
            (r#"{"seed":"-1"}"#, "seed `-1` is not a whole number"),
            (r#"{"seed":-1}"#, "a seed is a whole number"),
            (r#"{"seed":1.5}"#, "a seed is a whole number"),
        ] {
            let error = serde_json::from_str::<Seeded>(refused).unwrap_err();
            assert!(error.to_string().contains(why), "{error}");
        }
    }
}

//! The type of a stored event, read without the rest of it.

use super::{EventBody, kind::EventKind};

/// What kind of event something stored is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredType<'a> {
    Known(EventKind),
    /// One that a newer program has stored.
    Newer(&'a str),
}

impl EventBody {
    /// The type of an event, which its JSON begins with; `None` for what is no event.
    pub fn stored_type(json: &[u8]) -> Option<StoredType<'_>> {
        let name = json.strip_prefix(br#"{"type":""#)?;
        let end = name.iter().position(|byte| !byte.is_ascii_lowercase() && *byte != b'_')?;
        let (name, rest) = name.split_at_checked(end)?;
        if name.is_empty() || !rest.starts_with(br#"","data":"#) {
            return None;
        }
        let name = std::str::from_utf8(name).ok()?;
        Some(EventKind::of_name(name).map_or(StoredType::Newer(name), StoredType::Known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_type_is_told_from_what_is_no_event() {
        let stored = |json: &'static str| EventBody::stored_type(json.as_bytes());
        assert_eq!(stored(r#"{"type":"usage","data":{}}"#), Some(StoredType::Known(EventKind::Usage)));
        assert_eq!(stored(r#"{"type":"usage_sum","data":{}}"#), Some(StoredType::Newer("usage_sum")));
        for none in [
            r#"{"type":"","data":{}}"#,
            r#"{"type":"A","data":1}"#,
            r#"{"data":1}"#,
            r#"{"type":"usage"}"#,
            "",
        ] {
            assert_eq!(stored(none), None, "{none}");
        }
    }
}

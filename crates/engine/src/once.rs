//! Requests that somebody may repeat: the same key, the same thing.

use crate::error::{Error, Result};
use std::str::FromStr;
use store::idempotency::Noted;

const KEY_BYTES: usize = 255;

pub(crate) fn check_key(key: Option<&str>) -> Result<()> {
    if key.is_some_and(|key| key.is_empty() || key.len() > KEY_BYTES) {
        return Err(Error::invalid("bad_idempotency_key", "an idempotency key has 1 to 255 characters"));
    }
    Ok(())
}

/// What a repeated key has made before; none when this was the first time.
pub(crate) fn made<T: FromStr>(noted: Noted) -> Result<Option<T>> {
    match noted {
        Noted::First => Ok(None),
        Noted::Repeat { made, same_body: true } => made.parse().map(Some).map_err(|_| Error::Internal),
        Noted::Repeat { .. } => Err(Error::IdempotencyMismatch),
    }
}

//! Sealing a value: XChaCha20-Poly1305, bound to the one place where it belongs.
//!
//! A sealed value is `format ‖ key version ‖ nonce ‖ ciphertext`. The associated data names table, column,
//! row, owner and key version, so a value that was moved or swapped does not open.

use crate::{Error, Result, crypto::digest::Digests};
use chacha20::{R20, hchacha};
use domain::UserId;
use hkdf::Hkdf;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use serde::{Serialize, de::DeserializeOwned};
use sha2::Sha256;
use std::{fmt, io::Write as _, sync::Arc};
use zeroize::Zeroizing;

const FORMAT: u8 = 1;
const NONCE: usize = 24;
const HEADER: usize = 1 + 4 + NONCE;
/// What a sealed value ends with.
const TAG: usize = 16;

/// Which cell of the database a value belongs to.
#[derive(Clone, Copy)]
pub(crate) struct CellPlace<'a> {
    pub table: &'static str,
    pub column: &'static str,
    pub row: &'a dyn fmt::Display,
}

impl<'a> CellPlace<'a> {
    pub fn new(table: &'static str, column: &'static str, row: &'a dyn fmt::Display) -> Self {
        Self { table, column, row }
    }

    pub fn refused(&self) -> Error {
        Error::Crypto { table: self.table, column: self.column }
    }

    fn associated_data(&self, owner: &str, key_version: u32) -> Vec<u8> {
        let mut data = Vec::with_capacity(160);
        self.write(owner, key_version, &mut data);
        data
    }

    /// Every part is preceded by its length: no two places have the same encoding.
    fn write(&self, owner: &str, key_version: u32, data: &mut Vec<u8>) {
        write_part(self.table, data);
        write_part(self.column, data);
        let row = data.len();
        data.extend_from_slice(&[0; LENGTH]);
        // Into memory, so it does not fail.
        let _ = write!(data, "{}", self.row);
        let length = data.len().saturating_sub(row).saturating_sub(LENGTH);
        if let Some(place) = data.get_mut(row..).and_then(<[u8]>::first_chunk_mut) {
            *place = length_of(length);
        }
        write_part(owner, data);
        data.extend_from_slice(&key_version.to_be_bytes());
    }
}

/// How many bytes the length of a part has.
const LENGTH: usize = 8;

fn length_of(length: usize) -> [u8; LENGTH] {
    u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes()
}

fn write_part(part: &str, data: &mut Vec<u8>) {
    data.extend_from_slice(&length_of(part.len()));
    data.extend_from_slice(part.as_bytes());
}

/// 32 bytes that are wiped when the last holder lets go, and that no formatter shows.
pub(crate) type Secret = Zeroizing<[u8; 32]>;

pub(crate) fn random_secret() -> Result<Secret> {
    let mut secret = Secret::default();
    getrandom::fill(secret.as_mut_slice()).map_err(|error| Error::Randomness(error.to_string()))?;
    Ok(secret)
}

pub(crate) fn seal(
    key: &Secret,
    key_version: u32,
    owner: &str,
    place: CellPlace<'_>,
    plain: &[u8],
) -> Result<Vec<u8>> {
    let mut nonce = [0_u8; NONCE];
    getrandom::fill(&mut nonce).map_err(|error| Error::Randomness(error.to_string()))?;
    let aad = place.associated_data(owner, key_version);
    let length = HEADER.saturating_add(plain.len()).saturating_add(TAG);
    let mut value = Vec::with_capacity(length);
    value.push(FORMAT);
    value.extend_from_slice(&key_version.to_be_bytes());
    value.extend_from_slice(&nonce);
    value.extend_from_slice(plain);
    let (cipher, nonce) = cipher(key, &nonce).ok_or_else(|| place.refused())?;
    let words = value.get_mut(HEADER..).unwrap_or_default();
    let tag = cipher.seal_in_place_separate_tag(nonce, Aad::from(&aad), words);
    value.extend_from_slice(tag.map_err(|_| place.refused())?.as_ref());
    Ok(value)
}

/// The cipher of one value, and its nonce there. The first 16 bytes of the nonce make a key that is used for this value alone, the
/// last 8 are the nonce under it; that is all that XChaCha20-Poly1305 adds to ChaCha20-Poly1305. Most values are a few hundred
/// bytes, for which ring's takes a fraction of the time of others.
fn cipher(key: &Secret, nonce: &[u8; NONCE]) -> Option<(LessSafeKey, Nonce)> {
    let (of_key, of_nonce) = nonce.split_first_chunk::<16>()?;
    let key = Zeroizing::new(<[u8; 32]>::from(hchacha::<R20>((&**key).into(), of_key.into())));
    let mut nonce = [0; 12];
    nonce.last_chunk_mut::<8>()?.copy_from_slice(of_nonce);
    let key = UnboundKey::new(&CHACHA20_POLY1305, key.as_slice()).ok()?;
    Some((LessSafeKey::new(key), Nonce::assume_unique_for_key(nonce)))
}

/// The version of the key that sealed a value, as the value itself says.
pub(crate) fn version(value: &[u8]) -> Option<u32> {
    let version = value.get(1..)?.first_chunk::<4>()?;
    Some(u32::from_be_bytes(*version))
}

pub(crate) fn open(
    key: &Secret,
    key_version: u32,
    owner: &str,
    place: CellPlace<'_>,
    value: &[u8],
) -> Result<Vec<u8>> {
    let mut plain = Vec::new();
    let aad = place.associated_data(owner, key_version);
    open_into(key, key_version, place, &aad, value, &mut plain)?;
    Ok(plain)
}

/// Opens a value behind what is in `plain`.
fn open_into(
    key: &Secret,
    key_version: u32,
    place: CellPlace<'_>,
    aad: &[u8],
    value: &[u8],
    plain: &mut Vec<u8>,
) -> Result<()> {
    let refused = || place.refused();
    let (format, rest) = value.split_first().ok_or_else(refused)?;
    let (version, rest) = rest.split_first_chunk::<4>().ok_or_else(refused)?;
    let (nonce, sealed) = rest.split_first_chunk::<NONCE>().ok_or_else(refused)?;
    if *format != FORMAT || u32::from_be_bytes(*version) != key_version {
        return Err(refused());
    }
    let (cipher, nonce) = cipher(key, nonce).ok_or_else(refused)?;
    let begin = plain.len();
    plain.extend_from_slice(sealed);
    let words = plain.get_mut(begin..).unwrap_or_default();
    let opened = cipher.open_in_place(nonce, Aad::from(aad), words).map(|words| words.len());
    // Where it does not open, nothing of it is what was sealed; otherwise its tag stands behind it.
    plain.truncate(begin.saturating_add(opened.unwrap_or(0)));
    opened.map(drop).map_err(|_| refused())
}

/// Opens many values of one column, one after the other.
pub(crate) struct Opener<'a> {
    key: &'a DataKey,
    table: &'static str,
    column: &'static str,
    aad: Vec<u8>,
}

impl Opener<'_> {
    /// Opens a value behind what is in `plain`.
    pub(crate) fn open_into(
        &mut self,
        row: &dyn fmt::Display,
        value: &[u8],
        plain: &mut Vec<u8>,
    ) -> Result<()> {
        let place = CellPlace::new(self.table, self.column, row);
        let DataKeyInner { owner_text, version, secret, .. } = &*self.key.0;
        self.aad.clear();
        place.write(owner_text, *version, &mut self.aad);
        open_into(secret, *version, place, &self.aad, value, plain)
    }
}

/// As [`Opener`], for rows that are named by one text and a number, as `text/number`: of what names a place only the number is
/// written for each.
pub(crate) struct NumberedOpener<'a> {
    key: &'a DataKey,
    table: &'static str,
    column: &'static str,
    aad: Vec<u8>,
    /// Where the length of a row's name stands, and where its number.
    length: usize,
    number: usize,
}

impl<'a> NumberedOpener<'a> {
    fn new(key: &'a DataKey, table: &'static str, column: &'static str, text: &str) -> Self {
        let mut aad = Vec::with_capacity(192);
        write_part(table, &mut aad);
        write_part(column, &mut aad);
        let length = aad.len();
        aad.extend_from_slice(&[0; LENGTH]);
        aad.extend_from_slice(text.as_bytes());
        aad.push(b'/');
        let number = aad.len();
        Self { key, table, column, aad, length, number }
    }

    /// Opens a value behind what is in `plain`.
    pub(crate) fn open_into(&mut self, number: u64, value: &[u8], plain: &mut Vec<u8>) -> Result<()> {
        let DataKeyInner { owner_text, version, secret, .. } = &*self.key.0;
        let aad = &mut self.aad;
        aad.truncate(self.number);
        write_digits(number, aad);
        let name = aad.len().saturating_sub(self.length).saturating_sub(LENGTH);
        if let Some(place) = aad.get_mut(self.length..).and_then(<[u8]>::first_chunk_mut) {
            *place = length_of(name);
        }
        write_part(owner_text, aad);
        aad.extend_from_slice(&version.to_be_bytes());
        open_into(secret, *version, CellPlace::new(self.table, self.column, &number), aad, value, plain)
    }
}

fn write_digits(mut number: u64, text: &mut Vec<u8>) {
    let begin = text.len();
    loop {
        // A digit is less than 10.
        text.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = text.get_mut(begin..) {
        digits.reverse();
    }
}

/// The key of one user's rows. Cheap to clone; wiped when the last clone goes.
#[derive(Clone)]
pub struct DataKey(Arc<DataKeyInner>);

struct DataKeyInner {
    owner: UserId,
    /// The owner as every sealed value names them.
    owner_text: String,
    version: u32,
    secret: Secret,
    digests: Arc<Digests>,
}

impl fmt::Debug for DataKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DataKey(of {})", self.0.owner)
    }
}

impl DataKey {
    /// The first version of a user's key; a rotated key counts up.
    pub(crate) const VERSION: u32 = 1;

    pub(crate) fn new(owner: UserId, secret: Secret, digests: Arc<Digests>) -> Self {
        let owner_text = owner.to_string();
        Self(Arc::new(DataKeyInner { owner, owner_text, version: Self::VERSION, secret, digests }))
    }

    /// Whose rows it seals.
    pub fn owner(&self) -> UserId {
        self.0.owner
    }

    pub(crate) fn secret(&self) -> &Secret {
        &self.0.secret
    }

    pub(crate) fn digests(&self) -> &Digests {
        &self.0.digests
    }

    /// By which something of this person is found without being stored: a digest under a key of its own, which is made
    /// of theirs.
    pub(crate) fn index(&self, purpose: &str, parts: &[&[u8]]) -> Result<[u8; 32]> {
        let mut derived = Secret::default();
        Hkdf::<Sha256>::new(Some(b"majordomo"), self.0.secret.as_slice())
            .expand(b"index, version 1", derived.as_mut_slice())
            .map_err(|_| Error::Corrupt("a derived key's length".to_owned()))?;
        Ok(Digests::new(&derived)?.of(purpose, parts))
    }

    pub(crate) fn seal(&self, place: CellPlace<'_>, plain: &[u8]) -> Result<Vec<u8>> {
        seal(&self.0.secret, self.0.version, &self.0.owner_text, place, plain)
    }

    pub(crate) fn open(&self, place: CellPlace<'_>, value: &[u8]) -> Result<Vec<u8>> {
        open(&self.0.secret, self.0.version, &self.0.owner_text, place, value)
    }

    pub(crate) fn opener(&self, table: &'static str, column: &'static str) -> Opener<'_> {
        Opener { key: self, table, column, aad: Vec::with_capacity(192) }
    }

    /// For rows that are named `text/number`.
    pub(crate) fn numbered_opener(
        &self,
        table: &'static str,
        column: &'static str,
        text: &str,
    ) -> NumberedOpener<'_> {
        NumberedOpener::new(self, table, column, text)
    }

    pub(crate) fn seal_json<T: Serialize>(&self, place: CellPlace<'_>, value: &T) -> Result<Vec<u8>> {
        self.seal(place, &to_json(value)?)
    }

    pub(crate) fn open_json<T: DeserializeOwned>(&self, place: CellPlace<'_>, value: &[u8]) -> Result<T> {
        from_json(place, &self.open(place, value)?)
    }

    pub(crate) fn open_text(&self, place: CellPlace<'_>, value: &[u8]) -> Result<String> {
        String::from_utf8(self.open(place, value)?).map_err(|_| not_understood(place))
    }
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| Error::Corrupt(error.to_string()))
}

/// The parser's own message may quote the words it stumbled over; it stays out of the error.
pub(crate) fn from_json<T: DeserializeOwned>(place: CellPlace<'_>, plain: &[u8]) -> Result<T> {
    serde_json::from_slice(plain).map_err(|_| not_understood(place))
}

fn not_understood(place: CellPlace<'_>) -> Error {
    Error::Corrupt(format!("{}.{}", place.table, place.column))
}

#[cfg(test)]
#[path = "seal_tests.rs"]
mod tests;

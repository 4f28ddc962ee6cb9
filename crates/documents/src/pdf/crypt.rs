//! PDFs that are locked without a password: programs forbid printing so, but anybody may read them.
//!
//! With a password of its own such a file stays shut, and its person is told.

use super::object::{Dict, Object};
use aes::{
    Aes128, Aes256, Block,
    cipher::{BlockCipherDecrypt, BlockCipherEncrypt, KeyInit},
};
use md5::{Digest, Md5};
use sha2::{Sha256, Sha384, Sha512};
use std::rc::Rc;

const PADDING: [u8; 32] = [
    0x28, 0xbf, 0x4e, 0x5e, 0x4e, 0x75, 0x8a, 0x41, 0x64, 0x00, 0x4e, 0x56, 0xff, 0xfa, 0x01, 0x08, 0x2e,
    0x2e, 0x00, 0xb6, 0xd0, 0x68, 0x3e, 0x80, 0x2f, 0x0c, 0xa9, 0xfe, 0x64, 0x53, 0x69, 0x7a,
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    None,
    Rc4,
    Aes128,
    Aes256,
}

pub(super) struct Crypt {
    key: Vec<u8>,
    strings: Method,
    streams: Method,
    /// The object that says how the rest is locked; it is open itself.
    own: Option<u32>,
}

impl Crypt {
    /// None when the empty password does not open the file, or when it is locked in a way that is not known.
    pub(super) fn open(
        dict: &Dict,
        id: &[u8],
        own: Option<u32>,
        resolve: impl Fn(&Object) -> Object,
    ) -> Option<Self> {
        if !resolve(dict.get("Filter")).is_name("Standard") {
            return None;
        }
        let number = |name: &str| resolve(dict.get(name)).number();
        let bytes = |name: &str| resolve(dict.get(name)).bytes().map(<[u8]>::to_vec);
        let (version, revision) = (number("V")? as i64, number("R")? as i64);
        let (strings, streams) = match version {
            1 | 2 => (Method::Rc4, Method::Rc4),
            4 | 5 => (method(dict, "StrF", &resolve)?, method(dict, "StmF", &resolve)?),
            _ => return None,
        };
        let (owner, user) = (bytes("O")?, bytes("U")?);
        let key = match revision {
            2..=4 => {
                let length = if version == 1 {
                    5
                } else {
                    (number("Length").unwrap_or(40.0) as usize / 8).clamp(5, 16)
                };
                let length = if version == 4 { 16 } else { length };
                let permissions = number("P")? as i64 as u32;
                let metadata = !matches!(resolve(dict.get("EncryptMetadata")), Object::Bool(false));
                let key = old_key(&owner, permissions, id, length, revision, metadata);
                opens(&key, &user, id, revision).then_some(key)?
            }
            5 | 6 => new_key(&user, &bytes("UE")?, revision)?,
            _ => return None,
        };
        Some(Self { key, strings, streams, own })
    }

    pub(super) fn stream(&self, data: &[u8], number: u32) -> Vec<u8> {
        self.opened(self.streams, data, number)
    }

    /// An object with its strings opened.
    pub(super) fn strings(&self, object: Object, number: u32, depth: usize) -> Object {
        if self.own == Some(number) || depth > 60 {
            return object;
        }
        match object {
            Object::Text(bytes) => Object::Text(self.opened(self.strings, &bytes, number).into()),
            Object::Array(items) => {
                let items: Vec<Object> =
                    items.iter().map(|item| self.strings(item.clone(), number, depth + 1)).collect();
                Object::Array(Rc::from(items))
            }
            Object::Dict(dict) => {
                Object::Dict(dict.map(|value| self.strings(value.clone(), number, depth + 1)))
            }
            Object::Stream(dict, at) => {
                Object::Stream(dict.map(|value| self.strings(value.clone(), number, depth + 1)), at)
            }
            other => other,
        }
    }

    fn opened(&self, method: Method, data: &[u8], number: u32) -> Vec<u8> {
        match method {
            Method::None => data.to_vec(),
            Method::Rc4 => rc4(&self.object_key(number, false), data),
            Method::Aes128 => cbc(&self.object_key(number, true), data),
            Method::Aes256 => cbc(&self.key, data),
        }
    }

    /// Generations other than 0 are not written by programs that lock files.
    fn object_key(&self, number: u32, aes: bool) -> Vec<u8> {
        let mut hash = Md5::new();
        hash.update(&self.key);
        hash.update(number.to_le_bytes().get(..3).unwrap_or_default());
        hash.update([0, 0]);
        if aes {
            hash.update(b"sAlT");
        }
        let digest = hash.finalize();
        digest.iter().take((self.key.len() + 5).min(16)).copied().collect()
    }
}

fn method(dict: &Dict, which: &str, resolve: &impl Fn(&Object) -> Object) -> Option<Method> {
    let name = resolve(dict.get(which));
    let Some(name) = name.name().filter(|name| *name != b"Identity") else { return Some(Method::None) };
    let filters = resolve(dict.get("CF"));
    let filter = resolve(filters.dict()?.get(std::str::from_utf8(name).ok()?));
    match resolve(filter.dict()?.get("CFM")).name()? {
        b"None" => Some(Method::None),
        b"V2" => Some(Method::Rc4),
        b"AESV2" => Some(Method::Aes128),
        b"AESV3" => Some(Method::Aes256),
        _ => None,
    }
}

fn old_key(
    owner: &[u8],
    permissions: u32,
    id: &[u8],
    length: usize,
    revision: i64,
    metadata: bool,
) -> Vec<u8> {
    let mut hash = Md5::new();
    hash.update(PADDING);
    hash.update(owner.get(..32).unwrap_or(owner));
    hash.update(permissions.to_le_bytes());
    hash.update(id);
    if revision >= 4 && !metadata {
        hash.update([0xff; 4]);
    }
    let mut digest = hash.finalize().to_vec();
    if revision >= 3 {
        for _ in 0..50 {
            digest = Md5::digest(digest.get(..length).unwrap_or_default()).to_vec();
        }
    }
    digest.truncate(length);
    digest
}

/// Does this key make what stands in the file?
fn opens(key: &[u8], user: &[u8], id: &[u8], revision: i64) -> bool {
    if revision == 2 {
        return user.get(..32) == Some(rc4(key, &PADDING).as_slice());
    }
    let mut hash = Md5::new();
    hash.update(PADDING);
    hash.update(id);
    let mut made = rc4(key, &hash.finalize());
    for round in 1..20_u8 {
        let key: Vec<u8> = key.iter().map(|byte| byte ^ round).collect();
        made = rc4(&key, &made);
    }
    user.get(..16) == made.get(..16)
}

fn new_key(user: &[u8], packed: &[u8], revision: i64) -> Option<Vec<u8>> {
    let (hash, check, salt) = (user.get(..32)?, user.get(32..40)?, user.get(40..48)?);
    if hashed(check, revision)? != hash {
        return None;
    }
    let key = hashed(salt, revision)?;
    let mut blocks = packed.get(..32)?.to_vec();
    cbc_in_place(&key, &[0; 16], &mut blocks)?;
    Some(blocks)
}

/// The hash of the empty password with a salt.
fn hashed(salt: &[u8], revision: i64) -> Option<Vec<u8>> {
    let mut key = Sha256::digest(salt).to_vec();
    if revision < 6 {
        return Some(key);
    }
    let mut round = 0;
    loop {
        let mut data = key.repeat(64);
        let (first, second) = (key.get(..16)?, key.get(16..32)?);
        let cipher = Aes128::new_from_slice(first).ok()?;
        let mut before: [u8; 16] = second.try_into().ok()?;
        for chunk in data.chunks_exact_mut(16) {
            let mut block = Block::default();
            for ((to, byte), last) in block.iter_mut().zip(chunk.iter()).zip(before) {
                *to = byte ^ last;
            }
            cipher.encrypt_block(&mut block);
            chunk.copy_from_slice(&block);
            before.copy_from_slice(&block);
        }
        let rest = data.iter().take(16).map(|byte| u32::from(*byte)).sum::<u32>() % 3;
        key = match rest {
            0 => Sha256::digest(&data).to_vec(),
            1 => Sha384::digest(&data).to_vec(),
            _ => Sha512::digest(&data).to_vec(),
        };
        round += 1;
        if round >= 64 && u32::from(*data.last()?) + 32 <= round {
            key.truncate(32);
            return Some(key);
        }
    }
}

fn rc4(key: &[u8], data: &[u8]) -> Vec<u8> {
    let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
    let mut j = 0_u8;
    for i in 0..=255_u8 {
        let byte = key.get(usize::from(i) % key.len().max(1)).copied().unwrap_or(0);
        j = j.wrapping_add(state[usize::from(i)]).wrapping_add(byte);
        state.swap(usize::from(i), usize::from(j));
    }
    let (mut i, mut j) = (0_u8, 0_u8);
    let mut next = |byte: &u8| {
        i = i.wrapping_add(1);
        j = j.wrapping_add(state[usize::from(i)]);
        state.swap(usize::from(i), usize::from(j));
        byte ^ state[usize::from(state[usize::from(i)].wrapping_add(state[usize::from(j)]))]
    };
    data.iter().map(&mut next).collect()
}

/// The first block is the beginning of the chain; the last byte says how many fill the last block.
fn cbc(key: &[u8], data: &[u8]) -> Vec<u8> {
    let Some((first, rest)) = data.split_at_checked(16) else { return Vec::new() };
    let mut blocks = rest.get(..rest.len() / 16 * 16).unwrap_or_default().to_vec();
    if cbc_in_place(key, first, &mut blocks).is_none() {
        return Vec::new();
    }
    let filled = blocks.last().map_or(0, |last| usize::from(*last));
    if (1..=16).contains(&filled) {
        blocks.truncate(blocks.len().saturating_sub(filled));
    }
    blocks
}

fn cbc_in_place(key: &[u8], first: &[u8], blocks: &mut [u8]) -> Option<()> {
    let small = Aes128::new_from_slice(key).ok();
    let large = Aes256::new_from_slice(key).ok();
    if small.is_none() && large.is_none() {
        return None;
    }
    let mut before: [u8; 16] = first.try_into().ok()?;
    for chunk in blocks.chunks_exact_mut(16) {
        let mut block = Block::default();
        block.copy_from_slice(chunk);
        let locked = block;
        match (&small, &large) {
            (Some(cipher), _) => cipher.decrypt_block(&mut block),
            (None, Some(cipher)) => cipher.decrypt_block(&mut block),
            (None, None) => {}
        }
        for ((to, byte), last) in chunk.iter_mut().zip(block.iter()).zip(before) {
            *to = byte ^ last;
        }
        before.copy_from_slice(&locked);
    }
    Some(())
}

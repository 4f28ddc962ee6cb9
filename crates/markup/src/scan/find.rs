//! Finding the next byte that matters. Models send a few bytes at a time, so short pieces must cost next to nothing.

/// Below this length eight bytes at a time are faster than setting up wide registers.
const SHORT: usize = 48;
const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Where the first of these bytes is.
#[inline]
pub(crate) fn find<const N: usize>(wanted: [u8; N], text: &[u8]) -> Option<usize> {
    if text.len() >= SHORT {
        return find_long(&wanted, text);
    }
    let mut words = text.chunks_exact(8);
    let mut at = 0;
    for word in &mut words {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        let found = wanted.iter().fold(0, |found, byte| found | zeros(word ^ (EACH * u64::from(*byte))));
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    words.remainder().iter().position(|byte| wanted.contains(byte)).map(|found| at + found)
}

/// The high bit of each byte that is zero. Above the first zero byte there may be others that are not: only the lowest
/// one counts.
#[inline]
const fn zeros(word: u64) -> u64 {
    word.wrapping_sub(EACH) & !word & HIGH
}

#[inline(never)]
fn find_long(wanted: &[u8], text: &[u8]) -> Option<usize> {
    match *wanted {
        [a] => memchr::memchr(a, text),
        [a, b] => memchr::memchr2(a, b, text),
        [a, b, c] => memchr::memchr3(a, b, c, text),
        _ => text.iter().position(|byte| wanted.contains(byte)),
    }
}

#[cfg(test)]
#[path = "find_tests.rs"]
mod tests;

//! What a table holds, as one number that does not depend on the order of its rows: the databases keep no
//! order, and sort text each in its own way.

use sha2::{Digest as _, Sha256};

/// The sum of the SHA-256 of every row, modulo 2^256.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RowSum {
    pub rows: u64,
    sum: [u8; 32],
}

impl RowSum {
    pub fn add(&mut self, row: &[u8]) {
        let digest: [u8; 32] = Sha256::digest(row).into();
        let mut carry = 0_u16;
        for (have, more) in self.sum.iter_mut().zip(digest) {
            let total = u16::from(*have) + u16::from(more) + carry;
            *have = u8::try_from(total & 0xff).unwrap_or_default();
            carry = total >> 8;
        }
        self.rows = self.rows.saturating_add(1);
    }

    pub fn hex(&self) -> String {
        hex(&self.sum)
    }
}

/// One number for a whole database: versions, tables, how many rows they have, and their sums.
pub(crate) fn checksum<'a>(
    versions: &[u64],
    tables: impl Iterator<Item = (&'a str, u64, &'a str)>,
) -> String {
    let mut hasher = Sha256::new();
    for version in versions {
        hasher.update(format!("version {version}\n"));
    }
    for (name, rows, sum) in tables {
        hasher.update(format!("{name} {rows} {sum}\n"));
    }
    hex(&hasher.finalize())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

#[cfg(test)]
#[path = "checksum_tests.rs"]
mod tests;

//! The audit log: append-only, each entry hashed together with the one before it, under a key of the house.
//!
//! THREAT[audit-01]: a thief of the database, or its administrator, changes entries or cuts the newest off. Without the key
//! they can make no link of the chain and no seal of its head. An older head is one that was written, too: that it
//! is not the newest is known by the notes that machines keep of it ([`note`](crate::audit::note)).

use crate::{
    Error, Page, Paged, Result, Tx, Vault, args,
    crypto::seal::{CellPlace, from_json, to_json},
    database::{page::one_more, row::row},
};
use domain::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt;

mod action;
mod note;

pub use action::Action;
pub use note::{check_note, note};

#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    pub at: Timestamp,
    /// Whose matter it is: they may read the entry.
    pub user_id: Option<UserId>,
    pub actor: String,
    /// A fixed word, that of an [`Action`]; it is not sealed.
    pub action: String,
    pub subject: String,
    pub detail: Value,
}

impl AuditEntry {
    pub fn new(
        at: Timestamp,
        actor: String,
        user_id: Option<UserId>,
        action: Action,
        subject: impl ToString,
        detail: Value,
    ) -> Self {
        Self { at, user_id, actor, action: action.as_str().to_owned(), subject: subject.to_string(), detail }
    }
}

#[derive(Serialize, Deserialize)]
struct AuditBody {
    actor: String,
    subject: String,
    detail: Value,
}

row! {
    struct AuditRow {
        position: u64,
        at: Timestamp,
        user_id: Option<UserId>,
        action: String,
        previous: [u8; 32],
        hash: [u8; 32],
        body: Vec<u8>,
    }
}

row! {
    /// The end of the chain.
    struct Head {
        position: u64,
        hash: [u8; 32],
        /// Entries up to this one are of before the chain had a key.
        keyed_after: u64,
        seal: Option<Vec<u8>>,
    }
}

/// The schema's version that brought the key.
pub(crate) const KEYED_SINCE: u64 = 19;

/// In the place of a seal whose predecessor was none: what was done to the log stays visible.
const BROKEN_SEAL: [u8; 32] = [0; 32];

const COLUMNS: &str = "position, at, user_id, action, previous, hash, body";
const GENESIS: [u8; 32] = [0; 32];
const VERIFIED_AT_ONCE: i64 = 500;

struct AuditPlace<'a>(u64, Timestamp, Option<UserId>, &'a str);

impl fmt::Display for AuditPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{:?}/{}", self.0, self.1.as_millis(), self.2, self.3)
    }
}

impl Head {
    fn expected(&self, vault: &Vault) -> [u8; 32] {
        let (position, keyed_after) = (self.position.to_be_bytes(), self.keyed_after.to_be_bytes());
        vault.digests().of("audit head", &[&position, &self.hash, &keyed_after])
    }

    fn is_sealed(&self, vault: &Vault) -> bool {
        self.seal.as_deref() == Some(self.expected(vault).as_slice())
    }
}

impl AuditRow {
    /// The link to the entry before; without a key as the first versions made it.
    fn digest(&self, keys: Option<&Vault>) -> [u8; 32] {
        let user = self.user_id.map(|id| id.to_string()).unwrap_or_default();
        let position = self.position.to_be_bytes();
        let at = self.at.as_millis().to_be_bytes();
        let parts: [&[u8]; 6] =
            [&self.previous, &position, &at, user.as_bytes(), self.action.as_bytes(), &self.body];
        if let Some(vault) = keys {
            return vault.digests().of("audit link", &parts);
        }
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hasher.update(part);
        }
        hasher.finalize().into()
    }

    fn open(self, vault: &Vault) -> Result<AuditEntry> {
        let row = AuditPlace(self.position, self.at, self.user_id, &self.action);
        let place = CellPlace::new("audit", "body", &row);
        let AuditBody { actor, subject, detail } = from_json(place, &vault.open(place, &self.body)?)?;
        Ok(AuditEntry { at: self.at, user_id: self.user_id, actor, action: self.action, subject, detail })
    }
}

/// The head row is locked until the commit, so entries have one order.
pub fn append(tx: &mut Tx, vault: &Vault, entry: AuditEntry) -> Result<()> {
    append_all(tx, vault, vec![entry])
}

/// Several entries, in three statements.
pub fn append_all(tx: &mut Tx, vault: &Vault, entries: Vec<AuditEntry>) -> Result<()> {
    let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
    if count == 0 {
        return Ok(());
    }
    let take = "UPDATE audit_head SET position = position + $1 WHERE id = 1 \
                RETURNING position, hash, keyed_after, seal";
    let taken: Option<Head> = tx.maybe(take, args![count])?;
    let mut head = taken.ok_or(Error::Audit { position: 1, reason: "the head of the log is missing" })?;
    let last = head.position;
    head.position = last.saturating_sub(count);
    // Work goes on in a house whose log was tampered with, but no seal of ours covers that.
    let was_sealed = head.is_sealed(vault);
    head.hash = insert(tx, vault, entries, head.position, head.hash, Some(vault))?;
    head.position = last;
    let seal = if was_sealed { head.expected(vault) } else { BROKEN_SEAL };
    tx.run("UPDATE audit_head SET hash = $1, seal = $2 WHERE id = 1", args![head.hash, seal])?;
    Ok(())
}

/// The first seal, in the very step that brought the key: nothing that comes later without a seal is given one.
pub(crate) fn begin_keyed(tx: &mut Tx, vault: &Vault) -> Result<()> {
    let read = "SELECT position, hash, keyed_after, seal FROM audit_head WHERE id = 1";
    let mut head: Head = tx.one(read, args![])?;
    head.keyed_after = head.position;
    let note = "UPDATE audit_head SET keyed_after = $1, seal = $2 WHERE id = 1";
    tx.run(note, args![head.keyed_after, head.expected(vault)])?;
    Ok(())
}

/// Puts entries behind a position; the hash of the last.
fn insert(
    tx: &mut Tx,
    vault: &Vault,
    entries: Vec<AuditEntry>,
    first: u64,
    mut previous: [u8; 32],
    keys: Option<&Vault>,
) -> Result<[u8; 32]> {
    let mut values = Vec::with_capacity(entries.len().saturating_mul(7));
    for (entry, before) in entries.into_iter().zip(first..) {
        let row = sealed(vault, entry, before.saturating_add(1), previous)?;
        let hash = row.digest(keys);
        values.extend(args![row.position, row.at, row.user_id, row.action, row.previous, hash, row.body]);
        previous = hash;
    }
    tx.insert(&format!("INSERT INTO audit ({COLUMNS})"), 7, values)?;
    Ok(previous)
}

fn sealed(vault: &Vault, entry: AuditEntry, position: u64, previous: [u8; 32]) -> Result<AuditRow> {
    let AuditEntry { at, user_id, actor, action, subject, detail } = entry;
    let body = to_json(&AuditBody { actor, subject, detail })?;
    let place_row = AuditPlace(position, at, user_id, &action);
    let body = vault.seal(CellPlace::new("audit", "body", &place_row), &body)?;
    Ok(AuditRow { position, at, user_id, action, previous, hash: GENESIS, body })
}

/// How many entries there are, if all are as they were written; [`Error::Audit`] at the first that is not.
pub fn verify(tx: &mut Tx, vault: &Vault) -> Result<u64> {
    let broken = |position, reason| Err(Error::Audit { position, reason });
    let read = "SELECT position, hash, keyed_after, seal FROM audit_head WHERE id = 1";
    let head: Option<Head> = tx.maybe(read, args![])?;
    let keyed_after = head.as_ref().map_or(0, |head| head.keyed_after);
    let mut last = (0_u64, GENESIS);
    loop {
        let sql = format!("SELECT {COLUMNS} FROM audit WHERE position > $1 ORDER BY position LIMIT $2");
        let rows: Vec<AuditRow> = tx.all(&sql, args![last.0, VERIFIED_AT_ONCE])?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let expected = last.0.saturating_add(1);
            let keys = (row.position > keyed_after).then_some(vault);
            match () {
                () if row.position != expected => return broken(expected, "it is missing"),
                () if row.previous != last.1 => {
                    return broken(expected, "it does not follow the entry before it");
                }
                () if row.digest(keys) != row.hash => return broken(expected, "it was changed"),
                () => last = (row.position, row.hash),
            }
        }
    }
    let next = last.0.saturating_add(1);
    match head {
        None => broken(next, "the head of the log is missing"),
        Some(head) if (head.position, head.hash) != last => broken(next, "the newest entries are missing"),
        Some(head) if !head.is_sealed(vault) => {
            broken(next, "the newest entries are missing, or this is another log: its seal does not fit")
        }
        Some(_) => Ok(last.0),
    }
}

/// Newest first: those of one user, or all.
pub fn list(tx: &mut Tx, vault: &Vault, user: Option<UserId>, page: Page) -> Result<Paged<AuditEntry>> {
    let before: u64 = page.cursor_as()?.unwrap_or(u64::MAX);
    // Two texts: of one for both, no database finds a person's entries by their index.
    let (total, piece) = match user {
        Some(user) => {
            let total = tx.one("SELECT COUNT(*) FROM audit WHERE user_id = $1", args![user])?;
            let sql = format!(
                "SELECT {COLUMNS} FROM audit WHERE user_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3"
            );
            (total, tx.piece::<AuditRow>(&sql, args![user, before, one_more(page.limit)])?)
        }
        None => {
            // Entries are numbered without a gap, and none is ever removed.
            let total: Option<u64> = tx.maybe("SELECT position FROM audit_head WHERE id = 1", args![])?;
            let sql =
                format!("SELECT {COLUMNS} FROM audit WHERE position < $1 ORDER BY position DESC LIMIT $2");
            (total.unwrap_or(0), tx.piece(&sql, args![before, one_more(page.limit)])?)
        }
    };
    Paged::from_piece(piece, page.limit, total, |row| row.position.to_string()).try_map(|row| row.open(vault))
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;

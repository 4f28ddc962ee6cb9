//! The audit log: append-only, each entry hashed together with the one before it.
//!
//! The hash is over what lies in the database, so it is verified without any key; who did what to whom is
//! sealed, bound to the entry's position, time, user and action.

use crate::{
    Error, Page, Paged, Result, Tx, Vault, args,
    page::one_more,
    row::row,
    seal::{Place, from_json, to_json},
};
use domain::{Timestamp, UserId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt;

#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    pub at: Timestamp,
    /// Whose matter it is: they may read the entry.
    pub user_id: Option<UserId>,
    pub actor: String,
    /// A fixed word, for instance `user.create`; it is not sealed.
    pub action: String,
    pub subject: String,
    pub detail: Value,
}

#[derive(Serialize, Deserialize)]
struct Body {
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

const COLUMNS: &str = "position, at, user_id, action, previous, hash, body";
const GENESIS: [u8; 32] = [0; 32];
const VERIFIED_AT_ONCE: i64 = 500;

struct AuditPlace<'a>(u64, Timestamp, Option<UserId>, &'a str);

impl fmt::Display for AuditPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{:?}/{}", self.0, self.1.as_millis(), self.2, self.3)
    }
}

impl AuditRow {
    fn digest(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        let user = self.user_id.map(|id| id.to_string()).unwrap_or_default();
        let position = self.position.to_be_bytes();
        let at = self.at.as_millis().to_be_bytes();
        let parts: [&[u8]; 6] =
            [&self.previous, &position, &at, user.as_bytes(), self.action.as_bytes(), &self.body];
        for part in parts {
            hasher.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hasher.update(part);
        }
        hasher.finalize().into()
    }

    fn open(self, vault: &Vault) -> Result<AuditEntry> {
        let row = AuditPlace(self.position, self.at, self.user_id, &self.action);
        let place = Place::new("audit", "body", &row);
        let Body { actor, subject, detail } = from_json(place, &vault.open(place, &self.body)?)?;
        Ok(AuditEntry { at: self.at, user_id: self.user_id, actor, action: self.action, subject, detail })
    }
}

/// The head row is locked until the commit, so entries have one order.
pub async fn append(tx: &mut Tx, vault: &Vault, entry: AuditEntry) -> Result<()> {
    append_all(tx, vault, vec![entry]).await
}

/// Several entries, in three statements.
pub async fn append_all(tx: &mut Tx, vault: &Vault, entries: Vec<AuditEntry>) -> Result<()> {
    let count = u64::try_from(entries.len()).unwrap_or(u64::MAX);
    if count == 0 {
        return Ok(());
    }
    let (last, mut previous): (u64, [u8; 32]) = tx
        .one(
            "INSERT INTO audit_head (id, position, hash) VALUES (1, $2, $1) \
             ON CONFLICT (id) DO UPDATE SET position = audit_head.position + $2 RETURNING position, hash",
            args![GENESIS, count],
        )
        .await?;
    let first = last.saturating_sub(count);
    let mut values = Vec::with_capacity(entries.len().saturating_mul(7));
    for (entry, before) in entries.into_iter().zip(first..) {
        let row = sealed(vault, entry, before.saturating_add(1), previous)?;
        let hash = row.digest();
        values.extend(args![row.position, row.at, row.user_id, row.action, row.previous, hash, row.body]);
        previous = hash;
    }
    tx.insert(&format!("INSERT INTO audit ({COLUMNS})"), 7, values).await?;
    tx.run("UPDATE audit_head SET hash = $1 WHERE id = 1", args![previous]).await?;
    Ok(())
}

fn sealed(vault: &Vault, entry: AuditEntry, position: u64, previous: [u8; 32]) -> Result<AuditRow> {
    let AuditEntry { at, user_id, actor, action, subject, detail } = entry;
    let body = to_json(&Body { actor, subject, detail })?;
    let place_row = AuditPlace(position, at, user_id, &action);
    let body = vault.seal(Place::new("audit", "body", &place_row), &body)?;
    Ok(AuditRow { position, at, user_id, action, previous, hash: GENESIS, body })
}

/// How many entries there are, if all are as they were written; [`Error::Audit`] at the first that is not.
pub async fn verify(tx: &mut Tx) -> Result<u64> {
    let broken = |position, reason| Err(Error::Audit { position, reason });
    let mut last = (0_u64, GENESIS);
    loop {
        let sql = format!("SELECT {COLUMNS} FROM audit WHERE position > $1 ORDER BY position LIMIT $2");
        let rows: Vec<AuditRow> = tx.all(&sql, args![last.0, VERIFIED_AT_ONCE]).await?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let expected = last.0.saturating_add(1);
            match () {
                () if row.position != expected => return broken(expected, "it is missing"),
                () if row.previous != last.1 => {
                    return broken(expected, "it does not follow the entry before");
                }
                () if row.digest() != row.hash => return broken(expected, "it was changed"),
                () => last = (row.position, row.hash),
            }
        }
    }
    let head: Option<(u64, [u8; 32])> = tx.maybe("SELECT position, hash FROM audit_head", args![]).await?;
    if head.unwrap_or((0, GENESIS)) == last {
        Ok(last.0)
    } else {
        broken(last.0.saturating_add(1), "the newest entries are missing")
    }
}

/// Newest first: those of one user, or all.
pub async fn list(tx: &mut Tx, vault: &Vault, user: Option<UserId>, page: Page) -> Result<Paged<AuditEntry>> {
    let before: u64 = page.cursor_as()?.unwrap_or(u64::MAX);
    let total = tx.one("SELECT COUNT(*) FROM audit WHERE ($1 IS NULL OR user_id = $1)", args![user]).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM audit WHERE ($1 IS NULL OR user_id = $1) AND position < $2 \
         ORDER BY position DESC LIMIT $3"
    );
    let piece = tx.piece::<AuditRow>(&sql, args![user, before, one_more(page.limit)]).await?;
    let paged = Paged::from_piece(piece, page.limit, total, |row| row.position.to_string());
    let items = paged.items.into_iter().map(|row| row.open(vault)).collect::<Result<_>>()?;
    Ok(Paged { items, total: paged.total, next_cursor: paged.next_cursor })
}

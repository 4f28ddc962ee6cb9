//! From where people have signed in before. Neither an address nor a browser's secret is here, only their keyed
//! digests.

use crate::{Result, Tx, Vault, args};
use domain::{Timestamp, UserId};

/// Of one person; a further one ends the oldest.
const MOST_PER_USER: i64 = 50;

/// Somewhere from where a person signs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInPlace<'a> {
    Address(&'a str),
    /// The secret that a browser keeps.
    Browser(&'a str),
}

impl SignInPlace<'_> {
    fn digest(self, vault: &Vault) -> [u8; 32] {
        let (kind, text) = match self {
            Self::Address(address) => ("address", address),
            Self::Browser(secret) => ("browser", secret),
        };
        vault.digests().of("known place", &[kind.as_bytes(), text.as_bytes()])
    }
}

/// Has the person of this name signed in from there?
pub fn is_known(tx: &mut Tx, vault: &Vault, name: &str, place: SignInPlace<'_>) -> Result<bool> {
    let sql = "SELECT COUNT(*) FROM known_places k JOIN users u ON u.id = k.user_id \
               WHERE k.place = $1 AND u.name_index = $2";
    let found: u64 = tx.one(sql, args![place.digest(vault), crate::users::name_index(vault, name)])?;
    Ok(found > 0)
}

/// Has anybody signed in from there?
pub fn is_known_to_anybody(tx: &mut Tx, vault: &Vault, place: SignInPlace<'_>) -> Result<bool> {
    let sql = "SELECT COUNT(*) FROM known_places WHERE place = $1";
    Ok(tx.one::<u64>(sql, args![place.digest(vault)])? > 0)
}

/// Has this person signed in from anywhere?
pub fn has_any(tx: &mut Tx, user: UserId) -> Result<bool> {
    Ok(tx.one::<u64>("SELECT COUNT(*) FROM known_places WHERE user_id = $1", args![user])? > 0)
}

/// Notes that a person has signed in from these.
pub fn remember(
    tx: &mut Tx,
    vault: &Vault,
    user: UserId,
    places: &[SignInPlace<'_>],
    at: Timestamp,
) -> Result<()> {
    for place in places {
        let sql = "INSERT INTO known_places (place, user_id, seen_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (place, user_id) DO UPDATE SET seen_at = excluded.seen_at";
        tx.run(sql, args![place.digest(vault), user, at])?;
    }
    let newest = "DELETE FROM known_places WHERE user_id = $1 AND place NOT IN \
                  (SELECT place FROM known_places WHERE user_id = $1 ORDER BY seen_at DESC, place LIMIT $2)";
    tx.run(newest, args![user, MOST_PER_USER])?;
    Ok(())
}

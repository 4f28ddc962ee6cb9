//! Where what a session holds comes from, and what its person has declared trusted.

use super::remove::busy_or_absent;
use crate::{Result, Tx, args};
use domain::{Confidentiality, Integrity, Label, SessionId, UserId};

/// Bits, so that joining two labels is OR.
const UNTRUSTED: i64 = 1;
const PRIVATE: i64 = 2;
const COMMON: i64 = 4;

pub(crate) fn label_bits(label: Label) -> i64 {
    let untrusted = if label.integrity == Integrity::Untrusted { UNTRUSTED } else { 0 };
    let private = match label.confidentiality {
        Confidentiality::Public => 0,
        Confidentiality::Common => COMMON,
        Confidentiality::Private => PRIVATE,
    };
    untrusted | private
}

pub(crate) fn label_from(bits: i64) -> Label {
    Label {
        integrity: if bits & UNTRUSTED == 0 { Integrity::Trusted } else { Integrity::Untrusted },
        confidentiality: match () {
            () if bits & PRIVATE != 0 => Confidentiality::Private,
            () if bits & COMMON != 0 => Confidentiality::Common,
            () => Confidentiality::Public,
        },
    }
}

/// What it holds up to the event `seq` is trusted from now on. Where that is `all` there is, so are the session itself and its
/// files; otherwise they stay as they are, because what came later may be in them. [`Error::Conflict`] while a turn is active,
/// whose prompt may hold what its person has not looked at; `false` when the user has no such session.
pub fn trust(tx: &mut Tx, user: UserId, id: SessionId, seq: u64, all: bool) -> Result<bool> {
    // What was declared once stays so, whatever an older window shows.
    let sql = "UPDATE sessions SET trusted_seq = CASE WHEN trusted_seq > $3 THEN trusted_seq ELSE $3 END, \
                 label = label & $4 \
               WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0";
    let kept = if all { !UNTRUSTED } else { !0 };
    if tx.run(sql, args![id, user, seq, kept])? == 0 {
        busy_or_absent(tx, user, id)?;
        return Ok(false);
    }
    if all {
        let sql = "UPDATE session_files SET label = label & $2 WHERE session_id = $1";
        tx.run(sql, args![id, kept])?;
        let sql = "UPDATE upload_uses SET label = label & $2 WHERE session_id = $1";
        tx.run(sql, args![id, kept])?;
    }
    Ok(true)
}

/// The newest event of a session, and its newest message; 0 where there is none.
pub fn newest(tx: &mut Tx, user: UserId, id: SessionId) -> Result<Option<(u64, u64)>> {
    let sql = "SELECT s.last_seq, COALESCE((SELECT MAX(m.seq) FROM messages m WHERE m.session_id = s.id), 0) \
               FROM sessions s WHERE s.id = $1 AND s.user_id = $2";
    tx.maybe(sql, args![id, user])
}

/// What was declared trusted is so no longer from this event on: what it holds there has changed.
pub fn doubt(tx: &mut Tx, id: SessionId, seq: u64) -> Result<()> {
    let sql = "UPDATE sessions SET trusted_seq = $2 WHERE id = $1 AND trusted_seq > $2";
    tx.run(sql, args![id, seq.saturating_sub(1)]).map(drop)
}

/// Something of this origin is part of it from now on. A session is private from the beginning.
pub fn taint(tx: &mut Tx, id: SessionId, label: Label) -> Result<()> {
    if label.is_untrusted() {
        tx.run("UPDATE sessions SET label = label | $2 WHERE id = $1", args![id, label_bits(label)])?;
    }
    Ok(())
}

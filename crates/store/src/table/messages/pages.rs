//! The transcript in pieces, for people who read it.

use super::{COLUMNS, MessageRow};
use crate::{DataKey, PIECE_BYTES, Paged, Result, Tx, args, database::page::Piece};
use domain::{Message, SessionId};

/// Which messages: the newest `limit`, those before `before_seq`, or those after `after_seq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessagePage {
    pub before_seq: Option<u64>,
    pub after_seq: Option<u64>,
    pub limit: u32,
}

/// Oldest first; no more than [`PIECE_BYTES`](crate::PIECE_BYTES) of them, but always one. `next_cursor` is the
/// `before_seq` (or, paging forward, the `after_seq`) of the next piece.
pub fn page(tx: &mut Tx, key: &DataKey, session: SessionId, page: MessagePage) -> Result<Paged<Message>> {
    // Counted as they are said: counting them here would take longer with every one.
    let total = tx.maybe("SELECT message_count FROM sessions WHERE id = $1", args![session])?.unwrap_or(0);
    let forward = page.after_seq.is_some();
    let order = if forward { "ASC" } else { "DESC" };
    let sql = format!(
        "SELECT {COLUMNS}, b.among FROM (\
           SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq {order}) - a.size AS bytes_before, \
             COUNT(*) OVER () AS among \
           FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq > $2 AND seq < $3 \
                 ORDER BY seq {order} LIMIT $4) a\
         ) b JOIN messages m ON m.session_id = $1 AND m.seq = b.seq \
         WHERE b.bytes_before < $5 ORDER BY m.seq {order}"
    );
    let after = page.after_seq.unwrap_or(0);
    let before = page.before_seq.unwrap_or(u64::MAX);
    let limit = crate::database::page::one_more(page.limit);
    let values = args![session, after, before, limit, PIECE_BYTES];
    let rows: Vec<(MessageRow, u64)> = tx.all(&sql, values)?;
    let more = rows.first().is_some_and(|(_, among)| *among > rows.len() as u64);
    let piece = Piece { rows: rows.into_iter().map(|(row, _)| row).collect(), more };
    let mut paged = Paged::from_piece(piece, page.limit, total, |row| row.seq.to_string());
    if !forward {
        paged.items.reverse();
    }
    paged.try_map(|row| row.open(key, &session))
}

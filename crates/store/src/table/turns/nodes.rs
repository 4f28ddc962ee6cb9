//! The processes that work on this database, each with a lease that its beat renews. A node is a data directory and a process: its `boot`
//! names the process.
//!
//! Only on PostgreSQL is there a row for each: a SQLite database has one process, and the system's locks see to that. Leases are made and
//! judged by the database's clock; for SQLite the node's own is the database's.

use crate::{Result, Tx, args, database::row::row};
use domain::{NodeId, Timestamp};

/// Of a turn on PostgreSQL, whose owner's lease is that of its node. It is far away, and not none: an earlier version beside this one goes
/// by it.
pub const AS_LONG_AS_ITS_NODE: Timestamp = Timestamp::from_millis(253_402_300_799_000);

/// The state of a node that takes no new work.
const DRAINING: &str = "draining";

/// A clock that differs by more from the database's is worth a word.
const CLOCK_TOLERANCE_MS: i64 = 5_000;

/// Which process beats, and for how long it is alive by that.
#[derive(Clone, Debug)]
pub struct Beat {
    pub node: NodeId,
    pub boot: String,
    pub lease_ms: i64,
    /// What the node's own clock says.
    pub clock: Timestamp,
    /// Others are dead when their lease has been over for so long.
    pub grace_ms: i64,
    /// It takes no new work.
    pub draining: bool,
    /// It makes backups by itself.
    pub backs_up: bool,
}

impl Beat {
    fn state(&self) -> &'static str {
        if self.draining { "draining" } else { "serving" }
    }
}

row! {
    /// What a node learns with its beat.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Beaten {
        /// Other nodes that are alive. One that takes no more work counts until it has left: people are served there, and it has turns.
        pub others: u64,
        /// How many of them take work.
        pub helping: u64,
        /// Other nodes that are dead, and have turns that run.
        pub orphaning: u64,
        /// True: there are turns that run and are no node's, because theirs went.
        pub unowned: bool,
        /// True: this node has turns that run, whether it knows of them or not.
        pub owning: bool,
        /// True: there are turns that wait although their session is at none.
        pub waiting: bool,
        /// True: there are errands with an answer to deliver, or with work to stop.
        pub due: bool,
    }
}

row! {
    /// A node as it was seen last.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NodeRow {
        pub id: NodeId,
        pub boot: String,
        /// Of its machine.
        pub name: String,
        pub version: String,
        pub started_at: Timestamp,
        pub seen_at: Timestamp,
        /// How far its clock was ahead of the database's, in milliseconds.
        pub ahead_ms: i64,
        /// How long ago it was seen, in milliseconds.
        pub silent_ms: i64,
        /// How long its lease lasts, in milliseconds; below 0 it is over.
        pub lease_left_ms: i64,
        /// `serving` or `draining`.
        pub state: String,
        /// True: it makes backups by itself.
        pub backs_up: bool,
        /// How many turns it works on.
        pub turns: u64,
    }
}

impl NodeRow {
    /// Is its clock so wrong that a person should set it?
    pub fn is_clock_off(&self) -> bool {
        self.ahead_ms.abs() > CLOCK_TOLERANCE_MS
    }

    /// Does it take no new work, because it goes?
    pub fn is_leaving(&self) -> bool {
        self.state == DRAINING
    }

    /// Is its lease over? Whether others may have its turns by now is for them to judge.
    pub fn is_silent(&self) -> bool {
        self.lease_left_ms < 0
    }
}

/// What the database's clock says, in milliseconds; on SQLite what was given as this parameter.
pub(crate) fn clock(tx: &Tx, given: &'static str) -> &'static str {
    match tx.is_postgres() {
        true => "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
        false => given,
    }
}

/// This process is the node from now on, instead of any other that was. Nodes that have been gone for a day are forgotten, unless
/// a running turn still names them.
pub fn register(tx: &mut Tx, beat: &Beat, name: &str, version: &str) -> Result<()> {
    const DAY: i64 = 24 * 60 * 60 * 1_000;
    let now = clock(tx, "$5");
    let sql = format!(
        "INSERT INTO nodes (id, boot, name, version, clock, started_at, seen_at, lease_until, state, backs_up) \
         VALUES ($1, $2, $3, $4, $5, {now}, {now}, {now} + $6, $7, $8) \
         ON CONFLICT (id) DO UPDATE SET boot = $2, name = $3, version = $4, clock = $5, started_at = {now}, \
           seen_at = {now}, lease_until = {now} + $6, state = $7, backs_up = $8"
    );
    let (node, boot, backs_up) = (beat.node, beat.boot.as_str(), u64::from(beat.backs_up));
    tx.run(&sql, args![node, boot, name, version, beat.clock, beat.lease_ms, beat.state(), backs_up])?;
    let now = clock(tx, "$1");
    let sql = format!(
        "DELETE FROM nodes WHERE lease_until < {now} - $2 \
         AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.owner = nodes.id AND t.status = 'running')"
    );
    tx.run(&sql, args![beat.clock, DAY])?;
    Ok(())
}

/// The node is alive. `None` when this process is not the node any more.
pub fn beat(tx: &mut Tx, beat: &Beat) -> Result<Option<Beaten>> {
    let now = clock(tx, "$4");
    let sql = format!(
        "UPDATE nodes SET seen_at = {now}, lease_until = {now} + $3, clock = $4, state = $6 WHERE id = $1 AND boot = $2 \
         RETURNING (SELECT COUNT(*) FROM nodes o WHERE o.id <> $1 AND o.lease_until >= {now}), \
           (SELECT COUNT(*) FROM nodes o WHERE o.id <> $1 AND o.lease_until >= {now} AND o.state = 'serving'), \
           (SELECT COUNT(*) FROM nodes o WHERE o.id <> $1 AND o.lease_until < {now} - $5 \
            AND EXISTS (SELECT 1 FROM turns t WHERE t.owner = o.id AND t.status = 'running')), \
           CAST(CASE WHEN EXISTS (SELECT 1 FROM turns t WHERE t.owner IS NULL AND t.status = 'running') THEN 1 ELSE 0 END AS BIGINT), \
           CAST(CASE WHEN EXISTS (SELECT 1 FROM turns t WHERE t.owner = $1 AND t.status = 'running') THEN 1 ELSE 0 END AS BIGINT), \
           CAST(CASE WHEN EXISTS (SELECT 1 FROM turns t JOIN sessions s ON s.id = t.session_id \
            WHERE t.status = 'queued' AND s.active_turn IS NULL) THEN 1 ELSE 0 END AS BIGINT), \
           CAST(CASE WHEN EXISTS (SELECT 1 FROM errands e WHERE e.due IS NOT NULL) THEN 1 ELSE 0 END AS BIGINT)"
    );
    let (node, boot) = (beat.node, beat.boot.as_str());
    tx.maybe(&sql, args![node, boot, beat.lease_ms, beat.clock, beat.grace_ms, beat.state()])
}

/// The node goes in good order. What it had is to be given up before.
pub fn leave(tx: &mut Tx, node: NodeId, boot: &str) -> Result<()> {
    tx.run("DELETE FROM nodes WHERE id = $1 AND boot = $2", args![node, boot])?;
    Ok(())
}

/// The name of a node that is alive. Asked on the schemas of earlier programs too, so it reads no column that `nodes` did not have at first.
pub(crate) fn name_of_one_alive(tx: &mut Tx, given: Timestamp) -> Result<Option<String>> {
    let now = clock(tx, "$1");
    let sql = format!(
        "SELECT /* PostgreSQL */ name FROM nodes WHERE lease_until >= {now} ORDER BY started_at, id LIMIT 1"
    );
    tx.maybe(&sql, args![given])
}

/// Every node, those that have been there longest first. On SQLite the time is the one that is given.
pub fn list(tx: &mut Tx, given: Timestamp) -> Result<Vec<NodeRow>> {
    let now = clock(tx, "$1");
    let sql = format!(
        "SELECT id, boot, name, version, started_at, seen_at, clock - seen_at, {now} - seen_at, lease_until - {now}, \
           state, backs_up, (SELECT COUNT(*) FROM turns t WHERE t.owner = nodes.id AND t.status = 'running') \
         FROM nodes ORDER BY started_at, id"
    );
    tx.all(&sql, args![given])
}

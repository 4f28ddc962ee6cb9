//! Which node this process is, and that no other process is the same one.
//!
//! A node is a data directory and a process. Where a database takes several, two processes with one node id, because a data directory
//! was copied, would each take the other's turns for their own from before a restart.

use crate::{
    assemble::Stay,
    data::DataDirectory,
    error::{Error, Result, advised},
};
use capability::{Clock as _, SystemClock};
use domain::NodeId;
use engine::NodeIdentity;
use std::{fs, os::unix::fs::MetadataExt as _, time::Duration};
use store::{
    Store, Tx,
    nodes::{self, NodeRow},
};
use uuid::Uuid;

/// A process that is alive beats every second.
const LOOK_EVERY: Duration = Duration::from_millis(250);
const LOOKS: u32 = 10;

/// Who this process is among the nodes of its database. Called under the lock of the directory only.
pub async fn take(store: &Store, data: &DataDirectory, stay: Stay) -> Result<NodeIdentity> {
    if store.kind() != "postgres" {
        return Ok(named(data.node()?));
    }
    if stay == Stay::Brief {
        // A command goes soon. Under the id of the server that was here before, it would seem to be that server, alive.
        return Ok(named(NodeId::from_uuid(Uuid::now_v7())));
    }
    let identity = named(data.node()?);
    let lock = lock_file(data);
    let before = data.node_process();
    if let Some(other) = alive(store, identity.id).await? {
        // The process that wrote this held the lock of this very directory, in this run of this machine, and the lock is ours now.
        let is_dead =
            before.as_ref().is_some_and(|(boot, held)| *boot == other.boot && Some(held) == lock.as_ref());
        if !is_dead && beats(store, &other).await? {
            return Err(twin(data, &other));
        }
    }
    data.note_process(identity.id, &identity.boot, lock.as_deref().unwrap_or_default())?;
    Ok(identity)
}

fn named(id: NodeId) -> NodeIdentity {
    let host =
        fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    let name = host.map(|host| host.trim().to_owned()).unwrap_or_default();
    NodeIdentity { name, version: env!("CARGO_PKG_VERSION").to_owned(), ..NodeIdentity::from(id) }
}

/// Tells this directory's lock from that of a copy. On the clone of a machine the numbers of the file are the same; what its system calls
/// this run of itself is not.
fn lock_file(data: &DataDirectory) -> Option<String> {
    let found = fs::metadata(data.lock()).ok()?;
    let run = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    Some(format!("{}:{} {}", found.dev(), found.ino(), run.trim()).trim_end().to_owned())
}

async fn alive(store: &Store, id: NodeId) -> Result<Option<NodeRow>> {
    let now = SystemClock.now();
    let known = store.read(move |tx: &mut Tx| nodes::list(tx, now)).await;
    let known = known.map_err(|error| crate::assemble::store_problem(&error))?;
    Ok(known.into_iter().find(|node| node.id == id && node.lease_left_ms >= 0))
}

/// Does it say again that it is alive? Watched for longer than a process takes that is.
async fn beats(store: &Store, seen: &NodeRow) -> Result<bool> {
    for _ in 0..LOOKS {
        tokio::time::sleep(LOOK_EVERY).await;
        match alive(store, seen.id).await? {
            Some(now) if now.seen_at != seen.seen_at || now.boot != seen.boot => return Ok(true),
            Some(_) => {}
            None => return Ok(false),
        }
    }
    Ok(false)
}

fn twin(data: &DataDirectory, other: &NodeRow) -> Error {
    let place = if other.name.is_empty() { "another machine" } else { other.name.as_str() };
    advised(
        format!(
            "A server with the same node id is running on {place} (version {}). This data directory is a copy of its data directory.",
            other.version
        ),
        format!("Delete the file {} and start again.", data.file("node").display()),
    )
}

/// What a server says that had to stop because a copy of its data directory was started.
pub fn superseded(data: &DataDirectory) -> Error {
    advised(
        "Another server with the same node id was started on this database, so this one has stopped.",
        format!(
            "If one data directory is a copy of the other, delete the file {} in one of them and start again.",
            data.file("node").display()
        ),
    )
}

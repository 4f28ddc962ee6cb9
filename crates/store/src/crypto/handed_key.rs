//! How the other nodes of a database come by a master key that one of them changes to, without a person who copies files.
//!
//! The node that changes it puts the next key, sealed with the key of the house, into a row before anything is wrapped by it. The others
//! write it into a file of their own, open with it from then on, and say so; only then is anything wrapped by it. When it has become the
//! current one, each node puts its file in the place of the old one and says that, too; then the row goes.
//!
//! THREAT[key-03] Who has an old master key and a copy of the database in which the key of the house is wrapped by it can open such a row
//! in a later copy. The same person can read everything that is in the first copy; the row is there for moments.

use crate::{
    Error, KeyFiles, MasterKey, Result, Store, Tx, args,
    crypto::{
        key_ring::{self, CURRENT, NEXT},
        seal::CellPlace,
    },
    database::row::row,
    turns::nodes::clock,
};
use domain::{NodeId, Timestamp};
use zeroize::Zeroizing;

row! {
    /// What a node can do with master keys.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct NodeKeys {
        /// Its key is in a file, so it can take a new one.
        pub in_file: bool,
        /// The newest that it opens with.
        pub opens: u32,
        /// The one that it wraps with.
        pub wraps: u32,
    }
}

impl NodeKeys {
    /// Of a command that ends soon: nothing waits for it.
    pub const BRIEF: Self = Self { in_file: true, opens: u32::MAX, wraps: u32::MAX };
}

row! {
    /// A live node as who changes the master key sees it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct NodeWithKeys {
        pub id: NodeId,
        /// Of its machine.
        pub name: String,
        /// None of an earlier version, which can take no key while it runs.
        pub in_file: Option<bool>,
        pub opens: Option<u32>,
        pub wraps: Option<u32>,
    }
}

fn place(version: &u32) -> CellPlace<'_> {
    CellPlace::new("handed_keys", "body", version)
}

/// Hands the next key to the other nodes, instead of any other that was.
pub(crate) fn put(tx: &mut Tx, vault: &crate::Vault, version: u32, key: &MasterKey) -> Result<()> {
    tx.run("DELETE FROM handed_keys", args![])?;
    let sealed = vault.seal(place(&version), key.bytes())?;
    tx.run(
        "INSERT INTO handed_keys (version, body) VALUES ($1, $2) /* PostgreSQL */",
        args![version, sealed],
    )?;
    Ok(())
}

impl Store {
    /// The newest master key that this process opens with, and the one it wraps with.
    pub fn own_keys(&self, in_file: bool) -> NodeKeys {
        let (opens, wraps) = self.vault().versions();
        NodeKeys { in_file, opens, wraps }
    }

    /// Says what a node can do with master keys.
    pub async fn note_keys(&self, node: NodeId, keys: NodeKeys) -> Result<()> {
        let sql = "INSERT INTO node_keys (node, in_file, opens, wraps) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (node) DO UPDATE SET in_file = $2, opens = $3, wraps = $4";
        let write = move |tx: &mut Tx| {
            tx.run(sql, args![node, keys.in_file, keys.opens, keys.wraps])?;
            tx.run("DELETE FROM node_keys WHERE node NOT IN (SELECT id FROM nodes)", args![])?;
            Ok(())
        };
        self.write(write).await
    }

    /// The other nodes that are alive.
    pub async fn other_keys(&self, node: NodeId, given: Timestamp) -> Result<Vec<NodeWithKeys>> {
        self.read(move |tx: &mut Tx| {
            let now = clock(tx, "$2");
            let sql = format!(
                "SELECT n.id, n.name, k.in_file, k.opens, k.wraps FROM nodes n \
                 LEFT JOIN node_keys k ON k.node = n.id WHERE n.id <> $1 AND n.lease_until >= {now} ORDER BY n.id"
            );
            tx.all(&sql, args![node, given])
        })
        .await
    }

    /// Takes a key that another node hands over: it is in a file before it is used, and opens from then on. `false` when there is none.
    pub async fn take_handed_key(&self, files: &KeyFiles) -> Result<bool> {
        let vault = self.vault().clone();
        let read = move |tx: &mut Tx| {
            let rows: Vec<(u32, Vec<u8>)> = tx.all("SELECT version, body FROM handed_keys", args![])?;
            let Some((version, sealed)) = rows.into_iter().find(|(version, _)| !vault.has(*version)) else {
                return Ok(None);
            };
            let known = key_ring::known(tx)?;
            let Some(known) = known.into_iter().find(|known| known.version == version) else {
                return Ok(None);
            };
            let plain = Zeroizing::new(vault.open(place(&version), &sealed)?);
            let bytes: [u8; 32] = plain.as_slice().try_into().map_err(|_| place(&version).refused())?;
            Ok(Some((known, MasterKey::from_bytes(bytes))))
        };
        let Some((known, key)) = self.read(read).await? else { return Ok(false) };
        if key.check_value()? != known.check {
            return Err(Error::Crypto { table: "handed_keys", column: "body" });
        }
        if known.status == NEXT || known.status == CURRENT {
            files.accept(&key)?;
            self.vault().add_master(known.version, &key)?;
        }
        Ok(true)
    }

    /// A key that was handed over has become the current one: its file takes the place of the old one, and new keys are wrapped by
    /// it. `false` when there is nothing to do.
    pub async fn promote_handed_key(&self, files: &KeyFiles) -> Result<bool> {
        let current = self.key_state().await?.current;
        if !self.vault().has(current) {
            return Ok(false);
        }
        let mut is_new = self.vault().versions().1 < current;
        if let Some(next) = MasterKey::load(&files.next())?
            && self.key_version(&next).await? == Some(current)
        {
            files.retire()?;
            files.promote()?;
            is_new = true;
        }
        self.vault().wrap_by(current);
        Ok(is_new)
    }

    /// Is this the key that is handed to other nodes now?
    pub async fn is_handed(&self, version: u32) -> Result<bool> {
        let sql = "SELECT COUNT(*) FROM handed_keys WHERE version = $1";
        self.read(move |tx: &mut Tx| Ok(tx.one::<u64>(sql, args![version])? > 0)).await
    }

    /// Every node has it, or will not get it.
    pub async fn end_handing(&self) -> Result<()> {
        self.write(|tx: &mut Tx| {
            tx.run("DELETE FROM handed_keys", args![])?;
            Ok(())
        })
        .await
    }
}

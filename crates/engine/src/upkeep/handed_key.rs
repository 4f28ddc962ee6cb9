//! A change of the master key beside other nodes: who changes it waits for the others, and they take what is handed to them.

use crate::{
    background_job::{BackgroundJob, JobTerms, NextRun},
    bus::{node_note::NodeNote, tell::NoteTaker},
    engine::Engine,
    error::{Error, Result},
    wake_ups::WakeUp,
};
use async_trait::async_trait;
use std::time::Duration;
use store::{NodeKeys, NodeWithKeys};
use tokio::time::Instant;
use uuid::Uuid;

/// How long others get to take a new key.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// A node that hears nothing of others looks this often.
const LOOK: Duration = Duration::from_secs(2);

/// Takes the key that another node changes to.
pub(crate) struct TakeHandedKeys;

#[async_trait]
impl BackgroundJob for TakeHandedKeys {
    fn name(&self) -> &'static str {
        "master key of other nodes"
    }

    fn terms(&self) -> JobTerms {
        let woken_by = Some(WakeUp::MasterKey);
        JobTerms { until_halt: true, woken_by, after_failure: LOOK, ..JobTerms::default() }
    }

    async fn run(&self, engine: &Engine) -> Result<()> {
        match engine.key_files() {
            Some(files) => engine.take_keys_of_others(&files).await,
            None => Ok(()),
        }
    }

    async fn next_run(&self, engine: &Engine) -> NextRun {
        match engine.bus().is_deaf() {
            true => NextRun::Every(LOOK),
            false => NextRun::WhenWoken,
        }
    }
}

/// Hears that there is one.
pub(crate) struct KeysElsewhere;

impl NoteTaker for KeysElsewhere {
    fn take(&self, engine: &Engine, _: Uuid, note: &NodeNote) {
        if *note == NodeNote::MasterKey {
            engine.wake(WakeUp::MasterKey);
        }
    }

    fn gap(&self, engine: &Engine) {
        engine.wake(WakeUp::MasterKey);
    }
}

impl Engine {
    /// Says which master keys this node has. A command that ends soon is not waited for.
    pub(crate) async fn note_own_keys(&self) -> Result<()> {
        if !self.has_other_nodes() {
            return Ok(());
        }
        let keys = match self.inner.settings.turn.takes_up {
            true => self.store().own_keys(self.key_files().is_some()),
            false => NodeKeys::BRIEF,
        };
        Ok(self.store().note_keys(self.inner.node, keys).await?)
    }

    /// The other nodes that are alive, and which master keys they have.
    pub(super) async fn other_nodes_with_keys(&self) -> Result<Vec<NodeWithKeys>> {
        match self.has_other_nodes() {
            true => Ok(self.store().other_keys(self.inner.node, self.now()).await?),
            false => Ok(Vec::new()),
        }
    }

    /// Can every other node take a new key?
    pub(super) async fn check_nodes_take_keys(&self) -> Result<()> {
        for node in self.other_nodes_with_keys().await? {
            let place = place(&node);
            let detail = match node.in_file {
                Some(true) => continue,
                Some(false) => format!(
                    "The server on {place} has its master key from the environment variable MAJORDOMO_MASTER_KEY, which \
                     cannot be changed from here. Put the key into the file master.key of its data directory (mode 0600), \
                     unset the variable, start that server again, and try again."
                ),
                None => format!(
                    "The server on {place} runs an earlier version, which cannot take a new master key. \
                     Upgrade or stop it, and try again."
                ),
            };
            return Err(Error::conflict("key_not_in_file", detail));
        }
        Ok(())
    }

    /// Until every other node that is alive opens with a key, nothing is wrapped by it. If one does not, the key is handed to the others
    /// no longer: it must not be in the database, and in copies of it, for longer than moments.
    pub(super) async fn wait_until_all_open(&self, version: u32) -> Result<()> {
        let opened = self.check_all_open(version).await;
        if opened.is_err() {
            self.store().end_handing().await?;
        }
        opened
    }

    async fn check_all_open(&self, version: u32) -> Result<()> {
        let lacks = |node: &NodeWithKeys| node.opens.is_none_or(|opens| opens < version);
        let Some(node) = self.wait_for_nodes(lacks).await? else { return Ok(()) };
        let detail = format!(
            "The server on {} has not taken the new master key, so nothing was changed. \
             Check that it can write to its data directory, and try again.",
            place(&node)
        );
        Err(Error::conflict("key_not_taken", detail))
    }

    /// The key is the current one: the others wrap with it from now on, and what they wrapped with the old one until then is wrapped anew.
    pub(super) async fn wait_until_all_wrap(&self, version: u32) -> Result<()> {
        if !self.has_other_nodes() {
            return Ok(());
        }
        self.note_own_keys().await?;
        let lacks = |node: &NodeWithKeys| node.wraps.is_none_or(|wraps| wraps < version);
        if let Some(node) = self.wait_for_nodes(lacks).await? {
            let name = place(&node);
            tracing::warn!(
                name,
                "a server has not put the new master key in the place of the old one; it does so at its next start"
            );
        }
        while self.store().rewrap_some().await? {}
        Ok(self.store().end_handing().await?)
    }

    /// At the start: if the process that changed the key ended before it was done with the others, that is done now.
    pub(super) async fn resume_handing(&self) -> Result<()> {
        if !self.has_other_nodes() || !self.inner.settings.turn.takes_up {
            return Ok(());
        }
        let current = self.store().key_state().await?.current;
        if !self.store().is_handed(current).await? {
            return Ok(());
        }
        let engine = self.clone();
        self.spawn("end of the change of the master key", async move {
            if let Err(error) = engine.wait_until_all_wrap(current).await {
                tracing::warn!(%error, "the change of the master key did not end; it goes on at the next start");
            }
        });
        Ok(())
    }

    /// Tells the others again and again to look, until none of them lacks it any more; one that still does.
    async fn wait_for_nodes(&self, lacks: impl Fn(&NodeWithKeys) -> bool) -> Result<Option<NodeWithKeys>> {
        let begun = Instant::now();
        loop {
            self.tell(NodeNote::MasterKey);
            let nodes = self.other_nodes_with_keys().await?;
            let lacking = nodes.into_iter().find(|node| lacks(node));
            if lacking.is_none() || begun.elapsed() > PATIENCE {
                return Ok(lacking);
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
}

fn place(node: &NodeWithKeys) -> String {
    match node.name.as_str() {
        "" => "another machine".to_owned(),
        name => name.to_owned(),
    }
}

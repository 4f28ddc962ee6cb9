//! Changing the master key while people work.
//!
//! The order is what makes it safe to die anywhere: the new key is a file before anything is wrapped with it,
//! the old key keeps a file for ever, and which of them is the current one is decided in the database. Other nodes are handed the new key
//! before anything is wrapped with it (`handed_key.rs`).

use crate::{
    engine::Engine,
    error::{Error, Result},
    wake_ups::WakeUp,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use store::{
    KeyFiles, MasterKey, Tx,
    audit::{self, Action},
};

/// What a change of the master key came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RotatedKey {
    /// The version that is current now.
    pub version: u32,
}

/// One change of the master key at a time.
#[derive(Default)]
struct KeyChange(tokio::sync::Mutex<()>);

impl Engine {
    /// Changes the master key, or finishes a change that was begun.
    pub async fn rotate_master_key(&self) -> Result<RotatedKey> {
        let engine = self.clone();
        self.undisturbed(async move {
            let files = engine.key_files().ok_or_else(|| {
                let detail = "The master key comes from the environment variable MAJORDOMO_MASTER_KEY, which \
                              cannot be changed from here. Put it into the file master.key of the data \
                              directory (mode 0600), unset the variable, and start again.";
                Error::conflict("key_not_in_file", detail)
            })?;
            engine.change_key(&files).await
        })
        .await
    }

    /// At the start: a change that was cut off is brought to its end. Where other nodes have to be waited for, that is not waited for.
    pub(crate) async fn resume_key_change(&self) -> Result<()> {
        let Some(files) = self.key_files() else { return Ok(()) };
        let Some(next) = MasterKey::load(&files.next())? else { return self.resume_handing().await };
        // A file alone means nothing: no row has seen it.
        let Some(version) = self.store().key_version(&next).await? else { return Ok(()) };
        tracing::info!("a change of the master key goes on");
        if self.other_nodes_with_keys().await?.is_empty() {
            return self.change_key(&files).await.map(drop);
        }
        if version == self.store().key_state().await?.current {
            return self.take_keys_of_others(&files).await;
        }
        let engine = self.clone();
        self.spawn("change of the master key", async move {
            if let Err(error) = engine.change_key(&files).await {
                tracing::warn!(%error, "the change of the master key did not end; it goes on with `majordomo key rotate`");
            }
        });
        Ok(())
    }

    /// Puts the file of a key that another node has changed to in its place. The node that changes it does that itself.
    pub(super) async fn take_keys_of_others(&self, files: &KeyFiles) -> Result<()> {
        let key_change = self.state::<KeyChange>();
        let Ok(_one_at_a_time) = key_change.0.try_lock() else { return Ok(()) };
        let taken = self.store().take_handed_key(files).await?;
        let promoted = self.store().promote_handed_key(files).await?;
        if taken || promoted {
            self.note_own_keys().await?;
            self.end_pauses();
            self.wake(WakeUp::LeftTurns);
        }
        Ok(())
    }

    pub(super) fn key_files(&self) -> Option<KeyFiles> {
        self.inner.settings.storage.key_file.clone().map(KeyFiles::new)
    }

    async fn change_key(&self, files: &KeyFiles) -> Result<RotatedKey> {
        let key_change = self.state::<KeyChange>();
        let _one_at_a_time = key_change.0.lock().await;
        let store = self.store();
        self.check_nodes_take_keys().await?;
        let next = files.begin()?;
        fail::fail_point!("rotation_key_written");
        let known = store.key_version(&next).await?;
        if known != Some(store.key_state().await?.current) {
            let version = store.note_next_key(&next).await?;
            self.wait_until_all_open(version).await?;
            store.begin_rotation(&next).await?;
            fail::fail_point!("rotation_begun");
            loop {
                while store.rewrap_some().await? {
                    fail::fail_point!("rotation_step");
                }
                // A person may have been added between the last look and this one.
                if store.finish_rotation().await? {
                    break;
                }
            }
            fail::fail_point!("rotation_finished");
        }
        files.retire()?;
        fail::fail_point!("rotation_retired");
        files.promote()?;
        fail::fail_point!("rotation_promoted");
        let version = store.key_state().await?.current;
        self.note_key_change(version).await?;
        self.wait_until_all_wrap(version).await?;
        Ok(RotatedKey { version })
    }

    async fn note_key_change(&self, version: u32) -> Result<()> {
        let vault = self.store().vault().clone();
        let detail = json!({ "version": version });
        let entry = self.entry("operator".to_owned(), None, Action::MasterKeyRotated, "house", detail);
        Ok(self.store().write(move |tx: &mut Tx| audit::append(tx, &vault, entry)).await?)
    }
}

//! Reads the pictures of a conversation that a model is shown, and the texts of its files.

use crate::engine::Engine;
use domain::{Message, UploadId, UserId};
use prompt::Pictures;
use provider::{Model, UserPart};
use std::collections::{HashMap, HashSet};
use store::{DataKey, Tx, uploads};

/// How many pictures one prompt shows, the newest ones, and how many bytes they have together.
const PICTURES: usize = 20;
const BYTES: u64 = 16 << 20;

impl Engine {
    /// Reads the newest pictures and texts of these messages. One that cannot be read is left out: the turn goes on without it.
    pub(crate) async fn pictures(
        &self,
        user: UserId,
        key: &DataKey,
        model: &Model,
        messages: &[Message],
    ) -> store::Result<Pictures> {
        let mut seen = HashSet::new();
        let newest: Vec<UploadId> = messages
            .iter()
            .rev()
            .flat_map(Message::images)
            .filter(|id| seen.insert(*id))
            .take(PICTURES)
            .collect();
        let texts = self.texts(user, key, model, messages).await?;
        if newest.is_empty() || !model.sees() {
            return Ok(Pictures::none(model.sees()).with_texts(texts));
        }
        let key = key.clone();
        let shown = self.store().read(move |tx| read(tx, &key, user, newest)).await?;
        Ok(Pictures::shown(shown).with_texts(texts))
    }
}

fn read(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    newest: Vec<UploadId>,
) -> store::Result<HashMap<UploadId, UserPart>> {
    let mut shown = HashMap::new();
    let mut room = BYTES;
    let found = uploads::find(tx, key, user, &newest)?;
    for id in newest {
        let Some(stored) = found.iter().find(|stored| stored.upload.id == id) else { continue };
        let Some(left) = room.checked_sub(stored.upload.size) else { break };
        room = left;
        let data = uploads::bytes(tx, key, stored)?;
        shown.insert(id, UserPart::Image { mime_type: stored.upload.mime_type.clone(), data });
    }
    Ok(shown)
}

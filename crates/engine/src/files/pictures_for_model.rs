//! The pictures of a conversation, as far as a model is shown them.

use crate::engine::Engine;
use domain::{Message, UploadId, UserId};
use provider::{Model, UserPart};
use std::collections::{HashMap, HashSet};
use store::{DataKey, Tx, uploads};

/// What one picture takes of a model's window: about what the large vendors charge.
pub(crate) const PICTURE_TOKENS: u64 = 1_000;
/// How many pictures one prompt shows, the newest ones, and how many bytes they have together.
const PICTURES: usize = 20;
const BYTES: u64 = 16 << 20;

/// The pictures that a prompt shows. In the place of every other one stands a note.
#[derive(Default)]
pub(crate) struct Pictures {
    shown: HashMap<UploadId, UserPart>,
    /// The model cannot see any.
    blind: bool,
}

impl Pictures {
    pub(crate) fn part(&self, id: UploadId) -> UserPart {
        let note = match self.blind {
            true => "[A picture was sent along here. You cannot see pictures; say so if it matters.]",
            false => "[A picture was sent along here; it is not shown any more.]",
        };
        self.shown.get(&id).cloned().unwrap_or_else(|| UserPart::Text(note.to_owned()))
    }
}

impl Engine {
    /// Reads the newest pictures of these messages. One that cannot be read is left out: the turn goes on without it.
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
        if newest.is_empty() || !model.sees() {
            return Ok(Pictures { blind: !model.sees(), ..Pictures::default() });
        }
        let key = key.clone();
        let shown = self.store().read(async move |tx| read(tx, &key, user, newest).await).await?;
        Ok(Pictures { shown, blind: false })
    }
}

async fn read(
    tx: &mut Tx,
    key: &DataKey,
    user: UserId,
    newest: Vec<UploadId>,
) -> store::Result<HashMap<UploadId, UserPart>> {
    let mut shown = HashMap::new();
    let mut room = BYTES;
    let found = uploads::find(tx, key, user, &newest).await?;
    for id in newest {
        let Some(stored) = found.iter().find(|stored| stored.upload.id == id) else { continue };
        let Some(left) = room.checked_sub(stored.upload.size) else { break };
        room = left;
        let data = uploads::bytes(tx, key, stored).await?;
        shown.insert(id, UserPart::Image { mime_type: stored.upload.mime_type.clone(), data });
    }
    Ok(shown)
}

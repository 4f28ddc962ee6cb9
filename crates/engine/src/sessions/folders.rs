//! Folders of conversations: made, changed and deleted by the person whose they are.

use crate::{
    agents::check_name,
    engine::Engine,
    error::{Error, Result},
    idempotency_key,
};
use domain::{Change, Folder, FolderId, FolderText, UserId};
use schemars::JsonSchema;
use serde::Deserialize;
use store::{Conflict, Page, Paged, Tx, folders as rows, idempotency::KeyUse};

/// What one person may have.
const MOST: u64 = 200;
const INSTRUCTIONS_CHARS: usize = 20_000;

/// What a person changes about a folder; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FolderChange {
    pub name: Option<String>,
    /// Null: agents are told nothing for it.
    pub instructions: Change<String>,
    /// The version that this was made of. Where the folder has another one by now nothing is changed; absent: the last
    /// change counts.
    pub version: Option<u64>,
}

impl Engine {
    pub async fn folders(&self, user: UserId, page: Page) -> Result<Paged<Folder>> {
        let key = self.store().data_key(user).await?;
        Ok(self.store().read(move |tx| rows::list(tx, &key, user, page)).await?)
    }

    pub async fn folder(&self, user: UserId, id: FolderId) -> Result<Folder> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| rows::get(tx, &key, user, id);
        self.store().read(read).await?.ok_or(Error::NotFound("folder"))
    }

    /// A repeated key finds the folder that the first one made.
    pub async fn create_folder(
        &self,
        user: UserId,
        text: FolderText,
        idempotency_key: Option<String>,
    ) -> Result<Folder> {
        let id = FolderId::from_uuid(self.inner.ids.uuid());
        let keyed = self.keyed(user, "folder", idempotency_key, format!("{text:?}"), id.to_string());
        if let Some(before) = self.made_before(keyed.as_ref()).await? {
            return self.folder(user, before).await;
        }
        check(&text)?;
        let now = self.now();
        let folder = Folder { id, user_id: user, text, version: 1, created_at: now, updated_at: now };
        let (key, saved, vault) =
            (self.store().data_key(user).await?, folder.clone(), self.store().vault().clone());
        let write = move |tx: &mut Tx| {
            let noted = idempotency_key::note(tx, &vault, keyed.as_ref())?;
            let has_room = match noted {
                KeyUse::First => rows::create(tx, &key, &saved, MOST)?,
                KeyUse::Repeat { .. } => true,
            };
            if has_room { Ok(noted) } else { Err(FolderRefusal::TooMany) }
        };
        let noted = self.store().attempt(write).await.map_err(|refusal| match refusal {
            FolderRefusal::TooMany => Error::conflict(
                "too_many_folders",
                format!("You already have {MOST} folders. Delete one that you no longer need."),
            ),
            FolderRefusal::Store(error) => error.into(),
        })?;
        match idempotency_key::made(noted)? {
            Some(before) => self.folder(user, before).await,
            None => {
                self.tell_lists(user);
                Ok(folder)
            }
        }
    }

    pub async fn change_folder(&self, user: UserId, id: FolderId, change: FolderChange) -> Result<Folder> {
        loop {
            let mut folder = self.folder(user, id).await?;
            if change.version.is_some_and(|version| version != folder.version) {
                return Err(changed_elsewhere());
            }
            if let Some(name) = &change.name {
                folder.text.name.clone_from(name);
            }
            change.instructions.clone().apply(&mut folder.text.instructions, String::new());
            check(&folder.text)?;
            folder.updated_at = self.now();
            let (key, saved) = (self.store().data_key(user).await?, folder.clone());
            match self.store().write(move |tx| rows::update(tx, &key, &saved)).await {
                Ok(true) => {
                    self.tell_lists(user);
                    return Ok(Folder { version: folder.version.saturating_add(1), ..folder });
                }
                Ok(false) => return Err(Error::NotFound("folder")),
                // Another window was faster. Who names no version changes what is there by now: the fields that this
                // change does not name keep what the other window wrote.
                Err(store::Error::Conflict(Conflict::FolderChanged)) if change.version.is_none() => {}
                Err(store::Error::Conflict(Conflict::FolderChanged)) => return Err(changed_elsewhere()),
                Err(other) => return Err(other.into()),
            }
        }
    }

    /// The conversations in it stay, in no folder.
    pub async fn delete_folder(&self, user: UserId, id: FolderId) -> Result<()> {
        if !self.store().write(move |tx| rows::delete(tx, user, id)).await? {
            return Err(Error::NotFound("folder"));
        }
        self.tell_lists(user);
        Ok(())
    }
}

/// Why a folder was not stored.
#[derive(Debug, thiserror::Error)]
enum FolderRefusal {
    #[error("this person has too many folders")]
    TooMany,
    #[error(transparent)]
    Store(#[from] store::Error),
}

fn check(text: &FolderText) -> Result<()> {
    check_name(&text.name, "The name of a folder")?;
    let words = &text.instructions;
    // Lines may break here; everything else that controls text may not.
    let controls = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    if words.chars().count() > INSTRUCTIONS_CHARS {
        let detail = format!(
            "The instructions of this folder are too long. Shorten them to {INSTRUCTIONS_CHARS} characters."
        );
        return Err(Error::invalid("bad_instructions", detail));
    }
    if words.chars().any(controls) {
        let detail = "The instructions of this folder contain an invisible control character. Type that part again by hand.";
        return Err(Error::invalid("bad_instructions", detail));
    }
    Ok(())
}

fn changed_elsewhere() -> Error {
    let detail = "This folder was changed in another window in the meantime. Load it again and make your change again.";
    Error::conflict("folder_changed", detail)
}

pub(crate) fn unknown_folder() -> Error {
    Error::invalid("unknown_folder", "This folder does not exist any more. Choose another one.")
}

//! Files of folders: added and taken out by the person whose folder it is, and told to agents in every conversation there.
//!
//! They are uploads of that person, sealed and counted as all others. Others wrote them unless their person says otherwise.

use crate::{
    engine::Engine,
    error::{Error, Result},
    files::{extract_text::TextOutline, texts_for_model, uploads::fresh_since},
};
use domain::{AttachedFile, FolderFile, FolderId, Label, MessageAttachment, Upload, UploadId, UserId};
use people::Principal;
use prompt::{FolderFiles, input_label::added};
use provider::Model;
use schemars::JsonSchema;
use serde::Deserialize;
use store::{
    DataKey, Tx,
    folder_files::{self as rows, Added},
    uploads,
};

/// Of one folder.
pub(crate) const MOST: u32 = 50;
/// Their beginnings have this part of the room that the files of a message have.
const ROOM_SHARE: u64 = 2;

/// An upload that becomes a file of a folder.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFolderFile {
    pub upload_id: UploadId,
    /// You made it yourself, so that what it says counts as your own words.
    #[serde(default)]
    pub own: bool,
}

impl Engine {
    /// The files of a folder, the newest first.
    pub async fn folder_files(&self, user: UserId, folder: FolderId) -> Result<Vec<FolderFile>> {
        self.check_folder(user, folder).await?;
        let key = self.store().data_key(user).await?;
        let found = self.store().read(move |tx| uploads::of_folder(tx, &key, user, folder, MOST)).await?;
        let shown = |(stored, label): (uploads::StoredUpload, Label)| FolderFile {
            upload: stored.upload,
            own: !label.is_untrusted(),
        };
        Ok(found.into_iter().map(shown).collect())
    }

    /// The same upload once more says anew who made it. What agents know as a text of others becomes the person's own only by that
    /// person. THREAT[label-04]
    pub async fn add_folder_file(
        &self,
        who: &Principal,
        folder: FolderId,
        new: NewFolderFile,
    ) -> Result<FolderFile> {
        let user = who.user_id;
        self.check_folder(user, folder).await?;
        let NewFolderFile { upload_id, own } = new;
        let unknown = || Error::invalid("bad_folder_file", "upload_id: There is no such upload.");
        let upload = match self.upload(user, upload_id).await {
            Err(Error::NotFound(_)) => return Err(unknown()),
            found => found?.upload().clone(),
        };
        check(&upload)?;
        let (label, now) = (added(own), self.now());
        let in_person = who.check_in_person(now);
        let may_declare = in_person.is_ok();
        let write = move |tx: &mut Tx| {
            if own && !may_declare && uploads::worst_use(tx, upload_id)?.is_untrusted() {
                return Ok(None);
            }
            let fresh = fresh_since(now);
            rows::add(tx, (user, folder), upload_id, label, (now, fresh), u64::from(MOST)).map(Some)
        };
        let added = self.store().write(write).await;
        let Some(added) = added.map_or_else(|error| Some(Err(error)), |added| added.map(Ok)) else {
            return Err(in_person.err().map_or(Error::Internal, Into::into));
        };
        match added {
            Ok(Added::Done) => {
                self.tell_lists(user);
                Ok(FolderFile { upload, own })
            }
            Ok(Added::Full) => {
                let detail =
                    format!("A folder can have at most {MOST} files. Remove one that is no longer needed.");
                Err(Error::conflict("too_many_files", detail))
            }
            Err(store::Error::NotFound) => Err(unknown()),
            Err(error) => Err(error.into()),
        }
    }

    /// Agents are not told of it any more, and it goes for good where no message shows it.
    pub async fn remove_folder_file(&self, user: UserId, folder: FolderId, upload: UploadId) -> Result<()> {
        self.check_folder(user, folder).await?;
        if !self.store().write(move |tx| rows::remove(tx, user, folder, upload)).await? {
            return Err(Error::NotFound("upload"));
        }
        self.tell_lists(user);
        Ok(())
    }

    async fn check_folder(&self, user: UserId, folder: FolderId) -> Result<()> {
        let key = self.store().data_key(user).await?;
        let read = move |tx: &mut Tx| store::folders::get(tx, &key, user, folder);
        self.store().read(read).await?.map(drop).ok_or(Error::NotFound("folder"))
    }

    /// As much of the files of a folder as a model is told.
    pub(crate) async fn folder_files_for_model(
        &self,
        user: UserId,
        key: &DataKey,
        model: &Model,
        folder: FolderId,
    ) -> store::Result<FolderFiles> {
        let (key, room) = (key.clone(), self.text_room(Some(model)) / ROOM_SHARE);
        self.store().read(move |tx| told(tx, &key, user, folder, room)).await
    }
}

fn told(tx: &mut Tx, key: &DataKey, user: UserId, folder: FolderId, room: u64) -> store::Result<FolderFiles> {
    let found = uploads::of_folder(tx, key, user, folder, MOST)?;
    let label = found.iter().map(|(_, label)| *label).reduce(Label::join);
    let mut outlined: Vec<(Upload, TextOutline)> = Vec::with_capacity(found.len());
    for (stored, _) in found {
        let outline = texts_for_model::outline(tx, key, stored.upload.id)?;
        outlined.push((stored.upload, outline));
    }
    let mut files: Vec<(AttachedFile, String)> = Vec::with_capacity(outlined.len());
    for attachment in texts_for_model::share(&outlined, room) {
        let MessageAttachment::File(file) = attachment else { continue };
        let text = texts_for_model::excerpt(tx, key, file.upload_id, 0, file.read_chars)?;
        files.push((*file, text));
    }
    Ok(FolderFiles { files, label })
}

/// A folder has what agents can read.
fn check(upload: &Upload) -> Result<()> {
    let problem = match &upload.text {
        None => Some("Pictures are attached to a message.".to_owned()),
        Some(text) => text.problem.clone(),
    };
    match problem {
        None => Ok(()),
        Some(why) => {
            let detail = format!("upload_id: A folder takes files that agents can read as text. {why}");
            Err(Error::invalid("bad_folder_file", detail))
        }
    }
}

//! The files of a session, for a call. What a call changes is committed together with a receipt, so it happens once
//! however often the call runs.

use crate::{
    claim::turn_context::TurnContext,
    engine::Engine,
    files::session_files::{GrepError, SearchForCall},
    ports::receipt::CallReceipt,
};
use async_trait::async_trait;
use capability::{FileError, Files, FoundFile, Grep, Listing, Matches, WrittenFile};
use domain::{CallId, FileInfo, FilePath, FileRefusal, SessionId};
use prompt::provenance_label::SeenLabel;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::Arc;
use store::{
    DataKey, Tx,
    session_files::{self as rows, Change, Prepared},
};

/// Whose files, and on behalf of which call: none of it comes from what a model wrote.
pub(crate) struct CallFiles {
    engine: Engine,
    key: DataKey,
    session: SessionId,
    receipt: CallReceipt,
    /// Whatever the call reads is in what it gives back, and in what it writes.
    seen: SeenLabel,
}

/// A change that a call makes.
enum FileChange {
    Write(Box<Prepared>, Change),
    Delete(FilePath, bool),
}

impl FileChange {
    /// What it came to, as the receipt has it.
    fn perform(
        &self,
        tx: &mut Tx,
        key: &DataKey,
        session: SessionId,
    ) -> store::Result<Result<Value, FileRefusal>> {
        match self {
            Self::Write(file, change) => {
                let written = rows::write(tx, key, (**file).clone(), *change)?;
                Ok(written.map(|(info, created)| json!(WrittenFile { info, created })))
            }
            Self::Delete(path, recursive) => {
                let deleted = rows::delete(tx, key, session, path, *recursive)?;
                Ok(deleted.map(|count| json!(count)))
            }
        }
    }
}

impl CallFiles {
    pub(crate) fn new(turn: &TurnContext, call: CallId, seen: SeenLabel) -> Self {
        Self {
            engine: turn.engine.clone(),
            key: turn.key.clone(),
            session: turn.session.id,
            receipt: CallReceipt::new(turn, call),
            seen,
        }
    }

    /// Does it, unless the call did it before.
    async fn once<T: DeserializeOwned>(&self, deed: FileChange) -> Result<T, FileError> {
        let session = self.session;
        fail::fail_point!("file_before_commit");
        let perform = move |tx: &mut Tx, key: &DataKey| deed.perform(tx, key, session);
        let done = self.receipt.once(perform).await.map_err(broken)??;
        fail::fail_point!("file_after_commit");
        serde_json::from_value(done).map_err(|_| FileError::Broken("a call made two changes".to_owned()))
    }
}

fn broken(error: store::Error) -> FileError {
    match error {
        store::Error::Uncertain(_) => FileError::Unknown(
            "outcome unknown: the connection to the database broke while the file was being changed. Look at the file before \
             you repeat the call"
                .to_owned(),
        ),
        other => FileError::Broken(other.to_string()),
    }
}

#[async_trait]
impl Files for CallFiles {
    async fn stat(&self, path: &FilePath) -> Result<Option<FileInfo>, FileError> {
        let (key, session, path) = (self.key.clone(), self.session, path.clone());
        let read = move |tx: &mut Tx| rows::stat(tx, &key, session, &path);
        let found = self.engine.store().read(read).await.map_err(broken)?;
        found.iter().for_each(|info| self.seen.add(info.label));
        Ok(found)
    }

    async fn read(&self, path: &FilePath) -> Result<FoundFile, FileError> {
        let (key, session, path) = (self.key.clone(), self.session, path.clone());
        let read = move |tx: &mut Tx| rows::read(tx, &key, session, &path);
        let (info, content) = self.engine.store().read(read).await.map_err(broken)??;
        self.seen.add(info.label);
        Ok(FoundFile { info, content })
    }

    async fn list(&self, folder: &FilePath, most: usize) -> Result<Listing, FileError> {
        let (key, session, folder) = (self.key.clone(), self.session, folder.clone());
        let read = move |tx: &mut Tx| rows::list(tx, &key, session, &folder);
        let mut entries = self.engine.store().read(read).await.map_err(broken)??;
        entries.iter().for_each(|info| self.seen.add(info.label));
        let total = entries.len();
        entries.truncate(most);
        Ok(Listing { entries, total })
    }

    async fn grep(&self, grep: Grep) -> Result<Matches, FileError> {
        let for_call = SearchForCall { seen: &self.seen, masked: Arc::new(self.engine.secrets_masked()) };
        let found = self.engine.grep(&self.key, self.session, grep, Some(for_call)).await;
        found.map_err(|error| match error {
            GrepError::Store(error) => broken(error),
            GrepError::File(error) => error,
        })
    }

    async fn write(&self, path: &FilePath, content: Vec<u8>) -> Result<WrittenFile, FileError> {
        let file = Prepared::new(&self.key, self.session, path.clone(), &content).map_err(broken)?;
        let limits = self.engine.inner.settings.files.session;
        let label = self.seen.label();
        let change = Change { limits, read_only: None, label, at: self.engine.now() };
        self.once(FileChange::Write(Box::new(file), change)).await
    }

    async fn delete(&self, path: &FilePath, recursive: bool) -> Result<u64, FileError> {
        self.once(FileChange::Delete(path.clone(), recursive)).await
    }
}

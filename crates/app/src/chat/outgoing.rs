//! What goes along with the next message: files, and the model that is to answer it.

use super::{talk::Talk, turn::OutgoingMessage};
use crate::{
    control::Request,
    error::{Error, Result, advised},
    terminal::neutral,
};
use serde_json::Value;
use std::path::Path;

/// The largest file that a server can be set to take.
const LARGEST: u64 = 1 << 30;

/// Kept until the next message is sent.
#[derive(Debug, Default)]
pub struct NextMessage {
    files: Vec<AttachedUpload>,
    model: Option<String>,
}

#[derive(Debug)]
struct AttachedUpload {
    id: String,
    name: String,
}

impl NextMessage {
    /// Sends a file to the server, so that the next message can name it.
    pub async fn attach(&mut self, talk: &Talk, path: &Path) -> Result<()> {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file").to_owned();
        let bytes = read(path).await?;
        let upload = talk.client()?.ask(Request::upload("/v1/uploads", &name, &bytes)).await?;
        let id = upload.get("id").and_then(Value::as_str);
        let id = id.ok_or_else(|| Error::disconnected("the server sent an answer without an id"))?.to_owned();
        self.files.push(AttachedUpload { id, name });
        Ok(())
    }

    pub fn set_model(&mut self, model: String) -> String {
        let said = format!("{} answers your next message only.", neutral(&model));
        self.model = Some(model);
        said
    }

    pub fn forget_files(&mut self) -> &'static str {
        self.files.clear();
        "No file will be sent with your next message."
    }

    /// Which files go along.
    pub fn files(&self) -> String {
        let names: Vec<String> = self.files.iter().map(|file| neutral(&file.name).into_owned()).collect();
        match names.as_slice() {
            [] => "No file is attached. /attach PATH adds one to your next message.".to_owned(),
            [one] => format!("{one} will be sent with your next message. /attach none removes it."),
            many => {
                format!("{} will be sent with your next message. /attach none removes them.", many.join(", "))
            }
        }
    }

    /// The message with everything that was kept for it.
    pub fn take(&mut self, text: String) -> OutgoingMessage {
        let Self { files, model } = std::mem::take(self);
        OutgoingMessage { text, attachments: files.into_iter().map(|file| file.id).collect(), model }
    }
}

async fn read(path: &Path) -> Result<Vec<u8>> {
    let unreadable = |why: String| {
        advised(
            format!("The file {} cannot be read: {why}.", neutral(&path.display().to_string())),
            "Check the path, and that you may read the file.",
        )
    };
    let found = tokio::fs::metadata(path).await.map_err(|error| unreadable(error.to_string()))?;
    if !found.is_file() {
        return Err(unreadable("it is not a file".to_owned()));
    }
    if found.len() > LARGEST {
        return Err(unreadable(format!("it is larger than {}", domain::size_words(LARGEST))));
    }
    tokio::fs::read(path).await.map_err(|error| unreadable(error.to_string()))
}

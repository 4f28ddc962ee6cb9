//! The port to the web. The engine decides behind it which addresses no tool may reach; a tool only ever narrows.

use crate::ToolError;
use async_trait::async_trait;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpMethod {
    Get,
    Head,
}

/// Whom a fetch may reach, at each of its hops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// `example.com`, or `*.example.com` for all below it. None: everybody on the internet.
    pub hosts: Option<Vec<String>>,
    /// Also when it is among `hosts`.
    pub denied_hosts: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpRequest {
    pub method: HttpMethod,
    pub url: String,
    pub reach: Reach,
    /// From the end of the request to the head of the answer.
    pub first_byte: Duration,
    /// For the whole body; what came until then is kept.
    pub body: Duration,
}

/// What is known of an answer before its body is read. All of it is what the website claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpHead {
    pub status: u16,
    /// Where the answer came from, after all redirects.
    pub url: String,
    pub content_type: Option<String>,
    /// `text/html`: the type without its parameters, in lower case.
    pub media_type: Option<String>,
    pub last_modified: Option<String>,
    /// A plain name, without folders.
    pub file_name: Option<String>,
    /// The size it announces.
    pub size: Option<u64>,
}

/// How a body came to its end. What was read until then is good in each case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpEnd {
    Complete,
    /// There was more than is read of any body.
    TooLarge,
    /// It was packed so that little becomes very much.
    TooDense,
    TimedOut,
    /// The connection broke, or the packing was damaged.
    Broken(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpBody {
    pub bytes: Vec<u8>,
    pub end: HttpEnd,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// Connected, and then nothing came in the time for the first byte.
    #[error("server did not respond within {}", seconds(.0))]
    Silent(Duration),
    /// In words for the model.
    #[error("{0}")]
    Failed(String),
    /// For the log.
    #[error("{0}")]
    Internal(String),
}

fn seconds(time: &Duration) -> String {
    match time.as_secs() {
        1 => "1 second".to_owned(),
        more => format!("{more} seconds"),
    }
}

impl From<HttpError> for ToolError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Internal(detail) => Self::Internal(detail),
            told => Self::Failed(told.to_string()),
        }
    }
}

/// An answer whose body is still to be read, or not.
#[async_trait]
pub trait HttpAnswer: Send {
    fn head(&self) -> &HttpHead;

    async fn body(self: Box<Self>) -> HttpBody;
}

#[async_trait]
pub trait Http: Send + Sync {
    /// Asks, and follows redirects as far as the request may reach.
    async fn fetch(&self, request: HttpRequest) -> Result<Box<dyn HttpAnswer>, HttpError>;
}

//! Ids in paths and parameters in queries, refused in our own words.

use crate::{connection::pipeline::single, problem::Problem};
use axum::{
    extract::{FromRequestParts, Path},
    http::{StatusCode, request::Parts},
};
use domain::{
    AbilityId, AccountLinkId, AgentId, ApiKeyId, ApprovalId, EntryId, FolderId, LoginId, QuestionId, RuleId,
    SavedPromptId, ScheduleId, SessionId, SessionLinkId, TurnId, UploadId, UserId,
};
use serde::de::DeserializeOwned;
use std::str::FromStr;

/// What an id names, in the words of a refusal.
pub(crate) trait Noun: FromStr {
    const NOUN: &'static str;
}

impl Noun for AgentId {
    const NOUN: &'static str = "agent";
}

impl Noun for SessionId {
    const NOUN: &'static str = "session";
}

impl Noun for UserId {
    const NOUN: &'static str = "user";
}

impl Noun for LoginId {
    const NOUN: &'static str = "login";
}

impl Noun for ApiKeyId {
    const NOUN: &'static str = "key";
}

impl Noun for QuestionId {
    const NOUN: &'static str = "question";
}

impl Noun for ApprovalId {
    const NOUN: &'static str = "approval";
}

impl Noun for RuleId {
    const NOUN: &'static str = "rule";
}

impl Noun for UploadId {
    const NOUN: &'static str = "upload";
}

impl Noun for SavedPromptId {
    const NOUN: &'static str = "prompt";
}
impl Noun for ScheduleId {
    const NOUN: &'static str = "schedule";
}
impl Noun for SessionLinkId {
    const NOUN: &'static str = "link";
}
impl Noun for AccountLinkId {
    const NOUN: &'static str = "link";
}
impl Noun for EntryId {
    const NOUN: &'static str = "entry";
}

impl Noun for FolderId {
    const NOUN: &'static str = "folder";
}
impl Noun for AbilityId {
    const NOUN: &'static str = "ability";
}

impl Noun for TurnId {
    /// In a path it stands for the message that will begin it.
    const NOUN: &'static str = "queued message";
}

/// The one id in a path. What is not an id names nothing, so it is a 404 like any other id that names nothing.
pub(crate) struct Id<T>(pub(crate) T);

impl<S: Send + Sync, T: Noun> FromRequestParts<S> for Id<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let unknown = || Problem::not_found(T::NOUN);
        let Path(text) = Path::<String>::from_request_parts(parts, state).await.map_err(|_| unknown())?;
        text.parse().map(Self).map_err(|_| unknown())
    }
}

/// The two ids in a path: of a thing, and of something in it. Refused as [`Id`] is.
pub(crate) struct Within<T, U>(pub(crate) T, pub(crate) U);

impl<S: Send + Sync, T: Noun + Send, U: Noun> FromRequestParts<S> for Within<T, U> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let unknown = || Problem::not_found(T::NOUN);
        let path = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((thing, part)) = path.map_err(|_| unknown())?;
        let thing = thing.parse().map_err(|_| unknown())?;
        Ok(Self(thing, part.parse().map_err(|_| Problem::not_found(U::NOUN))?))
    }
}

/// The key of a request that may be repeated; the engine says whether it was.
pub(crate) struct IdempotencyKey(pub(crate) Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        single(&parts.headers, "idempotency-key").map(|key| Self(key.map(str::to_owned)))
    }
}

/// For what cannot be repeated: its answer holds a secret that is nowhere kept, its body a password of which no trace is
/// kept, it makes a file or a key, or it asks a model anew. A client that trusts the header learns that it must look first.
pub(crate) struct Once;

impl<S: Send + Sync> FromRequestParts<S> for Once {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        if !parts.headers.contains_key("idempotency-key") {
            return Ok(Self);
        }
        let detail = "This request cannot be repeated with Idempotency-Key. Send it without that header.";
        Err(Problem::new(StatusCode::CONFLICT, "not_idempotent", detail))
    }
}

/// The query of a request. Its fields are text: the handlers say what is wrong with a value, by its name.
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        match axum::extract::Query::try_from_uri(&parts.uri) {
            Ok(axum::extract::Query(query)) => Ok(Self(query)),
            Err(rejection) => {
                let why = std::error::Error::source(&rejection).map_or_else(String::new, ToString::to_string);
                Err(Problem::bad_request("bad_query", format!("A parameter in the address is wrong: {why}.")))
            }
        }
    }
}

/// A parameter with a value of some type.
pub(crate) fn parameter<T: FromStr>(
    name: &str,
    text: Option<&str>,
    what: &str,
) -> Result<Option<T>, Problem> {
    let parse = |text: &str| text.parse().map_err(|_| bad_parameter(name, what));
    text.map(parse).transpose()
}

/// A whole number, in digits only.
pub(crate) fn number(name: &str, text: Option<&str>) -> Result<Option<u64>, Problem> {
    let parse = |text: &str| {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|_| plain).ok_or_else(|| bad_parameter(name, "a whole number"))
    };
    text.map(parse).transpose()
}

fn bad_parameter(name: &str, what: &str) -> Problem {
    Problem::bad_request("bad_query", format!("{name} must be {what}."))
}

//! What each kind of argument of a handler says about its route.

use super::shape::Shape;
use crate::{
    app::App,
    caller::{Caller, MaybeCaller},
    limits_per_person::RequestHold,
    request::{
        body::{BodyRules, JsonBody, MaybeBody},
        extract::{Id, IdempotencyKey, Noun, Once, Query, Within},
        peer::Visitor,
    },
    route::files::{FileAddress, FileBody},
};
use axum::{
    Extension,
    extract::{
        Path, Request, State,
        rejection::PathRejection,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    http::HeaderMap,
};
use domain::SessionId;
use schemars::JsonSchema;

/// An argument of a handler.
pub(crate) trait Takes {
    fn describe(shape: &mut Shape<'_>);
}

/// Arguments that no client sends.
macro_rules! silent {
    ($($kind:ty),+ $(,)?) => {
        $(impl Takes for $kind {
            fn describe(_: &mut Shape<'_>) {}
        })+
    };
}

silent!(
    State<App>,
    Caller,
    MaybeCaller,
    Visitor,
    HeaderMap,
    Request,
    Extension<RequestHold>,
    Extension<BodyRules>
);

impl Takes for Result<WebSocketUpgrade, WebSocketUpgradeRejection> {
    fn describe(shape: &mut Shape<'_>) {
        shape.empty_answer(101);
        shape.codes(&["not_a_websocket"]);
    }
}

impl Takes for IdempotencyKey {
    fn describe(shape: &mut Shape<'_>) {
        shape.header::<String>(
            "Idempotency-Key",
            "the same key with the same body finds what the first one made",
        );
        // What the first one made may be gone by now.
        shape.codes(&["bad_header", "bad_idempotency_key", "idempotency_mismatch", "not_found"]);
    }
}

impl Takes for Once {
    fn describe(shape: &mut Shape<'_>) {
        shape.codes(&["not_idempotent"]);
    }
}

impl<T: Noun + JsonSchema> Takes for Id<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.path::<T>();
        shape.codes(&["not_found"]);
    }
}

impl<T: Noun + JsonSchema, U: Noun + JsonSchema> Takes for Within<T, U> {
    fn describe(shape: &mut Shape<'_>) {
        shape.path::<T>();
        shape.path::<U>();
        shape.codes(&["not_found"]);
    }
}

impl Takes for Result<Path<String>, PathRejection> {
    fn describe(shape: &mut Shape<'_>) {
        shape.path::<String>();
        shape.codes(&["not_found"]);
    }
}

impl<T: JsonSchema> Takes for Query<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.query::<T>();
        shape.codes(&["bad_query"]);
    }
}

impl Takes for FileAddress {
    fn describe(shape: &mut Shape<'_>) {
        shape.path::<SessionId>();
        shape.path::<String>();
        shape.codes(&["bad_file_path", "not_found"]);
    }
}

impl Takes for FileBody {
    fn describe(shape: &mut Shape<'_>) {
        shape.body::<String>("*/*");
        shape.codes(&["bad_body", "body_timeout", "unsupported_media_type"]);
    }
}

impl<T: JsonSchema> Takes for MaybeBody<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.optional_body::<T>("application/json");
        shape.codes(&["bad_body", "bad_field", "bad_json", "body_timeout", "unsupported_media_type"]);
    }
}

impl<T: JsonSchema> Takes for JsonBody<T> {
    fn describe(shape: &mut Shape<'_>) {
        shape.body::<T>("application/json");
        shape.codes(&["bad_body", "bad_field", "bad_json", "body_timeout", "unsupported_media_type"]);
    }
}

//! Files.

use super::About;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;

/// A form with one file.
struct UploadForm;

impl JsonSchema for UploadForm {
    fn schema_name() -> Cow<'static, str> {
        "UploadForm".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "properties": { "file": { "description": "the file, with its name and type" } },
            "required": ["file"],
        })
    }
}

pub(super) const ALL: &[About] = &[
    About::new("POST", "/v1/uploads", "Upload a file")
        .detail("A form with one file. Its id can be attached to a message. A picture may be at most 8000 pixels wide and high.")
        .codes(&["bad_multipart", "bad_picture", "no_file", "one_file", "type_mismatch", "unsupported_file", "upload_quota"])
        .also(|shape| {
            shape.body::<UploadForm>("multipart/form-data");
            shape.codes(&["bad_body", "body_timeout", "unsupported_media_type"]);
        }),
    About::new("GET", "/v1/uploads/{id}", "Download a file")
        .also(|shape| shape.answer::<String>(200, "*/*")),
];

//! What the types of one handler say about its route.

use super::schemas::Schemas;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Filled in by the arguments and the result of a handler.
pub(crate) struct Shape<'a> {
    schemas: &'a mut Schemas,
    /// The names in braces that no argument has claimed yet, first one last.
    unclaimed: Vec<&'a str>,
    pub(super) parameters: Vec<Value>,
    pub(super) body: Option<Value>,
    pub(super) answers: Vec<GoodAnswer>,
    pub(super) codes: BTreeSet<&'static str>,
}

/// A good answer.
pub(super) struct GoodAnswer {
    pub(super) status: u16,
    /// The media type and the schema of what comes with it.
    pub(super) content: Option<(&'static str, Value)>,
}

impl<'a> Shape<'a> {
    pub(super) fn new(path: &'a str, schemas: &'a mut Schemas) -> Self {
        let names = path.split('/').filter_map(|segment| segment.strip_prefix('{'));
        let mut unclaimed: Vec<&str> =
            names.map(|name| name.trim_end_matches('}').trim_start_matches('*')).collect();
        unclaimed.reverse();
        Self {
            schemas,
            unclaimed,
            parameters: Vec::new(),
            body: None,
            answers: Vec::new(),
            codes: BTreeSet::new(),
        }
    }

    pub(crate) fn codes(&mut self, codes: &[&'static str]) {
        self.codes.extend(codes);
    }

    /// The next name in braces is of this type.
    pub(crate) fn path<T: JsonSchema>(&mut self) {
        if let Some(name) = self.unclaimed.pop() {
            let schema = self.schemas.taken::<T>();
            self.parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        }
    }

    /// The fields of this type are the parameters of the query.
    pub(crate) fn query<T: JsonSchema>(&mut self) {
        let schema = self.schemas.inline::<T>();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let mut field = without_null(field.clone());
            let described = field.as_object_mut().and_then(|field| field.remove("description"));
            let mut parameter = Map::new();
            parameter.insert("name".to_owned(), json!(name));
            parameter.insert("in".to_owned(), json!("query"));
            parameter.insert("required".to_owned(), json!(required.contains(&name.as_str())));
            if let Some(described) = described {
                parameter.insert("description".to_owned(), described);
            }
            parameter.insert("schema".to_owned(), field);
            self.parameters.push(Value::Object(parameter));
            match name.as_str() {
                "limit" => self.codes(&["bad_limit"]),
                "cursor" | "after" => self.codes(&["bad_cursor"]),
                _ => {}
            }
        }
    }

    pub(crate) fn header<T: JsonSchema>(&mut self, name: &str, description: &str) {
        let schema = self.schemas.taken::<T>();
        let parameter = json!({
            "name": name, "in": "header", "required": false, "description": description, "schema": schema,
        });
        self.parameters.push(parameter);
    }

    pub(crate) fn body<T: JsonSchema>(&mut self, media_type: &str) {
        let schema = self.schemas.taken::<T>();
        self.body = Some(json!({ "required": true, "content": { media_type: { "schema": schema } } }));
    }

    /// A body that may be left out.
    pub(crate) fn optional_body<T: JsonSchema>(&mut self, media_type: &str) {
        let schema = self.schemas.taken::<T>();
        self.body = Some(json!({ "required": false, "content": { media_type: { "schema": schema } } }));
    }

    pub(crate) fn answer<T: JsonSchema>(&mut self, status: u16, media_type: &'static str) {
        let schema = self.schemas.given::<T>();
        self.answers.push(GoodAnswer { status, content: Some((media_type, schema)) });
    }

    pub(crate) fn empty_answer(&mut self, status: u16) {
        self.answers.push(GoodAnswer { status, content: None });
    }

    /// An answer that follows the others of another status, for instance 202 beside 200.
    pub(super) fn restatus(&mut self, status: u16) {
        for answer in &mut self.answers {
            answer.status = status;
        }
    }
}

/// A parameter is there or not; it is never null.
fn without_null(mut schema: Value) -> Value {
    if let Some(types) = schema["type"].as_array() {
        let kept: Vec<Value> = types.iter().filter(|name| *name != "null").cloned().collect();
        schema["type"] = if let [one] = kept.as_slice() { one.clone() } else { Value::Array(kept) };
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let kept: Vec<Value> = choices.iter().filter(|choice| choice["type"] != "null").cloned().collect();
        if let ([one], Some(fields)) = (kept.as_slice(), schema.as_object_mut()) {
            fields.remove("anyOf");
            fields.extend(one.as_object().cloned().unwrap_or_default());
        }
    }
    // Absence of a choice leaves `Null` behind the lookups above.
    if let Some(fields) = schema.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    schema
}

//! The fields of a request, as its schema tells them, and bodies in which one of them is another.

use jsonschema::Validator;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct Field {
    /// From the outside in; `[]` is the entry of a list.
    steps: Vec<String>,
    pub required: bool,
}

impl Field {
    /// The name by which a refusal calls it.
    pub fn name(&self) -> String {
        let named = self.steps.iter().rev().find(|step| *step != "[]");
        named.cloned().unwrap_or_default()
    }

    pub fn path(&self) -> String {
        self.steps.join(".")
    }

    /// What it is inside of.
    pub fn outermost(&self) -> String {
        self.steps.first().cloned().unwrap_or_default()
    }

    pub fn is_outermost(&self) -> bool {
        self.steps.len() == 1
    }
}

fn resolved(schema: &Value) -> &Value {
    let mut schema = schema;
    while let Some(reference) = schema["$ref"].as_str() {
        schema = server::openapi().pointer(reference.trim_start_matches('#')).unwrap();
    }
    schema
}

pub fn validator(schema: &Value) -> Validator {
    let mut schema = schema.clone();
    schema["components"] = server::openapi()["components"].clone();
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Every field there is, also those inside others.
pub fn fields(schema: &Value) -> Vec<Field> {
    let mut found = Vec::new();
    walk(schema, &[], &mut found);
    assert!(!found.is_empty(), "{schema} has fields");
    found
}

fn walk(schema: &Value, at: &[String], found: &mut Vec<Field>) {
    let schema = resolved(schema);
    if at.len() > 4 {
        return;
    }
    let below = |step: &str| [at, &[step.to_owned()]].concat();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
        found.push(Field { steps: below(name), required });
        walk(field, &below(name), found);
    }
    if schema["items"].is_object() {
        found.push(Field { steps: below("[]"), required: false });
        walk(&schema["items"], &below("[]"), found);
    }
    for branch in ["anyOf", "oneOf", "allOf"].iter().flat_map(|word| schema[*word].as_array()).flatten() {
        walk(branch, at, found);
    }
}

const PLACE: &str = "the place of the value";

/// The body with this text in the place of that field.
pub fn body_with(base: &Value, field: &Field, text: &str) -> String {
    let mut body = base.clone();
    let mut place = &mut body;
    for step in &field.steps {
        if step == "[]" {
            *place = json!([null]);
            place = &mut place[0];
        } else {
            if !place.is_object() {
                *place = json!({});
            }
            place = &mut place[step];
        }
    }
    *place = json!(PLACE);
    body.to_string().replacen(&json!(PLACE).to_string(), text, 1)
}

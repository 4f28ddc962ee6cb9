//! The schemas of everything that is taken or given. A type may look different in the two directions: what has a
//! default may be left out of a request, but is always there in an answer.

use super::references::{self, rewrite};
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

pub(super) const GIVEN: &str = "#/components/schemas/";
/// Where references of requests point until it is known which schemas the two directions share.
const TAKEN: &str = "#/components/taken/";

pub(crate) struct Schemas {
    given: SchemaGenerator,
    taken: SchemaGenerator,
}

impl Schemas {
    pub(super) fn new() -> Self {
        let settings = |path: &str| {
            let mut settings = SchemaSettings::draft2020_12();
            settings.definitions_path = path.trim_start_matches('#').trim_end_matches('/').to_owned().into();
            settings
        };
        Self {
            given: settings(GIVEN).for_serialize().into_generator(),
            taken: settings(TAKEN).for_deserialize().into_generator(),
        }
    }

    pub(super) fn given<T: JsonSchema>(&mut self) -> Value {
        self.given.subschema_for::<T>().to_value()
    }

    pub(super) fn taken<T: JsonSchema>(&mut self) -> Value {
        self.taken.subschema_for::<T>().to_value()
    }

    /// The schema itself, not a reference to it.
    pub(super) fn inline<T: JsonSchema>(&mut self) -> Value {
        T::json_schema(&mut self.taken).to_value()
    }

    /// Every schema by its name; the references in `document` are brought in line.
    pub(super) fn finish(mut self, document: &mut Value) -> Map<String, Value> {
        let mut all = self.given.take_definitions(true);
        let mut taken = self.taken.take_definitions(true);
        let different = different(&all, &taken);
        let rename = |reference: &str| {
            let name = reference.strip_prefix(TAKEN)?;
            let suffix = if different.contains(name) { "Input" } else { "" };
            Some(format!("{GIVEN}{name}{suffix}"))
        };
        rewrite(document, &rename);
        for (name, mut schema) in std::mem::take(&mut taken) {
            rewrite(&mut schema, &rename);
            let name = if different.contains(&name) { format!("{name}Input") } else { name };
            all.insert(name, schema);
        }
        all
    }
}

/// The names that mean something else in requests than in answers: by themselves, or by what they refer to.
fn different(given: &Map<String, Value>, taken: &Map<String, Value>) -> BTreeSet<String> {
    let as_given = |reference: &str| reference.strip_prefix(TAKEN).map(|name| format!("{GIVEN}{name}"));
    let differs = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        rewrite(&mut schema, &as_given);
        given.get(name).is_some_and(|given| *given != schema).then(|| name.clone())
    };
    let mut different: BTreeSet<String> = taken.iter().filter_map(differs).collect();
    loop {
        let known = different.len();
        for (name, schema) in taken.iter().filter(|(name, _)| given.contains_key(*name)) {
            let refers = references::names(schema, TAKEN).iter().any(|name| different.contains(*name));
            if refers {
                different.insert(name.clone());
            }
        }
        if different.len() == known {
            return different;
        }
    }
}

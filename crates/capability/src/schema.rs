//! Checking a value against a JSON Schema, with words that a model can act on.
//!
//! Of JSON Schema it knows what the tools and settings of this program use, and refuses a schema with anything else: a keyword
//! that is not understood would be a check that is never made. For what it knows it agrees with a whole validator, which a
//! test compares it with.
//!
//! The message names the parameter and what was expected of it, and never repeats the value: that may be a
//! megabyte long, or private.

use crate::arguments::shorten;
use regex::Regex;
use serde_json::{Map, Value};

/// Longer than any sensible message; only hostile parameter names reach it.
const MESSAGE_CHARS: usize = 400;
/// Say something about a value, and ask nothing of it.
const ANNOTATIONS: [&str; 4] = ["title", "description", "default", "examples"];

/// A schema that was read once, when the registry was made.
#[derive(Default)]
pub struct Schema {
    /// One of these; empty: any.
    types: Vec<Type>,
    one_of: Option<Vec<Value>>,
    properties: Vec<(String, Schema)>,
    required: Vec<String>,
    others: Others,
    items: Option<Box<Schema>>,
    bounds: Bounds,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

/// What may be in an object besides its properties.
#[derive(Default)]
enum Others {
    #[default]
    Anything,
    Nothing,
    Each(Box<Schema>),
}

#[derive(Default)]
struct Bounds {
    minimum: Option<f64>,
    maximum: Option<f64>,
    min_length: Option<u64>,
    max_length: Option<u64>,
    min_items: Option<u64>,
    max_items: Option<u64>,
    pattern: Option<Regex>,
}

impl Type {
    const ALL: [(&'static str, Self); 7] = [
        ("null", Self::Null),
        ("boolean", Self::Boolean),
        ("integer", Self::Integer),
        ("number", Self::Number),
        ("string", Self::String),
        ("array", Self::Array),
        ("object", Self::Object),
    ];

    fn read(name: &Value) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|(known, _)| name.as_str() == Some(known));
        known.map(|(_, known)| known).ok_or_else(|| format!("{name} is not a type"))
    }

    fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    fn is_of(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Integer, Value::Number(number)) => {
                number.is_i64()
                    || number.is_u64()
                    || number.as_f64().is_some_and(|number| number.fract() == 0.0)
            }
            (Self::Null, Value::Null)
            | (Self::Boolean, Value::Bool(_))
            | (Self::Number, Value::Number(_))
            | (Self::String, Value::String(_))
            | (Self::Array, Value::Array(_))
            | (Self::Object, Value::Object(_)) => true,
            _ => false,
        }
    }
}

impl Schema {
    /// # Errors
    /// In words, when the schema is not valid or has a keyword that is not known here.
    pub fn compile(schema: &Value) -> Result<Self, String> {
        Self::read(schema).map_err(|problem| shorten(&problem, MESSAGE_CHARS))
    }

    fn read(schema: &Value) -> Result<Self, String> {
        let keywords = schema.as_object().ok_or_else(|| "a schema must be an object".to_owned())?;
        let mut read = Self::default();
        for (keyword, value) in keywords {
            read.add(keyword, value).map_err(|problem| format!("`{keyword}`: {problem}"))?;
        }
        Ok(read)
    }

    fn add(&mut self, keyword: &str, value: &Value) -> Result<(), String> {
        let bounds = &mut self.bounds;
        match keyword {
            "type" => {
                let names = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                self.types = names.iter().map(Type::read).collect::<Result<_, _>>()?;
            }
            "enum" => self.one_of = Some(list(value)?.clone()),
            "properties" => {
                let read = |(name, schema): (&String, &Value)| Ok((name.clone(), Self::read(schema)?));
                self.properties = object(value)?.iter().map(read).collect::<Result<_, String>>()?;
            }
            "required" => self.required = list(value)?.iter().map(text).collect::<Result<_, _>>()?,
            "additionalProperties" => {
                self.others = match value {
                    Value::Bool(true) => Others::Anything,
                    Value::Bool(false) => Others::Nothing,
                    schema => Others::Each(Box::new(Self::read(schema)?)),
                };
            }
            "items" => self.items = Some(Box::new(Self::read(value)?)),
            "minimum" => bounds.minimum = Some(number(value)?),
            "maximum" => bounds.maximum = Some(number(value)?),
            "minLength" => bounds.min_length = Some(count(value)?),
            "maxLength" => bounds.max_length = Some(count(value)?),
            "minItems" => bounds.min_items = Some(count(value)?),
            "maxItems" => bounds.max_items = Some(count(value)?),
            "pattern" => bounds.pattern = Some(pattern(value)?),
            annotation if ANNOTATIONS.contains(&annotation) => {}
            _ => return Err("this keyword is not known here".to_owned()),
        }
        Ok(())
    }

    /// # Errors
    /// The first thing that is wrong with the value, naming the parameter.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.check_at(&ValuePlace::Whole, value).map_err(|problem| shorten(&problem, MESSAGE_CHARS))
    }

    fn check_at(&self, place: &ValuePlace<'_>, value: &Value) -> Result<(), String> {
        let wrong = |expected: String| Err(format!("{} {expected}", place.subject()));
        if !self.types.is_empty() && !self.types.iter().any(|known| known.is_of(value)) {
            let names: Vec<&str> = self.types.iter().map(|known| known.name()).collect();
            return wrong(format!("must be of type {}", names.join(" or ")));
        }
        if let Some(options) = &self.one_of
            && !options.iter().any(|option| is_same(option, value))
        {
            return wrong(format!("must be one of {}", Value::from(options.clone())));
        }
        if let Some(expected) = self.bounds.broken_by(value) {
            return wrong(expected);
        }
        match value {
            Value::Object(fields) => self.check_fields(place, fields),
            Value::Array(items) => self.items.iter().try_for_each(|schema| {
                let mut numbered = items.iter().enumerate();
                numbered.try_for_each(|(index, item)| schema.check_at(&ValuePlace::Item(place, index), item))
            }),
            _ => Ok(()),
        }
    }

    fn check_fields(&self, place: &ValuePlace<'_>, fields: &Map<String, Value>) -> Result<(), String> {
        if let Some(name) = self.required.iter().find(|name| !fields.contains_key(*name)) {
            return Err(format!("the required parameter `{name}` is missing{}", place.inside()));
        }
        let is_known = |name: &str| self.properties.iter().any(|(known, _)| known == name);
        let unknown = || fields.iter().filter(|(name, _)| !is_known(name));
        match &self.others {
            Others::Nothing if unknown().next().is_some() => {
                let names: Vec<&str> = unknown().map(|(name, _)| name.as_str()).collect();
                return Err(format!("there is no parameter `{}`{}", names.join("`, `"), place.inside()));
            }
            Others::Each(schema) => {
                unknown()
                    .try_for_each(|(name, value)| schema.check_at(&ValuePlace::Field(place, name), value))?;
            }
            Others::Nothing | Others::Anything => {}
        }
        self.properties.iter().try_for_each(|(name, schema)| match fields.get(name) {
            Some(value) => schema.check_at(&ValuePlace::Field(place, name), value),
            None => Ok(()),
        })
    }
}

impl Bounds {
    /// What was expected of a value beyond its type, if it is not so.
    fn broken_by(&self, value: &Value) -> Option<String> {
        match value {
            Value::Number(number) => {
                let number = number.as_f64()?;
                let low = self.minimum.filter(|limit| number < *limit);
                let high = self.maximum.filter(|limit| number > *limit);
                low.map(|limit| format!("must be at least {limit}"))
                    .or_else(|| high.map(|limit| format!("must be at most {limit}")))
            }
            Value::String(text) => {
                let length = text.chars().count() as u64;
                let short = self.min_length.filter(|limit| length < *limit).map(|limit| match limit {
                    1 => "must not be empty".to_owned(),
                    limit => format!("must have at least {limit} characters"),
                });
                let long = self.max_length.filter(|limit| length > *limit);
                let other = self.pattern.as_ref().filter(|pattern| !pattern.is_match(text));
                short
                    .or_else(|| long.map(|limit| format!("must have at most {limit} characters")))
                    .or_else(|| other.map(|pattern| format!("must match {:?}", pattern.as_str())))
            }
            Value::Array(items) => {
                let length = items.len() as u64;
                let few = self.min_items.filter(|limit| length < *limit);
                let many = self.max_items.filter(|limit| length > *limit);
                few.map(|limit| format!("must have at least {limit} items"))
                    .or_else(|| many.map(|limit| format!("must have at most {limit} items")))
            }
            _ => None,
        }
    }
}

/// Where in the arguments a value stands.
enum ValuePlace<'a> {
    Whole,
    Field(&'a ValuePlace<'a>, &'a str),
    Item(&'a ValuePlace<'a>, usize),
}

impl ValuePlace<'_> {
    /// `todos.1.status`.
    fn path(&self) -> String {
        let below = |above: &Self, name: &str| match above {
            Self::Whole => name.to_owned(),
            above => format!("{}.{name}", above.path()),
        };
        match self {
            Self::Whole => String::new(),
            Self::Field(above, name) => below(above, name),
            Self::Item(above, index) => below(above, &index.to_string()),
        }
    }

    fn subject(&self) -> String {
        match self {
            Self::Whole => "the whole set of arguments".to_owned(),
            place => format!("parameter `{}`", place.path()),
        }
    }

    fn inside(&self) -> String {
        match self {
            Self::Whole => String::new(),
            place => format!(" in {}", place.subject()),
        }
    }
}

/// JSON Schema counts 1 and 1.0 as one number.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => one == other || one.as_f64() == other.as_f64(),
        _ => one == other,
    }
}

fn object(value: &Value) -> Result<&Map<String, Value>, String> {
    value.as_object().ok_or_else(|| "must be an object".to_owned())
}

fn list(value: &Value) -> Result<&Vec<Value>, String> {
    value.as_array().ok_or_else(|| "must be a list".to_owned())
}

fn text(value: &Value) -> Result<String, String> {
    value.as_str().map(str::to_owned).ok_or_else(|| "must be a text".to_owned())
}

fn number(value: &Value) -> Result<f64, String> {
    value.as_f64().ok_or_else(|| "must be a number".to_owned())
}

fn pattern(value: &Value) -> Result<Regex, String> {
    Regex::new(&text(value)?).map_err(|_| "must be a regular expression".to_owned())
}

fn count(value: &Value) -> Result<u64, String> {
    value.as_u64().ok_or_else(|| "must be a whole number".to_owned())
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;

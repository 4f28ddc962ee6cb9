//! Words with placeholders: `{{DATE}}`, `{% if topic %}…{% endif %}`.
//!
//! THREAT[template-01]: any person writes templates, and the server renders them where the turns of all people run. Of the
//! language only placeholders, a few filters that make nothing longer, and `if` are let in: the tokens of a template are looked at one
//! by one before it is parsed, so there are no loops, no assignments, no joining or repeating of texts, no calls and no
//! attributes, and neither its parser nor its machine can be made to recurse. Fuel and a limit on what comes out stand
//! behind that.

use chrono::DateTime;
use chrono_tz::Tz;
use domain::Timestamp;
use minijinja::{
    Environment, Error, ErrorKind, UndefinedBehavior, Value,
    machinery::{Token, tokenize},
    syntax::SyntaxConfig,
    value::{Object, ObjectRepr},
};
use std::{collections::BTreeMap, fmt, io, sync::Arc};

/// Below what the parser counts columns with.
pub(crate) const CONTENT_BYTES: usize = 60_000;
const LINES: usize = 5_000;
const TAGS: usize = 300;
const BRANCHES: usize = 50;
const TOKENS_IN_A_TAG: usize = 40;
const OUTPUT_BYTES: usize = 256 << 10;
const VALUE_BYTES: usize = 32 << 10;
const FUEL: u64 = 20_000;
const PARAMETERS: usize = 20;

/// What the house knows by itself; everything else is a parameter.
pub(crate) const HOUSE: [&str; 7] =
    ["date", "time", "datetime", "user_id", "session_id", "user_name", "session_name"];
/// They make no text longer than it is, but for letters that have no single capital.
const FILTERS: [&str; 5] = ["upper", "lower", "trim", "length", "default"];

/// Where a template is wrong, and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct TemplateError {
    pub line: usize,
    pub problem: String,
}

/// What placeholders stand for. Names are the same in upper and lower case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values(BTreeMap<String, String>);

impl Values {
    /// The time, where the person is.
    pub fn at(at: Timestamp, time_zone: &str) -> Self {
        Self::default().set_at(at, time_zone)
    }

    #[must_use]
    pub fn set_at(self, at: Timestamp, time_zone: &str) -> Self {
        let now = crate::time::local(at, time_zone);
        self.with("date", &now.format("%Y-%m-%d").to_string())
            .with("time", &now.format("%H:%M").to_string())
            .with("datetime", &iso(&now))
    }

    /// A value that is longer than any use of it is cut.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let end = value.floor_char_boundary(VALUE_BYTES);
        self.0.insert(name.to_lowercase(), value.get(..end).unwrap_or_default().to_owned());
        self
    }
}

fn iso(now: &DateTime<Tz>) -> String {
    now.format("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// Words with placeholders that can be filled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    source: Arc<str>,
    /// In lower case, in the order of the alphabet.
    parameters: Vec<String>,
}

impl Template {
    /// # Errors
    /// With the line at which it cannot be a template.
    pub fn check(source: &str) -> Result<Self, TemplateError> {
        if source.len() > CONTENT_BYTES || source.lines().count() > LINES {
            let problem = format!("it must have at most {CONTENT_BYTES} bytes and {LINES} lines");
            return Err(TemplateError { line: 1, problem });
        }
        let names = Guard::default().look_through(source)?;
        environment().template_from_str(source).map_err(|error| told(&error))?;
        let given = |name: &String| !HOUSE.contains(&name.as_str());
        let mut parameters: Vec<String> = names.into_iter().filter(given).collect();
        parameters.sort();
        parameters.dedup();
        parameters.truncate(PARAMETERS);
        Ok(Self { source: source.into(), parameters })
    }

    pub fn parameters(&self) -> &[String] {
        &self.parameters
    }

    /// A placeholder that nothing is known of stays as it is written.
    ///
    /// # Errors
    /// When there is more of it than a model could be told.
    pub fn render(&self, values: &Values) -> Result<String, TemplateError> {
        let environment = environment();
        let template = environment.template_from_str(&self.source).map_err(|error| told(&error))?;
        let root = Root { values: values.clone(), source: self.source.clone() };
        let mut output = Bounded::default();
        let rendered = template.render_captured_to(Value::from_object(root), &mut output);
        rendered.map_err(|error| told(&error))?;
        String::from_utf8(output.0)
            .map_err(|_| TemplateError { line: 1, problem: "the result is not text".to_owned() })
    }
}

fn environment<'source>() -> Environment<'source> {
    let mut environment = Environment::empty();
    environment.set_fuel(Some(FUEL));
    environment.set_undefined_behavior(UndefinedBehavior::Chainable);
    environment.add_filter("upper", |value: Value| value.to_string().to_uppercase());
    environment.add_filter("lower", |value: Value| value.to_string().to_lowercase());
    environment.add_filter("trim", |value: Value| value.to_string().trim().to_owned());
    environment.add_filter("length", |value: Value| value.to_string().chars().count());
    environment.add_filter("default", |value: Value, other: Value| {
        let unknown = value.is_undefined() || value.downcast_object_ref::<Unknown>().is_some();
        if unknown { other } else { value }
    });
    environment
}

fn told(error: &Error) -> TemplateError {
    let problem = match (error.kind(), error.detail()) {
        (ErrorKind::WriteFailure, _) => format!("the result would be longer than {OUTPUT_BYTES} bytes"),
        (ErrorKind::OutOfFuel, _) => "this takes too many steps".to_owned(),
        (_, Some(detail)) => crate::arguments::shorten(detail, 200),
        (kind, None) => kind.to_string(),
    };
    TemplateError { line: error.line().unwrap_or(1), problem }
}

/// Looks at the tokens of a template before anything else does.
#[derive(Default)]
struct Guard {
    tags: usize,
    branches: usize,
    /// Tokens of the tag that is open.
    tokens: usize,
    /// The first word of a block is what it does.
    expects_verb: bool,
    /// The word before was the sign for a filter.
    after_pipe: bool,
    names: Vec<String>,
}

impl Guard {
    /// The names of all placeholders, in lower case.
    fn look_through(mut self, source: &str) -> Result<Vec<String>, TemplateError> {
        for token in tokenize(source, false, SyntaxConfig::default()) {
            let (token, span) = token.map_err(|error| told(&error))?;
            let line = usize::from(span.start_line);
            self.look_at(&token).map_err(|problem| TemplateError { line, problem })?;
        }
        Ok(self.names)
    }

    fn look_at(&mut self, token: &Token<'_>) -> Result<(), String> {
        let after_pipe = std::mem::replace(&mut self.after_pipe, matches!(token, Token::Pipe));
        let expects_verb = std::mem::replace(&mut self.expects_verb, matches!(token, Token::BlockStart));
        self.tokens += 1;
        if self.tokens > TOKENS_IN_A_TAG {
            return Err(format!("there can be at most {TOKENS_IN_A_TAG} words and signs between two braces"));
        }
        match token {
            Token::TemplateData(_) | Token::VariableEnd | Token::BlockEnd => {
                self.tokens = 0;
                Ok(())
            }
            Token::VariableStart | Token::BlockStart => self.open_tag(),
            Token::Ident(word) if expects_verb => self.verb(word),
            Token::Ident(word) if after_pipe => match FILTERS.contains(word) {
                true => Ok(()),
                false => Err(format!(
                    "there is no filter `{}`; known filters are {}",
                    short(word),
                    FILTERS.join(", ")
                )),
            },
            Token::Ident(word) => {
                self.name(word);
                Ok(())
            }
            Token::Str(_)
            | Token::String(_)
            | Token::Int(_)
            | Token::Pipe
            | Token::ParenOpen
            | Token::ParenClose
            | Token::Eq
            | Token::Ne
            | Token::Lt
            | Token::Lte
            | Token::Gt
            | Token::Gte => Ok(()),
            other => Err(format!(
                "{other} cannot be used in a template; use {{{{name}}}}, {{% if %}} and comparisons"
            )),
        }
    }

    fn open_tag(&mut self) -> Result<(), String> {
        self.tokens = 0;
        self.tags += 1;
        if self.tags > TAGS {
            Err(format!("there can be at most {TAGS} placeholders and blocks"))
        } else {
            Ok(())
        }
    }

    fn verb(&mut self, word: &str) -> Result<(), String> {
        if matches!(word, "if" | "elif") {
            self.branches += 1;
        }
        if self.branches > BRANCHES {
            return Err(format!("`if` and `elif` can be used at most {BRANCHES} times"));
        }
        match word {
            "if" | "elif" | "else" | "endif" => Ok(()),
            other => {
                Err(format!("there is no block `{}`; known blocks are if, elif, else, endif", short(other)))
            }
        }
    }

    fn name(&mut self, word: &str) {
        let reserved = ["and", "or", "not", "in", "is", "if", "else", "true", "false", "none"];
        let name = word.to_lowercase();
        if !reserved.contains(&name.as_str()) {
            self.names.push(name);
        }
    }
}

fn short(word: &str) -> String {
    crate::arguments::shorten(word, 40)
}

/// Knows every name: those without a value stand for themselves.
#[derive(Debug)]
struct Root {
    values: Values,
    source: Arc<str>,
}

impl Object for Root {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        let name = key.as_str()?;
        Some(match self.values.0.get(&name.to_lowercase()) {
            Some(value) => Value::from(value.as_str()),
            None => Value::from_object(Unknown(written(&self.source, name))),
        })
    }
}

/// A placeholder of which nothing is known, as it is written.
#[derive(Debug)]
struct Unknown(String);

impl Object for Unknown {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn is_true(self: &Arc<Self>) -> bool {
        false
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The first place where the name stands alone between braces.
fn written(source: &str, name: &str) -> String {
    let found = source.match_indices(name).find_map(|(at, _)| {
        let before = source.get(..at)?.trim_end();
        let after = source.get(at + name.len()..)?.trim_start();
        let start = before.len().checked_sub(2).filter(|_| before.ends_with("{{"))?;
        let end = source.len() - after.len() + 2;
        after.starts_with("}}").then(|| source.get(start..end)).flatten()
    });
    found.map_or_else(|| format!("{{{{{name}}}}}"), str::to_owned)
}

#[derive(Default)]
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > OUTPUT_BYTES {
            return Err(io::Error::other("too much"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "template_tests.rs"]
mod tests;

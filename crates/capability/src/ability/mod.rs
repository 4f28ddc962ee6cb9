//! What people write for their agents, from its text to a capability: [`file`] reads and writes the Markdown form,
//! [`template`] fills placeholders, [`check`] says what is wrong, [`WrittenAbility`] is the capability that becomes of it.

mod file;
mod front_matter;
mod template;
mod written;

pub use file::{AbilityFile, read, write};
pub use front_matter::FrontMatterError;
pub use template::{Template, TemplateError, Values};
pub use written::{Process, WrittenAbility};

use crate::condition::{ConditionProblem, Expression};
use domain::{AbilityKind, AbilityText};

/// A name is a capability's id and, for a process, a tool's name.
const NAME_CHARS: usize = 60;
pub(crate) const DESCRIPTION_CHARS: usize = 1_000;
pub(crate) const CATEGORY_CHARS: usize = 50;
const TAGS: usize = 20;
const TAG_CHARS: usize = 50;

/// What is wrong with an ability. Each says where, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AbilityError {
    #[error("name must begin with a letter a to z, followed by up to 59 characters a to z, 0 to 9 and _")]
    Name,
    #[error("name must not begin with _, because such names are reserved for built-in abilities")]
    Reserved,
    #[error("content is empty")]
    Empty,
    #[error("content, line {}: {}", .0.line, .0.problem)]
    Template(TemplateError),
    #[error("condition, character {}: {}", .0.position, .0.problem)]
    Condition(ConditionProblem),
    #[error("condition is missing; a conditional ability needs one, for instance words(\"invoice\")")]
    NoCondition,
    #[error("condition cannot be used in a process; set the type to \"conditional\"")]
    NeedlessCondition,
    #[error("startup can only be used in a process")]
    Startup,
    #[error("{field} must have at most {most} characters")]
    TooLong { field: &'static str, most: usize },
    #[error("tags must be at most {TAGS}, each with 1 to {TAG_CHARS} characters and no comma")]
    Tags,
    #[error("{field} must be one line, without control characters")]
    Control { field: &'static str },
}

/// May a person save it like this?
///
/// # Errors
/// The first thing that is wrong.
pub fn check(text: &AbilityText) -> Result<(), AbilityError> {
    check_name(&text.name)?;
    check_words(text)?;
    if text.content.trim().is_empty() {
        return Err(AbilityError::Empty);
    }
    Template::check(&text.content).map_err(AbilityError::Template)?;
    match (text.kind, text.condition.as_deref()) {
        (AbilityKind::Process, None) => Ok(()),
        (AbilityKind::Process, Some(_)) => Err(AbilityError::NeedlessCondition),
        (AbilityKind::Conditional, _) if text.startup => Err(AbilityError::Startup),
        (AbilityKind::Conditional, None) => Err(AbilityError::NoCondition),
        (AbilityKind::Conditional, Some(condition)) => {
            Expression::parse(condition).map(|_| ()).map_err(AbilityError::Condition)
        }
    }
}

/// # Errors
/// When it cannot be an id, or belongs to the house.
pub fn check_name(name: &str) -> Result<(), AbilityError> {
    if name.starts_with('_') {
        return Err(AbilityError::Reserved);
    }
    let rest = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let good = name.bytes().next().is_some_and(|first| first.is_ascii_lowercase()) && name.bytes().all(rest);
    if good && name.len() <= NAME_CHARS { Ok(()) } else { Err(AbilityError::Name) }
}

fn check_words(text: &AbilityText) -> Result<(), AbilityError> {
    let category = text.category.as_deref().unwrap_or_default();
    let lines = [
        ("description", text.description.as_str(), DESCRIPTION_CHARS),
        ("category", category, CATEGORY_CHARS),
    ];
    for (field, words, most) in lines {
        if words.chars().count() > most {
            return Err(AbilityError::TooLong { field, most });
        }
        if words.chars().any(|character| domain::is_misleading(character) && character != '\n') {
            return Err(AbilityError::Control { field });
        }
    }
    let good = |tag: &String| domain::is_name(tag, TAG_CHARS) && !tag.contains(',');
    if text.tags.len() > TAGS || !text.tags.iter().all(good) {
        return Err(AbilityError::Tags);
    }
    Ok(())
}

#[cfg(test)]
#[path = "ability_tests.rs"]
mod tests;

//! The elements, one file each. A new one is its file and its line in the list below.

use crate::{Attributes, Target};
use serde_json::{Map, Value};

/// Declares the modules and, in the same order, the registry.
macro_rules! elements {
    ($($name:ident,)*) => {
        $(mod $name;)*
        static ELEMENTS: &[&ElementSpec] = &[$(&$name::SPEC,)*];
    };
}

elements! {
    websearch,
    bash,
    ask,
    thinking,
    todo,
    item,
    progress,
    link,
    copy,
    chart,
    result,
    hml_prompt,
    response,
    data,
    option,
}

pub use progress::percent;

/// Every element there is, in the order in which agents are taught them.
pub fn elements() -> &'static [&'static ElementSpec] {
    ELEMENTS
}

/// An element by its name.
pub fn element(name: &str) -> Option<&'static ElementSpec> {
    ELEMENTS.iter().copied().find(|spec| spec.name == name)
}

#[derive(Debug)]
pub struct ElementSpec {
    /// In lower case; letters, `-` and `_`.
    pub name: &'static str,
    /// Older names of the same thing.
    pub aliases: &'static [&'static str],
    /// One line for the agent: what it is for.
    pub about: &'static str,
    pub example: &'static str,
    pub attributes: &'static [AttributeSpec],
    pub content: Content,
    /// What its completion asks for. Only executable elements have one.
    pub call: Option<fn(&Attributes, &str) -> ElementCall>,
    /// A part of another element: known only inside of it, and told only as part of it.
    pub part_of: Option<&'static str>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct AttributeSpec {
    pub name: &'static str,
    pub about: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text and other elements.
    Mixed,
    /// Everything up to its own closing tag, whatever it looks like.
    Raw,
}

/// The call that a complete element asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementCall {
    pub target: Target,
    pub arguments: Map<String, Value>,
}

impl ElementSpec {
    /// What most elements share; a spec names what differs.
    const DEFAULT: Self = Self {
        name: "",
        aliases: &[],
        about: "",
        example: "",
        attributes: &[],
        content: Content::Mixed,
        call: None,
        part_of: None,
    };

    pub fn is_executable(&self) -> bool {
        self.call.is_some()
    }

    /// Its name and its older ones.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }
}

const fn attribute(name: &'static str, about: &'static str) -> AttributeSpec {
    AttributeSpec { name, about }
}

/// The attributes as arguments, numbers as numbers where `numbers` says so, and the content under its own name.
fn arguments(attributes: &Attributes, numbers: &[&str], content: (&str, &str)) -> Map<String, Value> {
    let mut arguments = attributes.to_map();
    for name in numbers {
        if let Some(number) = attributes.get(name).and_then(|text| text.parse::<i64>().ok()) {
            arguments.insert((*name).to_owned(), Value::from(number));
        }
    }
    arguments.insert(content.0.to_owned(), Value::from(content.1));
    arguments
}

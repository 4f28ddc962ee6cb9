//! Which tag a name is, decided letter by letter, so that a `<` is held no longer than it can begin one.

use crate::element::{self, ElementSpec};
use std::sync::LazyLock;

/// What a tag of a known name is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tag {
    Element(&'static ElementSpec),
    Interaction,
    /// `<tool_use>` and its like.
    Pattern,
    Parallel,
}

/// A set of names, one bit each.
pub(crate) type Set = u64;

/// The letters, `_`, `-`, and everything else, which is in no name.
const CLASSES: usize = 29;
const LONGEST: usize = 24;

#[derive(Debug)]
pub(crate) struct Names {
    tags: Vec<(&'static str, Tag)>,
    /// By position and class of letter: the names that have it there.
    with: [[Set; CLASSES]; LONGEST],
    /// By length.
    ending: [Set; LONGEST + 1],
    /// Elements that are no part of another.
    pub(crate) elements: Set,
    /// What is known besides where calls may be made.
    pub(crate) calls: Set,
}

static NAMES: LazyLock<Names> = LazyLock::new(Names::build);

impl Names {
    pub(crate) fn known() -> &'static Self {
        &NAMES
    }

    fn build() -> Self {
        let calls = [
            ("interaction", Tag::Interaction),
            ("tool_use", Tag::Pattern),
            ("function_call", Tag::Pattern),
            ("parallel_tool_calls", Tag::Parallel),
        ];
        let of_elements =
            element::elements().iter().flat_map(|spec| spec.names().map(|name| (name, Tag::Element(spec))));
        let tags: Vec<(&'static str, Tag)> = of_elements.chain(calls).collect();
        let mut names = Self {
            with: [[0; CLASSES]; LONGEST],
            ending: [0; LONGEST + 1],
            elements: 0,
            calls: 0,
            tags: Vec::new(),
        };
        for (index, (name, tag)) in tags.iter().enumerate() {
            let bit = 1 << index;
            for (position, byte) in name.bytes().enumerate() {
                names.with[position][class(byte)] |= bit;
            }
            names.ending[name.len()] |= bit;
            match tag {
                Tag::Element(spec) if spec.part_of.is_none() => names.elements |= bit,
                Tag::Element(_) => {}
                _ => names.calls |= bit,
            }
        }
        names.tags = tags;
        names
    }

    /// Those of `set` whose letter at `position` is `byte`, whatever its case.
    pub(crate) fn narrow(&self, set: Set, position: usize, byte: u8) -> Set {
        self.with.get(position).map_or(0, |classes| set & classes[class(byte)])
    }

    /// The one of `set` that is `length` letters long.
    pub(crate) fn whole(&self, set: Set, length: usize) -> Option<(&'static str, Tag)> {
        let set = set & self.ending.get(length).copied().unwrap_or(0);
        if set == 0 {
            return None;
        }
        self.tags.get(set.trailing_zeros() as usize).copied()
    }

    pub(crate) fn tag(&self, name: &str) -> Option<Tag> {
        self.tags.iter().find(|(own, _)| *own == name).map(|(_, tag)| *tag)
    }

    /// All names of these tags.
    pub(crate) fn of(&self, wanted: impl Fn(&Tag) -> bool) -> Set {
        let tags = self.tags.iter().enumerate();
        tags.filter(|(_, (_, tag))| wanted(tag)).fold(0, |set, (index, _)| set | 1 << index)
    }
}

const fn class(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => (byte - b'a') as usize,
        b'A'..=b'Z' => (byte - b'A') as usize,
        b'_' => 26,
        b'-' => 27,
        _ => 28,
    }
}

#[cfg(test)]
#[path = "name_tests.rs"]
mod tests;

//! The attacks, by the rows of the list they come from.

pub mod answers;
mod approvals;
mod colleagues;
mod excess;
mod exhaustion;
mod kept_words;
mod labels;
mod links;
mod malformed;
mod paths;
mod planned;
mod remembered;
mod rendered;
mod rights;
mod scope;
mod secrets;
mod shell;
mod tracks;
mod undone;
mod unknown_tools;
mod ways_in;
mod web;

use crate::stage::{Outcome, Stage};
use std::pin::Pin;

/// Where it is shown that an attack works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Where the agent or its person allows it.
    Permitted,
    /// Where there is no program in between.
    Unhindered,
    /// In a house whose owner has opened the machine itself to tools.
    AtHome,
    /// In a program from which this guard was taken.
    Without(&'static str),
}

/// The word for a house that is open to itself.
pub const HOME: &str = "home";

impl Control {
    pub fn guard(self) -> Option<&'static str> {
        match self {
            Self::Without(guard) => Some(guard),
            Self::AtHome => Some(HOME),
            Self::Permitted | Self::Unhindered => None,
        }
    }
}

pub type Run = for<'a> fn(&'a Stage<'a>) -> Pin<Box<dyn Future<Output = Outcome> + 'a>>;

pub struct Attack {
    pub row: u8,
    pub name: &'static str,
    pub control: Control,
    pub run: Run,
}

/// One line per attack: its row, what it wants, where it works, and how it goes.
macro_rules! attacks {
    ($($row:literal $name:literal $control:expr => $run:path;)*) => {
        pub fn attacks() -> Vec<$crate::row::Attack> {
            vec![$($crate::row::Attack {
                row: $row,
                name: $name,
                control: $control,
                run: |stage| Box::pin($run(stage)),
            },)*]
        }
    };
}
use attacks;

pub fn all() -> Vec<Attack> {
    let mut all = [
        unknown_tools::attacks(),
        scope::attacks(),
        paths::attacks(),
        planned::attacks(),
        remembered::attacks(),
        rendered::attacks(),
        approvals::attacks(),
        rights::attacks(),
        colleagues::attacks(),
        secrets::attacks(),
        excess::attacks(),
        labels::attacks(),
        malformed::attacks(),
        tracks::attacks(),
        shell::attacks(),
        exhaustion::attacks(),
        web::attacks(),
        ways_in::attacks(),
        answers::attacks(),
        kept_words::attacks(),
        links::attacks(),
        undone::attacks(),
    ]
    .into_iter()
    .flatten()
    .collect::<Vec<_>>();
    all.sort_by_key(|attack| attack.row);
    all
}

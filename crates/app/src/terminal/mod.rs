//! What may appear on a terminal, and how it looks.

mod escape;
mod look;
mod markdown;
mod phrase;
mod size;
mod table;

pub use self::{
    escape::{neutral, one_line, tail},
    look::Look,
    markdown::{Markdown, words_alone},
    phrase::{moment, moment_in_zone, sentence, shown_moment},
    size::columns,
    table::table,
};

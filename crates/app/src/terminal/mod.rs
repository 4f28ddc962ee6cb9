//! What may appear on a terminal, and how it looks.

mod escape;
mod look;
mod phrase;
mod table;

pub use self::{
    escape::{neutral, one_line},
    look::Look,
    phrase::{moment, sentence},
    table::table,
};

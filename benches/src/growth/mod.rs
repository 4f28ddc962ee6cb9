//! A house that has grown: what people do in it, against the same in a small house.

mod asked;
mod large;
mod measure;

pub use measure::measure;

//! The syntax, as agents write it.

mod attributes;
mod calls;
mod corpus;
mod cuts;
mod dead;
mod elements;
mod hold;
mod others;
mod questions;
mod told;

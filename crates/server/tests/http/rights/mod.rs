//! Who may do what.

mod access;
mod bridges;
mod control;
mod own_words;
mod telling;
mod widening;

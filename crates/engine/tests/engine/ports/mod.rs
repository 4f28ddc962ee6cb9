//! What tools reach.

mod programs;
mod web;

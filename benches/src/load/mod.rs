//! Load for a program in a process of its own: a model with a timetable, readers that keep time, and what the program cost.
//!
//! The model follows an absolute timetable and writes into each piece when it was due; readers measure from that time. A program that
//! is late is late for every piece that follows, as for a person who waits, instead of slowing the timetable down.

pub mod client;
pub mod clock;
pub mod fill;
pub mod frames;
pub mod house;
pub mod mock;
pub mod offered;
pub mod pinned;
pub mod process;
pub mod slow_reader;
pub mod turns;

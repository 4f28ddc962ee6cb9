//! Talking to the process that works on the data directory: a server that runs, or this very process.
//!
//! Every command but `serve` goes through [`open`]: it uses the control socket if a server answers there, and otherwise
//! takes the lock, starts the engine, serves the socket itself and talks to itself. There is one way of doing things.

mod client;
mod house;
mod listen;
mod socket;
mod sse;
mod stream;

pub use self::{
    client::{Client, Request},
    house::{House, is_answering, open, wait_for_return},
    listen::listen,
    stream::EventStream,
};

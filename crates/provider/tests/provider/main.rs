//! The provider crate against a scripted server on a real socket.

mod catalog;
mod connection;
mod failures;
mod streaming;
#[cfg(test)]
mod support;

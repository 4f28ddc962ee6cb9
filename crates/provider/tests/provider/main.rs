//! The provider crate against a scripted server on a real socket. What holds for every wire is tried on each.
#![cfg(test)]

mod catalog;
mod connection;
mod events;
mod failures;
mod messages;
mod streaming;
mod support;

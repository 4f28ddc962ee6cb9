//! The way out, tried with real sockets. Names and addresses are made up; whatever is connected to is counted.

#![cfg(test)]

mod answers;
mod forbidden;
mod lists;
mod proxy;
mod redirects;
mod secure;
mod spellings;
mod world;

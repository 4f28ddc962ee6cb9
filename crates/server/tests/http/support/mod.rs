//! What the tests stand on.

mod browser;
pub mod described;
mod house;
mod shape;
mod socket;
mod wire;

pub use browser::{Browser, PASSWORD};
pub use house::{House, Options};
pub use shape::shape;
pub use socket::{Handshake, Socket, refusal};
pub use wire::{Answer, Call, Events};

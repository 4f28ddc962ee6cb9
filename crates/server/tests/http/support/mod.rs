//! What the tests stand on.

mod house;
mod shape;
mod wire;

pub use house::{House, Options};
pub use shape::shape;
pub use wire::Call;

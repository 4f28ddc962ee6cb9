//! The cage as Linux can build it.

mod arguments;
mod cage;
mod control;
mod detect;
mod inside;
mod leave;
mod memory;
mod orphans;
mod run;
mod seccomp;
mod tree;
mod watch;

pub use cage::{Cage, Running};
pub use inside::{INSIDE, inside};

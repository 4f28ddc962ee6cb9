//! Programs in a cage, and programs that want out of it. Without bubblewrap nothing here can be tried; the tests say so and
//! fail, because a wall that was not tried is none.

#![cfg(test)]
#![cfg(target_os = "linux")]

mod files;
mod leftovers;
mod network;
mod node;
mod packages;
mod runs;
mod world;

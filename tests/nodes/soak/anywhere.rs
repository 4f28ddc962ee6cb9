//! Where the nodes are.

use rand::{RngExt, rngs::StdRng};
use std::sync::{Arc, Mutex};

/// The address at which each node was started last. One that is dead or stands still is in it, too: a client does not know.
#[derive(Clone, Default)]
pub struct Addresses(Arc<Mutex<Vec<String>>>);

impl Addresses {
    pub fn set(&self, node: usize, base: &str) {
        let mut known = self.0.lock().unwrap();
        let count = known.len().max(node + 1);
        known.resize(count, String::new());
        base.clone_into(&mut known[node]);
    }

    pub fn any(&self, random: &mut StdRng) -> String {
        let known = self.0.lock().unwrap();
        known[random.random_range(0..known.len())].clone()
    }
}

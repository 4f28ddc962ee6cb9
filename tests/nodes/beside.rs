//! Several nodes of a world whose checker looks at everything afterwards.

use crate::{several::LEASE, world::World};
use std::fs;
use testkit::program::Program;

/// So many nodes on the database of a world, each with a data directory of its own. By its key the model tells which one asks.
pub fn programs(world: &World, count: usize, settings: &str) -> Vec<Program> {
    let program = |node: usize| {
        let data = world.data.path().join(name(node));
        fs::create_dir(&data).unwrap();
        fs::copy(world.program.data().join("master.key"), data.join("master.key")).unwrap();
        fs::write(data.join("majordomo.toml"), settings).unwrap();
        let program = world.program.at(data).env("MAJORDOMO_PROVIDER_TEST_API_KEY", name(node));
        program.env("MAJORDOMO_LIMITS_LEASE", LEASE)
    };
    (0..count).map(program).collect()
}

/// Of a node, in its data directory and at the model.
pub fn name(node: usize) -> String {
    format!("node-{node}")
}

//! An upgrade without a pause: the nodes of an earlier version are replaced one after the other while people talk to all of them.

use crate::{
    drain::check,
    house::House,
    load::{Load, reply},
};

const PEOPLE: usize = 3;

const PROGRAM: &str = env!("CARGO_BIN_EXE_majordomo-under-test");

/// `make soak-upgrade` names the program of an earlier version. `make test` has none: there each node is replaced by the same program, so that it
/// tries the change of nodes under load, and nothing about two versions.
#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_upgrade_loses_no_message() {
    let what = "the rolling upgrade: from this version to itself, not from an earlier one";
    testkit::shorter_without("PREVIOUS_PROGRAM", what, "make soak-upgrade");
    let old = std::env::var("PREVIOUS_PROGRAM").unwrap_or_else(|_| PROGRAM.to_owned());
    let Some(house) = House::of(3, &old).await else { return };
    house.model.respond(reply);
    let (mut nodes, mut bases) = (Vec::new(), Vec::new());
    for place in 0..3 {
        let node = house.serve(place).await;
        bases.push(node.running.base.clone());
        nodes.push(Some(node));
    }
    let before = house.cluster.ask(&house.database, "SELECT MAX(version) FROM schema_version").unwrap();
    let load = Load::new(&house.key, bases);
    let talkers = load.begin(PEOPLE).await;
    for (place, held) in nodes.iter_mut().enumerate() {
        // Old and new work side by side for a while.
        let answered = "SELECT COUNT(*) FROM turns WHERE status = 'ended'";
        let so_far: u64 = house.cluster.ask(&house.database, answered).unwrap().parse().unwrap();
        while house.cluster.ask(&house.database, answered).unwrap().parse::<u64>().unwrap() < so_far + 20 {
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        let node = held.take().unwrap();
        assert_eq!(node.running.terminate().await.unwrap(), Some(0));
        let new = house.programs[place].clone().binary(PROGRAM);
        let node = house.serve_as(&new).await;
        load.moved(place, &node.running.base);
        *held = Some(node);
    }
    let said = load.end(talkers).await;
    let after = house.cluster.ask(&house.database, "SELECT MAX(version) FROM schema_version").unwrap();
    println!("{} messages while schema {before} became {after}", said.len());
    check(&house, &said);
}

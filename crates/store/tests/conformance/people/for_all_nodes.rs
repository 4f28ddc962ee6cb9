//! What all nodes of a database count together.

use crate::world::{World, at, uuid};
use domain::{NodeId, UserId};
use store::{
    Tx, attempts,
    nodes::{self, Beat},
    setup_links,
    slots::{self, SlotAnswer, SlotWish},
};

const LEASE: i64 = 15_000;

async fn attempt(world: &World, name: &str, now: i64) -> Option<i64> {
    let (vault, name) = (world.store.vault().clone(), name.to_owned());
    let take = move |tx: &mut Tx| attempts::take(tx, &vault, ("account", &name), 10, at(now));
    world.store.write(take).await.unwrap()
}

pub async fn so_many_attempts_at_once_and_then_as_many_in_a_minute(world: World) {
    for _ in 0..10 {
        assert_eq!(attempt(&world, "ada", 0).await, None);
    }
    assert_eq!(attempt(&world, "ada", 0).await, Some(6_000));
    assert_eq!(attempt(&world, "ada", 2_000).await, Some(4_000), "what is refused is not counted");
    assert_eq!(attempt(&world, "grace", 2_000).await, None, "each is counted apart");
    assert_eq!(attempt(&world, "ada", 6_000).await, None);
    assert!(attempt(&world, "ada", 6_000).await.is_some());
    // After a minute all of them are there again, and no more than that.
    for _ in 0..10 {
        assert_eq!(attempt(&world, "ada", 600_000).await, None);
    }
    assert!(attempt(&world, "ada", 600_000).await.is_some());
    let prune = |now: i64| world.store.write(move |tx: &mut Tx| attempts::prune(tx, at(now)));
    assert_eq!(prune(600_000).await.unwrap(), 1, "the other one");
    assert_eq!(prune(700_000).await.unwrap(), 1);
}

/// Twenty at the same moment, as they come from several nodes.
pub async fn attempts_at_the_same_moment_are_all_counted(world: World) {
    let tries = (0..20).map(|_| attempt(&world, "ada", 0));
    let allowed = futures_util::future::join_all(tries).await.iter().filter(|wait| wait.is_none()).count();
    assert_eq!(allowed, 10);
}

async fn node(world: &World) -> NodeId {
    let node = NodeId::from_uuid(uuid());
    let beat = Beat {
        node,
        boot: "boot".to_owned(),
        lease_ms: LEASE,
        clock: at(1_000),
        grace_ms: 3_000,
        draining: false,
        backs_up: true,
    };
    world.store.urgent(move |tx: &mut Tx| nodes::register(tx, &beat, "machine", "1.2.3")).await.unwrap();
    node
}

fn wish(who: &str, fewest: u64, best: u64) -> SlotWish {
    SlotWish { who: who.to_owned(), kind: "stream", fewest, best, most: 10 }
}

async fn take(world: &World, node: NodeId, wishes: Vec<SlotWish>) -> Vec<SlotAnswer> {
    let person: UserId = world.user;
    let take = move |tx: &mut Tx| slots::take(tx, node, person, &wishes, at(1_000));
    world.store.write(take).await.unwrap()
}

async fn put(world: &World, node: NodeId, slots: u64) {
    world.store.write(move |tx: &mut Tx| slots::put(tx, node, "ada", "stream", slots)).await.unwrap();
}

pub async fn nodes_share_the_slots_of_a_person(world: World) {
    let (one, two) = (node(&world).await, node(&world).await);
    assert_eq!(take(&world, one, vec![wish("ada", 1, 4)]).await, [SlotAnswer::Has(4)]);
    assert_eq!(take(&world, two, vec![wish("ada", 1, 9)]).await, [SlotAnswer::Has(6)], "what is left");
    assert_eq!(take(&world, one, vec![wish("ada", 5, 5)]).await, [SlotAnswer::Full]);
    // All of what is asked for together, or nothing.
    let both = vec![wish("by key", 3, 3), wish("ada", 5, 5)];
    assert_eq!(take(&world, one, both).await, [SlotAnswer::Has(3), SlotAnswer::Full]);
    assert_eq!(take(&world, two, vec![wish("by key", 1, 10)]).await, [SlotAnswer::Has(10)]);
    // What is given back is there for others.
    put(&world, two, 2).await;
    assert_eq!(take(&world, one, vec![wish("ada", 5, 10)]).await, [SlotAnswer::Has(8)]);
    put(&world, one, 0).await;
    assert_eq!(take(&world, two, vec![wish("ada", 3, 10)]).await, [SlotAnswer::Has(10)]);
}

pub async fn of_nodes_that_take_at_the_same_moment_each_counts_the_others(world: World) {
    let mut nodes = Vec::new();
    for _ in 0..20 {
        nodes.push(node(&world).await);
    }
    let takes = nodes.iter().map(|node| take(&world, *node, vec![wish("ada", 1, 1)]));
    let answers = futures_util::future::join_all(takes).await.concat();
    assert_eq!(answers.iter().filter(|answer| **answer == SlotAnswer::Has(1)).count(), 10, "{answers:?}");
}

pub async fn the_slots_of_a_dead_node_are_free(world: World) {
    let (one, two) = (node(&world).await, node(&world).await);
    assert_eq!(take(&world, one, vec![wish("ada", 10, 10)]).await, [SlotAnswer::Has(10)]);
    assert_eq!(take(&world, two, vec![wish("ada", 1, 1)]).await, [SlotAnswer::Full]);
    world.tamper("UPDATE nodes SET lease_until = 0 WHERE id = $1", store::args![one]).await;
    assert_eq!(take(&world, two, vec![wish("ada", 1, 1)]).await, [SlotAnswer::Has(1)]);
    // It has started again, and has given out none.
    world.store.write(move |tx: &mut Tx| slots::leave(tx, one)).await.unwrap();
    world.tamper("DELETE FROM nodes WHERE id = $1", store::args![two]).await;
    let gone = world.store.write(slots::prune).await.unwrap();
    assert_eq!(gone, 2, "the slot of the other, and the lock");
}

pub async fn any_node_opens_the_link_of_another(world: World) {
    let put = |node: &'static str, secret: u8, until: i64| {
        world.store.write(move |tx: &mut Tx| setup_links::put(tx, node, [secret; 32], at(until)))
    };
    let opens = |secret: u8, now: i64| {
        let look = move |tx: &mut Tx| setup_links::opens(tx, [secret; 32], at(now));
        let store = world.store.clone();
        async move { store.read(look).await.unwrap() }
    };
    put("one", 1, 1_000).await.unwrap();
    put("two", 2, 1_000).await.unwrap();
    assert!(opens(1, 999).await && opens(2, 999).await);
    assert!(!opens(1, 1_000).await && !opens(3, 0).await);
    put("one", 3, 1_000).await.unwrap();
    assert!(!opens(1, 0).await && opens(2, 0).await && opens(3, 0).await, "the newest of each");
    world.store.write(setup_links::end_all).await.unwrap();
    assert!(!opens(2, 0).await && !opens(3, 0).await);
}

use crate::world::{World, at, turn_id, uuid};
use domain::{NodeId, Source, TurnId, TurnStatus};
use store::{
    Tx,
    nodes::{self, AS_LONG_AS_ITS_NODE, Beat, Beaten},
    turns::{self, NewTurn, Orphan},
};

const LEASE: i64 = 15_000;
/// Before and after every moment that either clock of a test says.
const EARLY: i64 = -1_000_000_000_000;
const LATE: i64 = 4_000_000_000_000;

fn node() -> NodeId {
    NodeId::from_uuid(uuid())
}

/// Its clock is the database's on SQLite only.
fn beat_of(node: NodeId, boot: &str, clock: i64) -> Beat {
    let (boot, clock) = (boot.to_owned(), at(clock));
    Beat { node, boot, lease_ms: LEASE, clock, grace_ms: 3_000, draining: false, backs_up: true }
}

async fn register(world: &World, beat: &Beat) {
    let beat = beat.clone();
    world.store.urgent(move |tx: &mut Tx| nodes::register(tx, &beat, "machine", "1.2.3")).await.unwrap();
}

async fn beat(world: &World, beat: Beat) -> Option<Beaten> {
    world.store.urgent(move |tx: &mut Tx| nodes::beat(tx, &beat)).await.unwrap()
}

async fn turn_of(world: &World, owner: NodeId) -> TurnId {
    let new = NewTurn {
        id: turn_id(),
        session_id: world.session,
        user_id: world.user,
        position: 1,
        source: Source::Web,
        status: TurnStatus::Running,
        owner: Some(owner),
        epoch: 1,
        lease_until: Some(AS_LONG_AS_ITS_NODE),
        state: None,
        at: at(0),
    };
    let (key, id) = (world.key.clone(), new.id);
    world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &new)).await.unwrap();
    id
}

async fn queued_turn(world: &World, position: u64) -> TurnId {
    let new = NewTurn {
        id: turn_id(),
        session_id: world.session,
        user_id: world.user,
        position,
        source: Source::Web,
        status: TurnStatus::Queued,
        owner: None,
        epoch: 0,
        lease_until: None,
        state: None,
        at: at(0),
    };
    let (key, id) = (world.key.clone(), new.id);
    world.store.write(move |tx: &mut Tx| turns::insert(tx, &key, &new)).await.unwrap();
    id
}

async fn orphans(world: &World, owner: NodeId, dead_before: i64) -> usize {
    let look = move |tx: &mut Tx| turns::orphans(tx, owner, at(1), at(dead_before));
    world.store.read(look).await.unwrap().len()
}

/// What a node learns that has nothing, and sees nothing.
const ALONE: Beaten =
    Beaten { others: 0, helping: 0, orphaning: 0, unowned: false, owning: false, waiting: false, due: false };
/// The same beside another node that takes work.
const BESIDE_ANOTHER: Beaten = Beaten { others: 1, helping: 1, ..ALONE };

pub async fn a_node_beats_and_is_seen(world: World) {
    let (one, two) = (node(), node());
    let (first, second) = (beat_of(one, "boot", 1_000), beat_of(two, "boot", 1_000));
    let second = Beat { backs_up: false, ..second };
    register(&world, &first).await;
    assert_eq!(beat(&world, first.clone()).await, Some(ALONE));
    register(&world, &second).await;
    assert_eq!(beat(&world, first.clone()).await, Some(BESIDE_ANOTHER));
    let known = world.store.read(|tx: &mut Tx| nodes::list(tx, at(1_000))).await.unwrap();
    assert_eq!(known.iter().map(|known| known.id).collect::<Vec<_>>(), [one, two]);
    assert_eq!(known.iter().map(|known| known.backs_up).collect::<Vec<_>>(), [true, false]);
    assert_eq!((known[0].name.as_str(), known[0].version.as_str()), ("machine", "1.2.3"));
    assert!((LEASE - 60_000..=LEASE).contains(&known[0].lease_left_ms), "{known:?}");
    world.store.urgent(move |tx: &mut Tx| nodes::leave(tx, two, "boot")).await.unwrap();
    assert_eq!(beat(&world, first).await, Some(ALONE));
    assert_eq!(beat(&world, second).await, None);
}

/// Work is left to those that take it. What all nodes share is divided by those that are there.
pub async fn a_node_that_drains_is_no_help_and_counts_until_it_has_left(world: World) {
    let (one, two) = (node(), node());
    let (first, second) = (beat_of(one, "boot", 1_000), beat_of(two, "boot", 1_000));
    register(&world, &first).await;
    register(&world, &second).await;
    assert_eq!(beat(&world, first.clone()).await, Some(BESIDE_ANOTHER));
    let drains = Beat { draining: true, ..second.clone() };
    assert_eq!(beat(&world, drains).await, Some(BESIDE_ANOTHER));
    assert_eq!(beat(&world, first.clone()).await, Some(Beaten { helping: 0, ..BESIDE_ANOTHER }));
    let known = world.store.read(|tx: &mut Tx| nodes::list(tx, at(1_000))).await.unwrap();
    let states: Vec<_> = known.iter().map(|known| known.state.as_str()).collect();
    assert_eq!(states, ["serving", "draining"]);
    // It is started again.
    register(&world, &second).await;
    assert_eq!(beat(&world, first.clone()).await, Some(BESIDE_ANOTHER));
    world.store.urgent(move |tx: &mut Tx| nodes::leave(tx, two, "boot")).await.unwrap();
    assert_eq!(beat(&world, first).await, Some(ALONE));
}

/// What no node has in hand is seen with the next beat, although no other node says a word of it.
pub async fn a_beat_sees_what_waits_for_a_node(world: World) {
    let own = beat_of(node(), "boot", 1_000);
    register(&world, &own).await;
    assert_eq!(beat(&world, own.clone()).await, Some(ALONE));
    let turn = queued_turn(&world, 1).await;
    assert_eq!(beat(&world, own.clone()).await, Some(Beaten { waiting: true, ..ALONE }));
    // Behind another turn it is that one's worker who starts it.
    world.tamper("UPDATE sessions SET active_turn = $1", store::args![turn]).await;
    assert_eq!(beat(&world, own.clone()).await, Some(ALONE));
    // An answer that no agent has been given yet.
    super::errands::plant(&world, "Soup.").await;
    assert_eq!(beat(&world, own).await, Some(Beaten { due: true, ..ALONE }));
}

/// The next worker goes on where the last one stopped, and the last one writes nothing more.
pub async fn a_turn_is_handed_over_once(world: World) {
    let (one, two) = (node(), node());
    register(&world, &beat_of(one, "boot", 1_000)).await;
    let turn = turn_of(&world, one).await;
    let hand_over = async |epoch: u64| {
        world.store.write(move |tx: &mut Tx| turns::hand_over(tx, turn, epoch)).await.unwrap()
    };
    assert!(!hand_over(7).await, "another worker's");
    let (own, other) = (beat_of(one, "boot", 1_000), beat_of(two, "boot", 1_000));
    register(&world, &other).await;
    assert_eq!(beat(&world, own.clone()).await, Some(Beaten { owning: true, ..BESIDE_ANOTHER }));
    assert_eq!(beat(&world, other.clone()).await, Some(BESIDE_ANOTHER), "it has nothing");
    assert!(hand_over(1).await);
    // The node that beats next learns of it, without a word of the node that gave it up.
    assert_eq!(beat(&world, own).await, Some(Beaten { unowned: true, ..BESIDE_ANOTHER }));
    assert_eq!(beat(&world, other).await, Some(Beaten { unowned: true, ..BESIDE_ANOTHER }));
    assert_eq!(orphans(&world, two, EARLY).await, 1);
    let (key, lease) = (world.key.clone(), (AS_LONG_AS_ITS_NODE, at(EARLY)));
    let claim = move |tx: &mut Tx| turns::claim(tx, &key, turn, 1, two, lease, at(2));
    let claimed = world.store.write(claim).await.unwrap().unwrap();
    assert_eq!((claimed.epoch, claimed.attempt, claimed.stalls), (2, 2, 1));
    assert!(!hand_over(1).await, "it is fenced");
}

/// Its person's key is damaged. It ends under the conditions under which it could be taken over, and once.
pub async fn a_turn_of_which_nothing_opens_ends_once(world: World) {
    let (one, two) = (node(), node());
    register(&world, &beat_of(one, "boot", 1_000)).await;
    let (session_id, user_id) = (world.session, world.user);
    let orphan = Orphan { turn_id: turn_of(&world, one).await, session_id, user_id, epoch: 1 };
    let end = async |dead_before: i64| {
        let end = move |tx: &mut Tx| turns::end_unopened(tx, orphan, two, at(dead_before), at(2));
        world.store.write(end).await.unwrap()
    };
    assert!(!end(EARLY).await, "its node is alive");
    assert!(end(LATE).await);
    assert!(!end(LATE).await, "it has ended");
    let queued = queued_turn(&world, 2).await;
    let end = async || {
        let end = move |tx: &mut Tx| turns::end_unopened_queued(tx, queued, at(3));
        world.store.write(end).await.unwrap()
    };
    assert!(end().await);
    assert!(!end().await, "it waits no longer");
}

/// A data directory that was copied: the process that came later has the place, and the other one learns of it.
pub async fn a_second_boot_supersedes_the_first(world: World) {
    let id = node();
    register(&world, &beat_of(id, "first", 1_000)).await;
    register(&world, &beat_of(id, "second", 1_000)).await;
    assert_eq!(beat(&world, beat_of(id, "first", 1_000)).await, None);
    assert!(beat(&world, beat_of(id, "second", 1_000)).await.is_some());
    // The first one goes, and takes nothing of the second along.
    world.store.urgent(move |tx: &mut Tx| nodes::leave(tx, id, "first")).await.unwrap();
    assert!(beat(&world, beat_of(id, "second", 1_000)).await.is_some());
}

/// Its lease decides, by the clock of the database, and nothing that another node believes of the time.
pub async fn a_node_that_lives_loses_nothing(world: World) {
    let (one, two) = (node(), node());
    register(&world, &beat_of(one, "boot", 1_000)).await;
    let turn = turn_of(&world, one).await;
    assert_eq!(orphans(&world, two, EARLY).await, 0);
    assert_eq!(orphans(&world, two, LATE).await, 1, "the control");
    assert_eq!(orphans(&world, one, EARLY).await, 1, "its own from before");
    let key = world.key.clone();
    let claim = async |dead_before: i64| {
        let (key, lease) = (key.clone(), (AS_LONG_AS_ITS_NODE, at(dead_before)));
        let claim = move |tx: &mut Tx| turns::claim(tx, &key, turn, 1, two, lease, at(2));
        world.store.write(claim).await.unwrap().is_some()
    };
    // It was looked at when it seemed dead, and is alive by now.
    assert!(!claim(EARLY).await);
    assert!(claim(LATE).await);
}

pub async fn a_node_that_owns_a_turn_is_not_forgotten(world: World) {
    let (one, two, three) = (node(), node(), node());
    register(&world, &beat_of(one, "boot", 1_000)).await;
    register(&world, &beat_of(two, "boot", 1_000)).await;
    turn_of(&world, one).await;
    world.tamper("UPDATE nodes SET lease_until = 1", store::args![]).await;
    // A day and more after that.
    let later = beat_of(three, "boot", 100_000_000);
    register(&world, &later).await;
    let known = world.store.read(|tx: &mut Tx| nodes::list(tx, at(100_000_000))).await.unwrap();
    assert_eq!(known.iter().map(|known| known.id).collect::<Vec<_>>(), [one, three]);
    assert_eq!(beat(&world, later).await, Some(Beaten { orphaning: 1, ..ALONE }));
    // One that there is no row of at all is as dead.
    world.tamper("DELETE FROM nodes WHERE lease_until = 1", store::args![]).await;
    assert_eq!(orphans(&world, three, EARLY).await, 1);
}

/// Programs look before they upgrade the schema: a column that is new is not there yet.
pub async fn a_look_at_an_earlier_schema_sees_who_is_alive(world: World) {
    register(&world, &beat_of(node(), "boot", 1_000)).await;
    for change in ["ALTER TABLE nodes DROP COLUMN backs_up", "ALTER TABLE nodes DROP COLUMN state"] {
        world.store.write(move |tx: &mut Tx| tx.run(change, store::args![])).await.unwrap();
    }
    let found = store::inspect(&world.url).await.unwrap();
    let expected = (world.store.kind() == "postgres").then(|| "machine".to_owned());
    assert_eq!(found.in_use_by, expected, "on SQLite there is one program at a time");
}

//! Nodes that have nothing to do ask the database little, however much is stored in it.

use crate::{beside, world, world::World};
use std::time::Duration;
use testkit::{
    client::Client,
    postgres::{COUNTING, Cluster},
};

const SESSIONS: usize = 1_000;
/// Of these sessions each is read at a node.
const READ: usize = 100;
/// Long enough for every task that comes back to come back.
const WINDOW: Duration = Duration::from_secs(10);

async fn in_a_while(cluster: &Cluster, url: &str) -> u64 {
    // What the requests before have begun is over.
    tokio::time::sleep(Duration::from_secs(3)).await;
    cluster.statements(url).unwrap();
    tokio::time::sleep(WINDOW).await;
    cluster.statements(url).unwrap()
}

async fn furnish(client: Client, agent: String, count: usize) -> Vec<String> {
    let mut sessions = Vec::new();
    for _ in 0..count {
        sessions.push(world::new_session(&client, &agent).await);
    }
    sessions
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_sessions_cost_no_statement_each() {
    let Some(cluster) = Cluster::start_set(COUNTING).unwrap() else { return };
    let url = cluster.database().unwrap();
    let world = World::with_store(&url).await;
    let mut running = Vec::new();
    for program in beside::programs(&world, 2, "") {
        running.push(program.serve().await.unwrap());
    }
    let clients: Vec<Client> = running.iter().map(|node| node.client(&world.key)).collect();
    let agent = world::worker(&clients[0]).await;
    let few = in_a_while(&cluster, &url).await;
    let parts =
        (0..10).map(|part| tokio::spawn(furnish(clients[part % 2].clone(), agent.clone(), SESSIONS / 10)));
    let mut sessions = Vec::new();
    for part in parts.collect::<Vec<_>>() {
        sessions.extend(part.await.unwrap());
    }
    let many = in_a_while(&cluster, &url).await;
    let mut streams = Vec::new();
    for (place, session) in sessions.iter().take(READ).enumerate() {
        let stream = clients[place % 2].follow(session, None).await.unwrap();
        assert_eq!(stream.status, 200);
        streams.push(stream);
    }
    let read = in_a_while(&cluster, &url).await;
    println!(
        "statements of two nodes in {WINDOW:?}: {few}, {many} with {SESSIONS} sessions, {read} with {READ} readers"
    );
    assert!(few > 0, "nothing is counted");
    // By how much two such windows differ is a matter of when each task comes back; one for each session would be a thousand.
    assert!(many < few + 100, "{few} and {many}");
    assert!(read < few + 100, "{few} and {read}");
}

//! Limits of a person are one limit, however many nodes they are tried at: three nodes are hammered at once.

mod seats;

use crate::several::{Nodes, new_session};
use futures_util::{StreamExt as _, future::join_all, stream};
use serde_json::{Value, json};
use std::time::Instant;
use testkit::{
    client::{Client, SseStream},
    model::Reply,
    program::Running,
};

const PASSWORD: &str = "correct horse";
/// Of one person, and half of it of one key.
const STREAMS: usize = 20;

/// Three nodes that know of each other.
async fn three() -> Option<(Nodes, Vec<Running>)> {
    let mut nodes = Nodes::new(3).await?;
    for program in &mut nodes.programs {
        let most = STREAMS.to_string();
        *program = program.clone().env("MAJORDOMO_CONNECTIONS_STREAMS_PER_PERSON", most);
    }
    let running = nodes.serve_all().await;
    nodes.beat_for(3, 2).await;
    Some((nodes, running))
}

fn clients(nodes: &Nodes, running: &[Running]) -> Vec<Client> {
    running.iter().map(|node| node.client(&nodes.key)).collect()
}

/// Ten at once, and then one every six seconds.
#[tokio::test(flavor = "multi_thread")]
async fn attempts_to_sign_in_are_counted_at_all_nodes_together() {
    let Some((nodes, running)) = three().await else { return };
    let (begun, body) = (Instant::now(), json!({ "name": "Grace", "password": "guessed" }));
    let guess = |client: Client| {
        let body = body.clone();
        async move {
            let mut tried = 0_u64;
            for _ in 0..12 {
                let answer = client.post("/v1/login", &body).await.unwrap();
                match answer.status {
                    401 => tried += 1,
                    429 => assert!(answer.retry_after.is_some()),
                    other => panic!("{other}: {}", answer.body),
                }
            }
            tried
        }
    };
    let tried: u64 = join_all(clients(&nodes, &running).into_iter().map(guess)).await.iter().sum();
    let more = begun.elapsed().as_secs() / 6;
    assert!((10..=10 + more).contains(&tried), "{tried} passwords were tried, {more} of them in good time");
}

/// Strangers fill what may be tried from an address, at two of the nodes. A person at the same address who is in already is not
/// concerned; what they try themselves is counted at all nodes together.
#[tokio::test(flavor = "multi_thread")]
async fn guesses_of_others_keep_nobody_who_is_in_from_confirming() {
    let Some((nodes, running)) = three().await else { return };
    let owner = Client::signed_in(&running[0].base, "ada", PASSWORD).await.unwrap().unwrap();
    let strangers = clients(&nodes, &running);
    for number in 0.. {
        let body = json!({ "name": format!("name {number}"), "password": "guessed" });
        if strangers[number % 2].post("/v1/login", &body).await.unwrap().status == 429 {
            break;
        }
        assert!(number < 500, "an address may try for ever");
    }
    let confirm = |node: &Running, password: &str| {
        let (client, body) = (owner.at(&node.base), json!({ "password": password }));
        async move { client.post("/v1/me/confirm", &body).await.unwrap().status }
    };
    let (begun, mut tried) = (Instant::now(), 0_u64);
    assert_eq!(confirm(&running[2], PASSWORD).await, 204);
    for node in &running {
        while confirm(node, "guessed").await == 403 {
            tried += 1;
        }
    }
    let more = begun.elapsed().as_secs() / 6;
    assert!(tried < 10 + more, "{tried} passwords were tried, {more} of them in good time");
}

/// Opens so many at each node at once; those that were opened, by node.
async fn open(clients: &[Client], session: &str, each: usize) -> Vec<Vec<SseStream>> {
    let of_node = |client: &Client| {
        let client = client.clone();
        let open = move |_| {
            let (client, session) = (client.clone(), session.to_owned());
            async move { client.follow(&session, Some("0")).await.unwrap() }
        };
        join_all((0..each).map(open))
    };
    let opened = join_all(clients.iter().map(of_node)).await;
    let good = |stream: &SseStream| {
        assert!(matches!(stream.status, 200 | 429), "{}", stream.status);
        stream.status == 200
    };
    opened.into_iter().map(|streams| streams.into_iter().filter(good).collect()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_counted_at_all_nodes_together() {
    let Some((nodes, mut running)) = three().await else { return };
    let clients = clients(&nodes, &running);
    let session = new_session(&clients[0]).await;
    let opened = open(&clients, &session, 8).await;
    assert_eq!(opened.iter().map(Vec::len).sum::<usize>(), STREAMS / 2, "of one key");
    // What ends at one node is there for the others.
    drop(opened);
    let held = "SELECT COALESCE(SUM(held), 0) FROM seats WHERE kind = 'stream'";
    nodes.until(held, "0").await;
    let opened = open(&clients[2..], &session, STREAMS / 2 + 1).await;
    assert_eq!(opened[0].len(), STREAMS / 2);
    assert!(open(&clients[..2], &session, 1).await.iter().all(Vec::is_empty), "there are no more");
    // What a node had that died is there for the others, too.
    running.pop().unwrap().kill().await.unwrap();
    let alive =
        "SELECT COUNT(*) FROM nodes WHERE lease_until >= EXTRACT(EPOCH FROM clock_timestamp()) * 1000";
    nodes.until(alive, "2").await;
    let opened = open(&clients[..2], &session, 8).await;
    assert_eq!(opened.iter().map(Vec::len).sum::<usize>(), STREAMS / 2);
}

/// Asks at every node at once; how often it was done.
async fn done(clients: &[Client], path: &str, body: &Value, each: usize, refusal: &str) -> usize {
    let ask = |number: usize| {
        let (client, path, body) = (clients[number % clients.len()].clone(), path.to_owned(), body.clone());
        async move { client.post(&path, &body).await.unwrap() }
    };
    let answers = join_all((0..each * clients.len()).map(ask)).await;
    let is_done = |answer: &testkit::client::Answer| {
        let is_done = answer.status == 201;
        assert!(is_done || answer.body["code"] == refusal, "{} {}", answer.status, answer.body);
        is_done
    };
    answers.iter().filter(|answer| is_done(answer)).count()
}

/// What a person may have so many of, of which a few are left.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_of_a_quota_is_given_out_once() {
    let Some((nodes, running)) = three().await else { return };
    let owner = Client::signed_in(&running[0].base, "ada", PASSWORD).await.unwrap().unwrap();
    let owners: Vec<Client> = running.iter().map(|node| owner.at(&node.base)).collect();
    let session = new_session(&owners[0]).await;
    let user = nodes.ask("SELECT id FROM users");
    let fill = [
        format!(
            "INSERT INTO api_keys (id, user_id, secret_hash, scope, expires_at, created_at, name) \
             SELECT 'key ' || n, '{user}', decode(md5(n::text) || md5(n::text), 'hex'), 'read', NULL, 0, 'x' \
             FROM generate_series(1, 196) n"
        ),
        format!(
            "INSERT INTO rules (id, user_id, subject, tool, action, scope, created_at) \
             SELECT 'rule_' || md5(n::text), '{user}', '{user}', 'x', 'deny', 'always', 0 FROM generate_series(1, 997) n"
        ),
        format!(
            "INSERT INTO account_links (id, made_by, role, secret_hash, created_at, expires_at) \
             SELECT 'link ' || n, '{user}', 'guest', decode(md5(n::text) || md5(n::text), 'hex'), 0, 9000000000000 \
             FROM generate_series(1, 197) n"
        ),
        format!(
            "INSERT INTO session_links (id, session_id, user_id, secret_index, up_to_seq, created_at, secret) \
             SELECT 'link ' || n, '{session}', '{user}', decode(md5(n::text) || md5(n::text), 'hex'), 0, 0, 'x' \
             FROM generate_series(1, 17) n"
        ),
    ];
    fill.iter().for_each(|sql| drop(nodes.ask(sql)));
    let rule = json!({ "subject": user, "tool": "bash", "action": "deny", "scope": "always" });
    let links = format!("/v1/sessions/{session}/links");
    let cases = [
        ("/v1/api-keys", json!({ "name": "one more" }), "too_many_keys"),
        ("/v1/rules", rule, "too_many_rules"),
        ("/v1/account-links", json!({ "role": "guest" }), "too_many_links"),
        (links.as_str(), json!({}), "too_many_links"),
    ];
    for (path, body, refusal) in cases {
        assert_eq!(done(&owners, path, &body, 8, refusal).await, 3, "{path}");
    }
}

/// There is room for one more file. Each piece takes a moment to be stored, so that those that come at once meet.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_for_files_is_given_out_once() {
    const QUOTA: usize = 1 << 20;
    const FILE: usize = 200 << 10;
    /// What each file counts for besides its bytes; of those that come at once, too.
    const BESIDES: usize = 9 * 4_096;
    let Some(mut nodes) = Nodes::new(3).await else { return };
    for program in &mut nodes.programs {
        *program = program.clone().env("MAJORDOMO_LIMITS_UPLOAD_QUOTA_MB", "1");
        // Half of it for one key: all of them may be under way.
        *program = program.clone().env("MAJORDOMO_CONNECTIONS_UPLOADS_PER_PERSON", "16");
    }
    let running = nodes.serve_all().await;
    nodes.beat_for(3, 2).await;
    let clients = clients(&nodes, &running);
    let user = nodes.ask("SELECT id FROM users");
    let there = QUOTA - FILE - BESIDES;
    let fill = format!(
        "INSERT INTO uploads (id, user_id, size, pieces, complete, created_at, body) \
         VALUES ('up_there', '{user}', {there}, 0, 1, 9000000000000, ''); \
         CREATE FUNCTION takes_its_time() RETURNS trigger LANGUAGE plpgsql AS \
         'BEGIN PERFORM pg_sleep(0.5); RETURN NULL; END'; \
         CREATE CONSTRAINT TRIGGER takes_its_time AFTER INSERT ON upload_pieces DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW EXECUTE FUNCTION takes_its_time()"
    );
    drop(nodes.ask(&fill));
    let put = |number: usize| {
        let client = clients[number % clients.len()].clone();
        let name = format!("{number}.txt");
        async move { client.upload(&name, "text/plain", "word ".repeat(FILE / 5).as_bytes()).await.unwrap() }
    };
    let answers = join_all((0..8).map(put)).await;
    let taken = answers.iter().filter(|answer| answer.status == 201).count();
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        assert_eq!((answer.status, answer.text("/code").as_str()), (409, "upload_quota"), "{}", answer.body);
    }
    assert_eq!(taken, 1);
}

/// What a person may spend a day is spent to the last cent and no further: whether they have set it, or the server.
#[tokio::test(flavor = "multi_thread")]
async fn a_budget_is_reached_exactly_at_all_nodes_together() {
    const REQUESTS: u64 = 10;
    /// What each costs: a hundred tokens, which is all that it may write.
    const COST: u64 = 1_000;
    for is_of_house in [false, true] {
        let Some(mut nodes) = Nodes::new(3).await else { return };
        if is_of_house {
            for program in &mut nodes.programs {
                let most = (REQUESTS * COST).to_string();
                *program = program.clone().env("MAJORDOMO_LIMITS_BUDGET_PER_DAY_MICROUSD", most);
            }
        }
        let running = nodes.serve_all().await;
        nodes.beat_for(3, 2).await;
        let clients = clients(&nodes, &running);
        nodes.model.respond(|_| Reply::text("Spent.").usage(50, 100, 0));
        if !is_of_house {
            let budget = json!({ "budget": { "per_day_microusd": REQUESTS * COST } });
            clients[0].patch("/v1/me", &budget).await.unwrap().expect(200);
        }
        let price = json!({ "input": 0, "output": 10_000_000 });
        let fields = json!({ "base_url": nodes.model.url(), "api_key": "sk-test", "models": ["small"], "price": price });
        clients[0].put("/v1/providers/priced", &fields).await.unwrap().expect(200);
        let agent = json!({ "name": "priced", "model": "priced/small", "capabilities": [], "parameters": { "max_tokens": 100 } });
        let agent = clients[0].post("/v1/agents", &agent).await.unwrap().expect(201);
        let ask = |number: usize| {
            let (client, agent) = (clients[number % clients.len()].clone(), agent["id"].clone());
            async move {
                let session =
                    client.post("/v1/sessions", &json!({ "agent_id": agent })).await.unwrap().expect(201);
                let path = format!("/v1/sessions/{}/messages", session["id"].as_str().unwrap());
                client.post(&path, &json!({ "content": "Hello" })).await.unwrap().expect(200)["reply"].clone()
            }
        };
        let replies = join_all((0..3 * usize::try_from(REQUESTS).unwrap()).map(ask)).await;
        let spent = "SELECT SUM(cost_microusd), COUNT(*) FROM model_calls WHERE cost_microusd > 0";
        assert_eq!(
            nodes.ask(spent),
            format!("{}|{REQUESTS}", REQUESTS * COST),
            "of the house: {is_of_house}"
        );
        assert_eq!(nodes.model.request_count() as u64, REQUESTS);
        assert_eq!(replies.iter().filter(|reply| *reply == "Spent.").count() as u64, REQUESTS);
    }
}

/// The same message again and again, wherever it gets to.
#[tokio::test(flavor = "multi_thread")]
async fn one_key_at_three_nodes_is_one_turn_with_one_answer() {
    const TIMES: usize = 300;
    let Some((nodes, running)) = three().await else { return };
    let clients = clients(&nodes, &running);
    nodes.model.respond(|_| Reply::text("Once and for all."));
    let session = new_session(&clients[0]).await;
    let path = format!("/v1/sessions/{session}/messages");
    // A server that has too much to store says so before it has saved anything: the client sends the same again, as it is told.
    let send = |number: usize| {
        let (client, path) = (clients[number % clients.len()].clone(), path.clone());
        async move {
            loop {
                let answer =
                    client.post_once(&path, "the same", &json!({ "content": "Hello" })).await.unwrap();
                if answer.status != 503 {
                    return answer.expect(200);
                }
                assert_eq!(
                    (answer.body["code"].as_str(), answer.retry_after.is_some()),
                    (Some("overloaded"), true)
                );
            }
        }
    };
    let bodies: Vec<Value> = stream::iter(0..TIMES).map(send).buffer_unordered(99).collect().await;
    assert_eq!(bodies.len(), TIMES);
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{} {}", bodies[0], bodies[TIMES - 1]);
    assert_eq!(bodies[0]["reply"], "Once and for all.");
    assert_eq!(nodes.model.request_count(), 1);
    assert_eq!(nodes.ask("SELECT COUNT(*) FROM turns"), "1");
}

//! The authorization matrix: every route, for every kind of caller, with their own ids and with other people's,
//! in paths, bodies, queries, streams and WebSockets. What must come of it is computed from the lines in [`spec`]; a
//! route of a new noun must also be told to [`victim`].

mod actor;
mod live;
mod spec;
mod victim;

use crate::support::{Answer, House, Options};
use actor::{Actor, Verdict, actors};
use domain::UserRole;
use engine::UserChange;
use server::HttpSettings;
use spec::{Rule, rules};
use testkit::model::Reply;
use victim::{SECRET, Victim};

/// What the guard says to those whom it does not let pass.
const GUARDS: [&str; 7] = [
    "unauthorized",
    "scope_insufficient",
    "role_insufficient",
    "confirmation_required",
    "origin_required",
    "foreign_origin",
    "unknown_route",
];

#[derive(Default)]
struct Tally {
    calls: usize,
    foreign: usize,
    surprises: Vec<String>,
}

impl Tally {
    fn surprise(&mut self, what: String) {
        self.surprises.push(what);
    }
}

#[tokio::test]
async fn the_matrix_has_no_surprises_on_sqlite() {
    run(&House::new().await, true).await;
}

/// With a further name others can reach the house, so that nothing is open to those who are at the machine.
#[tokio::test]
async fn the_matrix_has_no_surprises_on_postgres() {
    let http = HttpSettings { hosts: vec!["home.example".to_owned()], ..HttpSettings::default() };
    if let Some(house) = House::on_postgres(Options { http, ..Options::default() }).await {
        run(&house, false).await;
    }
}

async fn run(house: &House, private: bool) {
    house.model.respond(|request| match request.last_user().as_str() {
        victim::ASK_ME => Reply::text("<ask>Which?</ask>"),
        victim::CALL_ME => Reply::calls([("add", serde_json::json!({ "a": 2, "b": 3 }))]),
        victim::PROMPT_ME => Reply::text("<hml-prompt id=\"p\">Which?</hml-prompt>"),
        _ => Reply::text("Yes."),
    });
    let (actors, victim) = (actors(house).await, Victim::new(house).await);
    let mut tally = Tally::default();
    for rule in rules() {
        for actor in &actors {
            admission(house, &rule, actor, private, &mut tally).await;
        }
        if rule.says("own") {
            foreign_paths(house, &rule, &actors, &victim, &mut tally).await;
        }
    }
    foreign_bodies(house, &actors, &victim, &mut tally).await;
    live::foreign_frames(house, &actors, &victim, &mut tally).await;
    live::overhearing(house, &actors, &victim, &mut tally).await;
    println!(
        "authorization matrix on {}: {} routes × {} callers = {} requests, {} about other people's things, {} surprises",
        house.engine.store().kind(),
        rules().len(),
        actors.len(),
        tally.calls,
        tally.foreign,
        tally.surprises.len()
    );
    assert!(tally.surprises.is_empty(), "\n{}", tally.surprises.join("\n"));
    assert_eq!(tally.calls, rules().len() * actors.len());
}

fn told(answer: &Answer) -> (u16, String) {
    (answer.status, answer.json()["code"].as_str().unwrap_or_default().to_owned())
}

/// Is who calls let in exactly where the rule says so?
async fn admission(house: &House, rule: &Rule, actor: &Actor, private: bool, tally: &mut Tally) {
    let path = victim::unknown(rule.path);
    let answer = actor.call(house, rule.method, &path, &victim::body(rule)).send().await;
    let (status, code) = told(&answer);
    tally.calls += 1;
    let expected = actor.verdict(rule, private);
    let right = match expected {
        Verdict::Refused(expected, word) => (status, code.as_str()) == (expected, word),
        Verdict::Admitted => !GUARDS.contains(&code.as_str()) && status < 500,
    };
    if !right {
        let Rule { method, path, .. } = rule;
        tally.surprise(format!("{method} {path} as {}: {status} {code}, not {expected:?}", actor.name));
    }
    if String::from_utf8_lossy(&answer.bytes).contains(SECRET) {
        tally.surprise(format!("{} {} tells {} the secret", rule.method, rule.path, actor.name));
    }
    if rule.path == "/v1/logout" && status == 204 {
        actor.sign_in_again(house).await;
    }
}

/// Does somebody else's object look like one that does not exist?
async fn foreign_paths(house: &House, rule: &Rule, actors: &[Actor], victim: &Victim, tally: &mut Tally) {
    let Rule { method, path, .. } = rule;
    let object = victim.object(house, path).await;
    // A prompt or a message that waits is named by more than one id.
    let real = match path.split_once("{id}") {
        Some((start, _)) if object.contains('/') => format!("{start}{object}"),
        _ => victim::unknown(&path.replacen("{id}", &object, 1)),
    };
    let body = victim::body(rule);
    let admitted = actors.iter().filter(|actor| actor.verdict(rule, false) == Verdict::Admitted);
    for actor in admitted {
        let foreign = actor.call(house, method, &real, &body).send().await;
        let unknown = actor.call(house, method, &victim::unknown(path), &body).send().await;
        tally.foreign += 1;
        if foreign.bytes != unknown.bytes || foreign.status != 404 {
            let (foreign, unknown) = (told(&foreign), told(&unknown));
            tally.surprise(format!(
                "{method} {path} as {}: {foreign:?} for somebody else's, {unknown:?} for none",
                actor.name
            ));
        }
    }
    // The control: to the one whose it is, it exists, and still does after everybody has tried.
    let own = victim.browser.call(method, &real).json(&body).send().await;
    if own.status == 404 || own.status >= 500 {
        tally.surprise(format!("{method} {path} for the one whose it is: {:?}", told(&own)));
    }
}

/// The same for ids inside bodies and queries.
async fn foreign_bodies(house: &House, actors: &[Actor], victim: &Victim, tally: &mut Tally) {
    for actor in actors.iter().filter(|actor| actor.can_talk()) {
        let own = actor.own_session(house, &victim.shared_agent).await;
        for pair in victim.pairs(&own) {
            let mut answers = Vec::new();
            for (path, body) in pair.paths.iter().zip(&pair.bodies) {
                answers.push(actor.call(house, pair.method, path, body).send().await);
            }
            tally.foreign += 1;
            let empty = answers[0].status == 200 && answers[0].json()["items"] == serde_json::json!([]);
            let refused = matches!(answers[0].status, 400 | 404);
            if answers[0].bytes != answers[1].bytes || !(empty || refused) {
                let answers: Vec<_> = answers.iter().map(told).collect();
                tally.surprise(format!("{} {} as {}: {answers:?}", pair.method, pair.paths[0], actor.name));
            }
        }
    }
}

/// The control of the whole: a rule that says something else than the router is a surprise, and so is a thing that
/// others can see.
#[tokio::test]
async fn a_wrong_rule_is_found() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Yes."));
    let (actors, victim) = (actors(&house).await, Victim::new(&house).await);
    let rule = |path: &str| rules().into_iter().find(|rule| rule.path == path).unwrap();
    let refused = |rule: &Rule| {
        let refused = actors.iter().filter(|actor| actor.verdict(rule, true) != Verdict::Admitted);
        refused.count()
    };
    let mut tally = Tally::default();
    let laxer = Rule { least: "anybody", ..rule("/v1/users") };
    for actor in &actors {
        admission(&house, &laxer, actor, true, &mut tally).await;
    }
    assert_eq!(tally.surprises.len(), refused(&rule("/v1/users")) - refused(&laxer));

    let mut tally = Tally::default();
    let agent = format!("/v1/agents/{}", victim.agent);
    let shared = serde_json::json!({ "shared_with": ["*"] });
    victim.browser.call("PATCH", &agent).json(&shared).send().await.expect(200);
    // Only what an admin shares with everybody needs no acceptance.
    let role = UserChange { role: Some(UserRole::Admin), ..UserChange::default() };
    house.engine.people().change_user(&house.operator().await, victim.browser.id, role).await.unwrap();
    foreign_bodies(&house, &actors, &victim, &mut tally).await;
    let talkers = actors.iter().filter(|actor| actor.can_talk()).count();
    assert_eq!(tally.surprises.len(), 2 * talkers, "each opens a session with it, and lists it");
}

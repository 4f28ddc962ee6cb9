//! Bridges: whose words a key may deliver, and what their peers may be told.

use crate::support::{Answer, Call, House, Options};
use domain::UserRole;
use serde_json::{Value, json};
use testkit::model::Reply;

/// A refusal as such clients want it.
#[track_caller]
fn refused(answer: &Answer, status: u16, code: &str) {
    let body = answer.json();
    assert_eq!((answer.status, body["code"].as_str()), (status, Some(code)), "{body}");
    assert!(body["error"].is_string(), "{body}");
}

/// Something that the owner says at their own door.
fn at_home(house: &House, body: &Value) -> Call {
    house.call("POST", "/chat").json(body)
}

/// THREAT[chat-01] Whoever holds the key of one bridge speaks for its peers, and for nobody else's.
#[tokio::test]
async fn a_key_of_one_bridge_speaks_for_no_other() {
    let house = House::new().await;
    house.model.respond(|_| Reply::text("Hello"));
    let owner = house.owner().await;
    let (signal, telegram) = (house.bridge(owner, "signal").await, house.bridge(owner, "telegram").await);
    let say = |key: &str, source: &str| {
        let body = json!({ "message": "Hi", "source": source, "sender": "+1" });
        house.call("POST", "/chat").key(key).json(&body).send()
    };
    let own = say(&signal, "signal").await.expect(200);
    refused(&say(&telegram, "signal").await, 403, "source_not_yours");
    refused(&say(&signal, "telegram").await, 403, "source_not_yours");
    refused(&say(&signal, "Signal").await, 403, "source_not_yours");
    assert_ne!(say(&telegram, "telegram").await.expect(200)["session_id"], own["session_id"]);
    // Not to stop them, either.
    let stop = json!({ "message": "/stop", "source": "signal", "sender": "+1" });
    refused(&house.call("POST", "/chat").key(&telegram).json(&stop).send().await, 403, "source_not_yours");
    assert_eq!(house.model.requests().len(), 2, "nothing of that reached the agent");
    // Another key of the same bridge is as good: keys are renewed.
    let second = house.bridge(owner, "signal").await;
    assert_eq!(say(&second, "signal").await.expect(200)["session_id"], own["session_id"]);
    // Another person's bridge of the same name has peers of its own.
    let (bob, _) = house.person("Bob", UserRole::Member).await;
    let other = house.bridge(bob, "signal").await;
    assert_ne!(say(&other, "signal").await.expect(200)["session_id"], own["session_id"]);
}

#[tokio::test]
async fn no_bridge_is_called_like_a_person_or_the_program_itself() {
    let house = House::new().await;
    let make = |body: Value| house.call("POST", "/v1/api-keys").json(&body).send();
    let reserved = ["agent", "cron", "schedule", "web", "cli", "owner", "system", "Agent", "a-gent"];
    for source in reserved {
        make(json!({ "scope": "bridge", "source": source })).await.refused(400, "source_reserved");
    }
    for source in ["\u{430}gent", "sig\u{200b}nal", " x", ""] {
        assert_eq!(make(json!({ "scope": "bridge", "source": source })).await.status, 400, "{source:?}");
    }
    make(json!({ "scope": "bridge" })).await.refused(400, "source_missing");
    make(json!({ "scope": "chat", "source": "signal" })).await.refused(400, "bad_source");
    let made = make(json!({ "scope": "bridge", "source": "signal", "name": "phone" })).await.expect(201);
    assert_eq!(made["source"], "signal");
    let keys = house.call("GET", "/v1/api-keys").send().await.expect(200);
    let listed: Vec<&Value> =
        keys["items"].as_array().unwrap().iter().filter(|key| key["name"] == "phone").collect();
    assert_eq!(listed[0]["source"], "signal");
    assert_eq!(house.model.requests().len(), 0);
}

/// A stranger's conversation on a bridge, whose agent can read the files of its session.
pub(super) struct Visit {
    pub(super) house: House,
    pub(super) bridge: String,
}

const SECRET: &str = "the safe opens with quince-jelly";

impl Visit {
    pub(super) async fn on(house: House) -> Self {
        let agent = format!("/v1/agents/{}", house.main_agent().await);
        let files = json!({ "capabilities": ["session_file_system"] });
        house.call("PATCH", &agent).json(&files).send().await.expect(200);
        // It does what it is asked for.
        house.model.respond(|request| {
            match (request.last_user().contains("diary"), request.results_since_user().first()) {
                (true, None) => Reply::calls([("read_file", json!({ "path": "/diary.txt" }))]),
                (true, Some(found)) => Reply::text(format!("It says: {found:?}")),
                (false, _) => {
                    Reply::text(format!("You said {}", request.last_user().lines().last().unwrap()))
                }
            }
        });
        let bridge = house.bridge(house.owner().await, "signal").await;
        Self { house, bridge }
    }

    fn say(&self, text: &str, key: &str) -> impl Future<Output = Answer> {
        let body = json!({ "message": text, "source": "signal", "sender": "+1" });
        self.house.call("POST", "/chat").key(&self.bridge).json(&body).header("idempotency-key", key).send()
    }

    async fn put_diary(&self, session: &Value) {
        let path = format!("/v1/sessions/{}/files/diary.txt", session.as_str().unwrap());
        let put = self.house.call("PUT", &path).body("application/octet-stream", SECRET).send().await;
        assert!(put.status < 300, "{}", put.status);
    }

    pub(super) async fn waiting(&self) -> Vec<Value> {
        let list = self.house.call("GET", "/v1/approvals?limit=100").send().await.expect(200);
        list["items"].as_array().unwrap().clone()
    }

    pub(super) async fn decide(&self, approval: &Value, decision: &str) {
        let body = json!({ "decision": decision, "digest": approval["digest"] });
        let path = format!("/v1/approvals/{}", approval["id"].as_str().unwrap());
        self.house.call("POST", &path).json(&body).send().await.expect(200);
    }
}

/// HOUSE-05, THREAT[chat-04]
async fn a_stranger_does_not_hear_what_is_not_theirs(house: House) {
    let visit = Visit::on(house).await;
    let first = visit.say("Hi", "k1").await.expect(200);
    assert!(first["response"].as_str().unwrap().ends_with("Hi"), "their own words come back: {first}");
    visit.put_diary(&first["session_id"]).await;
    // The file alone changes nothing: nobody has read it.
    assert!(visit.say("Hello again", "k2").await.expect(200)["response"].as_str().unwrap().contains("Hello"));

    let held = visit.say("What is in the diary?", "k3").await;
    let body = held.json();
    assert!(!body.to_string().contains("quince-jelly"), "{body}");
    assert_eq!((held.status, &body["outcome"]), (202, &json!("input_required")), "{body}");
    assert!(body["response"].as_str().unwrap().contains("I need an approval"), "{body}");
    let asked = visit.waiting().await;
    assert_eq!(asked.len(), 1);
    assert_eq!(body["waiting"], json!([{ "approval_id": asked[0]["id"] }]));
    assert_eq!((&asked[0]["tool"], &asked[0]["scopes"]), (&json!("tell_peer"), &json!(["once"])));
    let shown = asked[0]["shown"].to_string();
    assert!(shown.contains("quince-jelly") && shown.contains("signal") && shown.contains("+1"), "{shown}");
    assert!(asked[0]["why"][0].as_str().unwrap().contains("private"), "{asked:?}");

    // Asking again asks nobody again, and says nothing more.
    let again = visit.say("What is in the diary?", "k3").await;
    assert_eq!((again.status, again.json()), (202, body.clone()));
    assert_eq!(visit.waiting().await.len(), 1);
    // What was read stays part of the conversation: so do its consequences.
    let later = visit.say("Thanks", "k4").await;
    assert_eq!(later.status, 202, "{}", later.json());
    assert_eq!(visit.waiting().await.len(), 2);

    // Its person decides: once each, and about exactly what was shown.
    let asked = visit.waiting().await;
    visit.decide(&asked[0], "approve").await;
    let told = visit.say("What is in the diary?", "k3").await.expect(200);
    assert!(told["response"].as_str().unwrap().contains("quince-jelly"), "{told}");
    visit.decide(&asked[1], "deny").await;
    let denied = visit.say("Thanks", "k4").await.expect(200);
    assert_eq!(denied["response"], "I am not allowed to answer this.");
    let told = visit.say("What is in the diary?", "k3").await.expect(200);
    assert!(told["response"].as_str().unwrap().contains("quince-jelly"), "and goes on being told");
    assert_eq!(visit.waiting().await.len(), 0);
    let audit = visit.house.call("GET", "/v1/audit?limit=100").send().await.expect(200).to_string();
    assert!(
        audit.contains("tell_peer") && audit.contains("tool.asked") && !audit.contains("quince-jelly"),
        "{audit}"
    );
}

#[tokio::test]
async fn a_stranger_does_not_hear_what_is_not_theirs_on_sqlite() {
    a_stranger_does_not_hear_what_is_not_theirs(House::new().await).await;
}

#[tokio::test]
async fn a_stranger_does_not_hear_what_is_not_theirs_on_postgres() {
    if let Some(house) = House::on_postgres(Options::default()).await {
        a_stranger_does_not_hear_what_is_not_theirs(house).await;
    }
}

/// What an agent says before it waits for its person is held like the end of its reply.
#[tokio::test]
async fn what_is_said_before_a_question_is_not_told_unasked() {
    for private in [true, false] {
        let visit = Visit::on(House::new().await).await;
        let first = visit.say("Hi", "k1").await.expect(200);
        visit.put_diary(&first["session_id"]).await;
        visit.house.model.respond(move |request| match request.results_since_user().first() {
            None if private => Reply::calls([("read_file", json!({ "path": "/diary.txt" }))]),
            found => Reply::text(format!("It says: {found:?} <ask>Shall I go on?</ask>")),
        });
        let waits = visit.say("What is in the diary?", "k2").await;
        let body = waits.json();
        assert_eq!((waits.status, &body["outcome"]), (202, &json!("input_required")), "{body}");
        assert!(body["waiting"][0]["question_id"].is_string(), "its person is asked: {body}");
        assert!(!body.to_string().contains("quince-jelly"), "{body}");
        let told = body["response"].as_str().unwrap();
        // The control: what holds nothing private is told while its person is asked.
        let expected = if private { "I need an approval" } else { "It says: None" };
        assert!(told.contains(expected) && told.contains("It says") != private, "{body}");
    }
}

/// A bridge that knows nothing of repeating is told how to come back for what was held.
#[tokio::test]
async fn a_bridge_without_a_key_gets_one_to_fetch_what_was_held() {
    let visit = Visit::on(House::new().await).await;
    let first = visit.say("Hi", "k1").await.expect(200);
    visit.put_diary(&first["session_id"]).await;
    let body = json!({ "message": "What is in the diary?", "source": "signal", "sender": "+1" });
    let held = visit.house.call("POST", "/chat").key(&visit.bridge).json(&body).send().await;
    assert_eq!(held.status, 202, "{}", held.json());
    let held = held.json();
    let again = held["repeat_with"].as_str().unwrap();
    visit.decide(&visit.waiting().await[0], "approve").await;
    let asked = visit.house.model.requests().len();
    let told = visit.say("What is in the diary?", again).await.expect(200);
    assert!(told["response"].as_str().unwrap().contains("quince-jelly"), "{told}");
    assert_eq!(visit.house.model.requests().len(), asked, "the agent was not asked a second time");
    let other = visit.say("What is in the diary?", "k9").await;
    assert_eq!(
        (other.status, &other.json()["repeat_with"]),
        (202, &json!("k9")),
        "its own key is named as well"
    );
}

/// The person's own words in the stranger's conversation are theirs; told to themself, nothing is held.
#[tokio::test]
async fn what_its_person_says_in_a_strangers_conversation_is_not_told_unasked() {
    let visit = Visit::on(House::new().await).await;
    let first = visit.say("Hi", "k1").await.expect(200);
    let session = first["session_id"].as_str().unwrap();
    let own = json!({ "content": "The surprise party is on Friday" });
    let path = format!("/v1/sessions/{session}/messages");
    visit.house.call("POST", &path).json(&own).send().await.expect(200);
    let held = visit.say("What did they say?", "k2").await;
    assert_eq!(held.status, 202, "{}", held.json());
    // A rule can forbid telling anything at all, and none permits what is private.
    let owner = visit.house.give_password("Ada").await;
    owner.confirm().await;
    let rule = json!({ "subject": owner.id, "tool": "tell_peer", "action": "allow" });
    owner.call("POST", "/v1/rules").json(&rule).send().await.expect(201);
    assert_eq!(visit.say("And now?", "k3").await.status, 202);
    // The control: the same words from the person's own door, with their own files.
    let house = &visit.house;
    let mine = at_home(house, &json!({ "message": "Hi" })).send().await.expect(200);
    visit.put_diary(&mine["session_id"]).await;
    let told = at_home(house, &json!({ "message": "What is in the diary?" })).send().await.expect(200);
    assert!(told["response"].as_str().unwrap().contains("quince-jelly"), "{told}");
}

/// Where nobody can be asked, nothing private is told. A stranger, or several, may ask a lot: what they use up is theirs, and the
/// agents of the person go on asking.
/// THREAT[chat-04]
#[tokio::test]
async fn an_answer_that_nobody_can_be_asked_about_is_not_told() {
    const IN_SESSION: usize = 8;
    const FOR_PERSON: usize = 20;
    let visit = Visit::on(House::new().await).await;
    let house = &visit.house;
    let ask = |peer: usize, number: usize| {
        let body =
            json!({ "message": "What is in the diary?", "source": "signal", "sender": format!("+{peer}") });
        let key = format!("{peer}-{number}");
        house.call("POST", "/chat").key(&visit.bridge).json(&body).header("idempotency-key", &key).send()
    };
    let mut held = 0;
    for peer in 0..3 {
        let hello = json!({ "message": "Hi", "source": "signal", "sender": format!("+{peer}") });
        let first = house.call("POST", "/chat").key(&visit.bridge).json(&hello).send().await.expect(200);
        visit.put_diary(&first["session_id"]).await;
        let mut here = 0;
        loop {
            let answer = ask(peer, here).await;
            if answer.status == 202 {
                here += 1;
                continue;
            }
            let body = answer.expect(200);
            assert_eq!(body["response"], "I am not allowed to answer this.");
            break;
        }
        held += here;
        assert_eq!(here, IN_SESSION.min(FOR_PERSON + here - held), "peer {peer}");
    }
    assert_eq!(held, FOR_PERSON);
    // The person's own agent asks as before.
    let rules = json!({ "tool_rules": [{ "tool": "read_file", "action": "ask" }] });
    let agent = format!("/v1/agents/{}", house.main_agent().await);
    house.call("PATCH", &agent).json(&rules).send().await.expect(200);
    let session = house.session().await;
    visit.put_diary(&json!(session)).await;
    let own = json!({ "content": "What is in my diary?" });
    let path = format!("/v1/sessions/{session}/messages");
    let asked = house.call("POST", &path).json(&own).send().await;
    assert_eq!(asked.status, 202, "{}", asked.json());
    let (card, list) = (asked.json()["waiting"][0]["approval_id"].clone(), visit.waiting().await);
    let mine = list.iter().find(|approval| approval["id"] == card);
    assert_eq!((list.len(), &mine.unwrap()["tool"]), (FOR_PERSON + 1, &json!("read_file")));
    // Where the person has decided, the next one is asked about.
    visit.decide(&list[0], "deny").await;
    assert_eq!(ask(2, 100).await.status, 202);
}

/// What a provider says of its own troubles, and what its person has spent, is no stranger's business.
/// THREAT[chat-04]
async fn a_stranger_does_not_hear_why_a_reply_failed(house: House) {
    let visit = Visit::on(house).await;
    let first = visit.say("Hi", "k1").await.expect(200);
    visit.put_diary(&first["session_id"]).await;
    visit.house.model.respond(|request| match request.results_since_user().first() {
        None => Reply::calls([("read_file", json!({ "path": "/diary.txt" }))]),
        Some(found) => Reply::status(400).body(format!("http://10.0.0.7/v1 refused: {found}")),
    });
    let said = |answer: Answer| {
        let body = answer.expect(200);
        (body["outcome"].clone(), body["response"].as_str().unwrap().to_owned())
    };
    let words = "I could not answer this. Please try again later.";
    let (outcome, told) = said(visit.say("What is in the diary?", "k2").await);
    assert_eq!((outcome, told.as_str()), (json!("failed"), words));
    assert_eq!(visit.waiting().await.len(), 0, "there is nothing to ask about");
    // The control: its person is told in their own conversation, the same over the same route.
    let mine = at_home(&visit.house, &json!({ "message": "Hi" })).send().await;
    visit.put_diary(&mine.json()["session_id"]).await;
    let (_, told) = said(at_home(&visit.house, &json!({ "message": "What is in it?" })).send().await);
    assert!(told.contains("quince-jelly") && told.contains("10.0.0.7"), "{told}");
    // The label of what the provider repeated is that of what it was told.
    let path = format!("/v1/sessions/{}/messages", first["session_id"].as_str().unwrap());
    let listed = visit.house.call("GET", &path).send().await.expect(200);
    let notice = listed["items"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(notice["label"]["confidentiality"], "private", "{notice}");

    // Of limits, of money or of another kind, as little.
    let agent = format!("/v1/agents/{}", visit.house.main_agent().await);
    let limits = json!({ "limits": { "steps": 1 } });
    visit.house.call("PATCH", &agent).json(&limits).send().await.expect(200);
    let (outcome, told) = said(visit.say("And now?", "k3").await);
    assert_eq!((outcome, told.as_str()), (json!("limit"), words));
    let (_, told) = said(at_home(&visit.house, &json!({ "message": "And now?" })).send().await);
    assert!(told.contains("limit of 1 steps"), "the control: {told}");
}

#[tokio::test]
async fn a_stranger_does_not_hear_why_a_reply_failed_on_sqlite() {
    a_stranger_does_not_hear_why_a_reply_failed(House::new().await).await;
}

#[tokio::test]
async fn a_stranger_does_not_hear_why_a_reply_failed_on_postgres() {
    if let Some(house) = House::on_postgres(Options::default()).await {
        a_stranger_does_not_hear_why_a_reply_failed(house).await;
    }
}

/// What a person keeps for themself is told to no agent, and so to no stranger who has one look.
/// THREAT[help-02]
#[tokio::test]
async fn no_agent_is_told_of_the_prompts_that_its_person_keeps() {
    let house = House::new().await;
    let agent = format!("/v1/agents/{}", house.main_agent().await);
    let (owner, look) = (house.give_password("Ada").await, json!({ "capabilities": ["commands"] }));
    owner.confirm().await;
    owner.call("PATCH", &agent).json(&look).send().await.expect(200);
    let prompt = json!({ "name": "safe", "content": SECRET });
    house.call("POST", "/v1/saved-prompts").json(&prompt).send().await.expect(201);
    house.model.respond(|request| match request.results_since_user().first() {
        None => Reply::calls([("help", json!({ "category": "all" }))]),
        Some(_) => Reply::text("I have looked."),
    });
    let bridge = house.bridge(house.owner().await, "signal").await;
    let body = json!({ "message": "What do they keep?", "source": "signal", "sender": "+1" });
    let held = house.call("POST", "/chat").key(&bridge).json(&body).send().await;
    assert_eq!(held.status, 202, "{}", held.json());
    let told = format!("{:?}", house.model.requests());
    assert!(told.contains("/help") && !told.contains("quince-jelly"), "{told}");
    // The control: its person is told.
    let help = house.call("GET", "/v1/help?category=prompts").send().await.expect(200);
    assert!(help.to_string().contains("quince-jelly"), "{help}");
}

use crate::{
    turns::inbox::input,
    world::{World, at, new_agent, new_message, new_session, new_user, turn_id, uuid},
};
use domain::*;
use serde_json::json;
use std::path::Path;
use store::{
    Error, Tx, args,
    calls::{self, NewCall},
    known_places::SignInPlace,
    log::{self, Entry, EventFilter},
    messages, sessions,
    turns::{self, NewTurn},
};

async fn two_messages(world: &World) -> TurnId {
    let turn = turn_id();
    world
        .append(vec![
            Entry::Message(new_message(turn, Role::User, "one")),
            Entry::Message(new_message(turn, Role::User, "two")),
            Entry::Event { turn_id: None, body: EventBody::AgentStatus { state: AgentState::Working } },
        ])
        .await;
    turn
}

async fn transcript(world: &World, turn: TurnId) -> store::Result<Vec<Message>> {
    let key = world.key.clone();
    world.store.read(move |tx: &mut Tx| messages::of_turn(tx, &key, turn)).await
}

const REFUSED: Error = Error::Crypto { table: "messages", column: "body" };

pub async fn a_value_opens_only_in_its_place(world: World) {
    let turn = two_messages(&world).await;
    assert_eq!(transcript(&world, turn).await.unwrap().len(), 2);
    // Another row of the same table.
    let swap = "UPDATE messages SET body = (SELECT body FROM messages WHERE seq = 2) WHERE seq = 1";
    world.tamper(swap, vec![]).await;
    assert_eq!(transcript(&world, turn).await.unwrap_err(), REFUSED);
    // Another role, for the same words.
    let turn = two_messages(&world).await;
    world.tamper("UPDATE messages SET role = 'system' WHERE turn_id = $1", args![turn]).await;
    assert_eq!(transcript(&world, turn).await.unwrap_err(), REFUSED);
    // Another column of another table: a message's words as an event's.
    world
        .tamper("UPDATE events SET data = (SELECT body FROM messages WHERE seq = 2) WHERE seq = 3", vec![])
        .await;
    let (key, session) = (world.key.clone(), world.session);
    let read = move |tx: &mut Tx| log::read(tx, &key, session, 2, 1, EventFilter::default());
    let refused = world.store.read(read).await.unwrap_err();
    assert_eq!(refused, Error::Crypto { table: "events", column: "data" });
    // Somebody else's row of the same column.
    let (stranger, stranger_key, _, theirs) = world.stranger().await;
    let copied =
        "UPDATE agents SET body = (SELECT a.body FROM agents a WHERE a.user_id = $2) WHERE user_id = $1";
    world.tamper(copied, args![stranger, world.user]).await;
    let vault = world.store.vault().clone();
    let read = move |tx: &mut Tx| sessions::with_agent(tx, &vault, &stranger_key, stranger, theirs);
    let refused = world.store.read(read).await.unwrap_err();
    assert_eq!(refused, Error::Crypto { table: "agents", column: "body" });
}

/// HERO-33
pub async fn a_flipped_bit_is_refused(world: World) {
    let turn = two_messages(&world).await;
    let read = |tx: &mut Tx| tx.one::<Vec<u8>>("SELECT body FROM messages WHERE seq = 1", vec![]);
    let sealed = world.store.read(read).await.unwrap();
    for place in [0, 2, 10, 29, sealed.len() - 1] {
        let mut flipped = sealed.clone();
        flipped[place] ^= 1;
        world.tamper("UPDATE messages SET body = $1 WHERE seq = 1", args![flipped]).await;
        assert_eq!(transcript(&world, turn).await.unwrap_err(), REFUSED, "byte {place}");
    }
    for length in [0, 1, 28, sealed.len() - 1] {
        world.tamper("UPDATE messages SET body = $1 WHERE seq = 1", args![sealed[..length].to_vec()]).await;
        assert_eq!(transcript(&world, turn).await.unwrap_err(), REFUSED, "cut to {length}");
    }
    world.tamper("UPDATE messages SET body = $1 WHERE seq = 1", args![sealed]).await;
    assert_eq!(transcript(&world, turn).await.unwrap().len(), 2, "the control");
}

pub async fn somebody_elses_key_does_not_open(world: World) {
    let turn = two_messages(&world).await;
    let (stranger, stranger_key, ..) = world.stranger().await;
    let read = move |tx: &mut Tx| messages::of_turn(tx, &stranger_key, turn);
    assert_eq!(world.store.read(read).await.unwrap_err(), REFUSED);
    // A wrapped key that was moved to another user does not unwrap.
    let swap = "UPDATE users SET data_key = (SELECT u.data_key FROM users u WHERE u.id = $2) WHERE id = $1";
    world.tamper(swap, args![stranger, world.user]).await;
    let fresh = store::Store::open(&world.url, world.master.clone()).await.unwrap();
    let refused = fresh.data_key(stranger).await.unwrap_err();
    assert_eq!(refused, Error::Crypto { table: "users", column: "data_key" });
}

/// Everything that may hold words gets this word.
const CANARY: &str = "xylophonecanary";

async fn write_canaries(world: &World) {
    let turn = turn_id();
    let user = new_user(CANARY, UserRole::Member);
    let agent = canary_agent(world.user);
    let narrowing = domain::Narrowing {
        label: domain::Label::TRUSTED_PRIVATE,
        name: CANARY.to_owned(),
        instructions: CANARY.to_owned(),
        tools: vec![CANARY.to_owned()],
        capabilities: Vec::new(),
        model: Some(CANARY.to_owned()),
        limits: domain::Limits::default(),
    };
    let session =
        domain::Session { narrowing: Some(Box::new(narrowing)), ..new_session(&world.agent, Some(CANARY)) };
    let (call, stored_turn) = (canary_call(world, turn), canary_turn(world, turn));
    let api_key = canary_key(world.user);
    let audited = canary_audit();
    let login = canary_login(world.user);
    let mut input = input(world.session, world.user, turn, Some(CANARY), CANARY);
    input.attachments = vec![UploadId::from_uuid(uuid()).into()];
    let by = domain::Asker {
        agent_id: world.agent.id,
        name: CANARY.to_owned(),
        session_id: world.session,
        waits: false,
    };
    input.asker = Some(store::inbox::AgentRequest { by, label: domain::Label::WORST, ceiling: None });
    input.sender = Some(domain::Sender { source: CANARY.to_owned(), name: Some(CANARY.to_owned()) });
    let (vault, key) = (world.store.vault().clone(), world.key.clone());
    let (call_id, owner) = (call.id, world.user);
    let write = move |tx: &mut Tx| {
        store::users::create(tx, &vault, user)?;
        store::agents::create(tx, &key, &agent)?;
        sessions::create(tx, &key, &session)?;
        turns::insert(tx, &key, &stored_turn)?;
        calls::insert(tx, &key, &[call], at(0))?;
        calls::note_receipt(tx, &key, call_id, &json!(CANARY))?;
        store::api_keys::create(tx, &key, &api_key, [1; 32])?;
        store::inbox::insert(tx, &vault, &key, &input)?;
        let provider = crate::providers::provider("canary", Some(CANARY));
        store::providers::put(tx, &vault, &provider, at(0))?;
        store::house::put(tx, &vault, store::house::CUSTOM_PROMPT, Some(CANARY), at(0))?;
        store::providers::set_default_model(tx, &vault, Some(CANARY), at(0))?;
        store::logins::create(tx, &key, login)?;
        let places = [SignInPlace::Address(CANARY), SignInPlace::Browser(CANARY)];
        store::known_places::remember(tx, &vault, owner, &places, at(0))?;
        store::audit::append(tx, &vault, audited)
    };
    world.store.write(write).await.unwrap();
    let upload = crate::uploads::put(world, CANARY, &[CANARY.as_bytes()]).await;
    let key = world.key.clone();
    let keep =
        move |tx: &mut Tx| store::uploads::keep_text(tx, &key, upload, &[CANARY.into(), CANARY.into()]);
    world.store.write(keep).await.unwrap();
    crate::session_files::plant(world, CANARY).await;
    crate::turns::errands::plant(world, CANARY).await;
    crate::abilities::plant(world, CANARY).await;
    crate::kept::folders::plant(world, CANARY).await;
    crate::kept::library::plant(world, CANARY).await;
    crate::kept::knowledge::plant(world, CANARY).await;
    crate::schedules::plant(world, CANARY).await;
    ask_canary(world, call_id).await;
    approve_canary(world).await;
    world.compact(crate::compactions::compaction(1, 1, CANARY)).await.unwrap();
    let mut answered = new_message(turn, Role::Assistant, CANARY);
    answered.answers.insert(CANARY.to_owned(), CANARY.to_owned());
    let error = TurnError { code: "x".to_owned(), message: CANARY.to_owned(), retryable: false };
    world
        .append(vec![
            Entry::Message(new_message(turn, Role::User, CANARY)),
            Entry::Message(answered),
            Entry::Event { turn_id: Some(turn), body: EventBody::Error(error) },
        ])
        .await;
}

/// A question that was answered.
async fn ask_canary(world: &World, call_id: CallId) {
    let question = Question {
        id: QuestionId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn_id(),
        call_id,
        question: CANARY.to_owned(),
        mode: QuestionMode::Demand,
        timeout_ms: None,
        options: vec![CANARY.to_owned()],
        default: None,
        status: QuestionStatus::Pending,
        answer: None,
        created_at: at(0),
    };
    let (key, user, id) = (world.key.clone(), world.user, question.id);
    let write = move |tx: &mut Tx| {
        store::questions::insert(tx, &key, user, &question, None)?;
        store::questions::answer(tx, &key, id, QuestionStatus::Answered, CANARY, at(0))
    };
    assert!(world.store.write(write).await.unwrap());
}

/// An approval that was denied in words, and a rule.
async fn approve_canary(world: &World) {
    let approval = crate::turns::approvals::approval(world, turn_id(), CANARY);
    let rule = crate::rules::rule(Some(world.user), domain::Subject::User(world.user), CANARY);
    let (key, vault, user, id) = (world.key.clone(), world.store.vault().clone(), world.user, approval.id);
    let write = move |tx: &mut Tx| {
        store::rules::insert(tx, &vault, &rule)?;
        store::approvals::insert(tx, &key, user, &approval)?;
        let no = domain::ApprovalStatus::Denied;
        store::approvals::settle(tx, &key, id, no, Some(CANARY), at(0))
    };
    assert!(world.store.write(write).await.unwrap());
}

fn canary_agent(user: UserId) -> Agent {
    let settings = json!({ "secret": CANARY }).as_object().unwrap().clone();
    Agent {
        system_prompt: CANARY.to_owned(),
        prompt_tree: Some(Box::new(PromptTree {
            nodes: vec![PromptNode::new("rules", CANARY).captioned(CANARY)],
            ..PromptTree::default()
        })),
        capabilities: vec![CapabilityRef { id: CANARY.to_owned(), settings }],
        ..new_agent(user, CANARY)
    }
}

fn canary_call(world: &World, turn: TurnId) -> NewCall {
    NewCall {
        id: CallId::from_uuid(uuid()),
        session_id: world.session,
        turn_id: turn,
        user_id: world.user,
        message_id: MessageId::from_uuid(uuid()),
        position: 0,
        name: CANARY.to_owned(),
        arguments: json!([CANARY]),
        origin: Origin::Native,
        class: EffectClass::Read,
        made: Default::default(),
    }
}

fn canary_turn(world: &World, turn: TurnId) -> NewTurn {
    NewTurn {
        id: turn,
        session_id: world.session,
        user_id: world.user,
        position: 1,
        source: Source::Web,
        status: TurnStatus::Queued,
        owner: None,
        epoch: 0,
        lease_until: None,
        state: Some(CANARY.as_bytes().to_vec()),
        at: at(0),
    }
}

fn canary_key(user: UserId) -> ApiKey {
    ApiKey {
        id: ApiKeyId::from_uuid(uuid()),
        user_id: user,
        name: CANARY.to_owned(),
        scope: Scope::Full,
        source: Some(CANARY.to_owned()),
        expires_at: None,
        created_at: at(0),
    }
}

fn canary_login(user_id: UserId) -> store::logins::NewLogin {
    store::logins::NewLogin {
        id: LoginId::from_uuid(uuid()),
        user_id,
        secret_hash: [1; 32],
        user_agent: Some(CANARY.to_owned()),
        address: Some(CANARY.to_owned()),
        at: at(0),
    }
}

fn canary_audit() -> store::audit::AuditEntry {
    store::audit::AuditEntry {
        at: at(0),
        user_id: None,
        actor: CANARY.to_owned(),
        action: "test".to_owned(),
        subject: CANARY.to_owned(),
        detail: json!(CANARY),
    }
}

pub async fn no_word_is_on_the_disk(world: World) {
    write_canaries(&world).await;
    let folder = match &world.folder {
        Some(folder) => folder.path().to_owned(),
        None => testkit::postgres::Cluster::shared().unwrap().unwrap().folder().to_owned(),
    };
    flush(&world).await;
    assert_eq!(search(&folder, CANARY), Vec::<String>::new());
    // The control: a word that is in the clear is found by the same search.
    world.tamper("INSERT INTO meta (name, value) VALUES ($1, $2)", args!["bassooncontrol", vec![0_u8]]).await;
    flush(&world).await;
    assert!(!search(&folder, "bassooncontrol").is_empty(), "the search finds nothing at all");
    world.store.close().await;
    assert_eq!(search(&folder, CANARY), Vec::<String>::new());
}

/// Columns of bytes that are no words of anybody: keys, digests of them, and what a program made up.
const WORDLESS: &[&str] = &[
    "meta.value",
    "master_keys.check_value",
    "users.name_index",
    "users.data_key",
    "api_keys.secret_hash",
    "agents.name_index",
    "inbox.idem",
    "inbox.digest",
    "idempotency_keys.idem",
    "idempotency_keys.digest",
    "logins.secret_hash",
    "audit.previous",
    "audit.hash",
    "audit_head.hash",
    "audit_head.seal",
    "chat_sessions.peer",
    "abilities.name_index",
    "saved_prompts.name_index",
    "session_links.secret_index",
    "knowledge.words_index",
    "account_links.secret_hash",
    "setup_links.secret_hash",
    "handed_keys.body",
    "session_files.path_index",
    "session_files.folder_index",
];

/// Whoever adds a column of bytes says that it holds no words, or gives it one above, where it is looked for.
pub async fn every_column_that_may_hold_words_is_tried(world: World) {
    write_canaries(&world).await;
    let postgres = world.store.kind() == "postgres";
    let list = match postgres {
        true => {
            "SELECT table_name || '.' || column_name FROM information_schema.columns \
                 WHERE table_schema = current_schema() AND data_type = 'bytea'"
        }
        false => {
            "SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c \
                  WHERE m.type = 'table' AND c.type = 'BLOB'"
        }
    };
    let columns: Vec<String> = world.store.read(move |tx: &mut Tx| tx.all(list, vec![])).await.unwrap();
    assert!(columns.len() > WORDLESS.len());
    for column in columns.iter().filter(|column| !WORDLESS.contains(&column.as_str())) {
        let (table, name) = column.split_once('.').unwrap();
        let sql = format!("SELECT COUNT(*) FROM {table} WHERE length({name}) > 0");
        let filled: u64 = world.store.read(move |tx: &mut Tx| tx.one(&sql, vec![])).await.unwrap();
        assert!(filled > 0, "{column} is empty: write_canaries does not try it");
    }
}

/// A server keeps much in memory; a file is written to at once.
async fn flush(world: &World) {
    if world.store.kind() == "postgres" {
        world.store.write(|tx: &mut Tx| tx.run("CHECKPOINT", vec![])).await.unwrap();
    }
}

/// The files below the folder that contain the needle. (In Rust without optimisation this takes a minute.)
fn search(folder: &Path, needle: &str) -> Vec<String> {
    let grep = std::process::Command::new("grep").args(["-rlaFs", needle]).arg(folder).output().unwrap();
    // 2 means that a file went away or could not be read; what was found is still said.
    assert!(matches!(grep.status.code(), Some(0..=2)), "{grep:?}");
    String::from_utf8(grep.stdout).unwrap().lines().map(str::to_owned).collect()
}

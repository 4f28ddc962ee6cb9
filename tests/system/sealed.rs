//! The control of I8: a value that is not sealed is noticed, whichever column it is in.

use crate::{
    ground,
    world::{self, Backend, World},
};
use domain::{
    CallId, ErrandOutcome, ErrandStatus, Label, LoginId, Permission, ResultStatus, Rule, RuleArguments,
    RuleId, RuleScope, SessionId, Subject, Timestamp, TurnId, Upload, UploadId, UserId,
};
use serde_json::json;
use std::collections::BTreeMap;
use store::{
    DataKey, Store, Tx, Vault,
    compactions::{self, Compaction},
    errands::{self, Errand, ErrandAnswer},
    house,
    logins::{self, NewLogin},
    providers::{self, StoredProvider},
    rules,
    uploads::{self, NewUpload},
};
use testkit::model::Reply;

/// What nothing but the checker reads any more, or a person only later.
const COLUMNS: [(&str, &str); 12] = [
    ("questions", "body"),
    ("questions", "answer"),
    ("compactions", "summary"),
    ("calls", "receipt"),
    ("rules", "arguments"),
    ("errands", "answer"),
    ("logins", "body"),
    ("upload_texts", "data"),
    ("house", "body"),
    ("providers", "body"),
    ("audit", "body"),
    ("messages", "body"),
];
const PLAIN: &[u8] = b"{\"in\": \"plain words, longer than all that sealing adds to a value\"}";
const AT: Timestamp = Timestamp::from_millis(1_794_729_600_000);

/// A question that was settled, and a call that noted what it did.
async fn a_talk(world: &World) -> (UserId, SessionId) {
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::text("<ask>Which colour?</ask>")
            .then_calls([("write_file", json!({ "path": "/a", "content": "b" }))]),
        _ => Reply::text("Done."),
    });
    let running = world.serve().await;
    let client = running.client(&world.key);
    let session = world::new_session(&client, &world::worker(&client).await).await;
    drop(client.send_message(&session, "k1", &json!({ "content": "Paint it" })).await.unwrap());
    world::answer_until_quiet(&client, &session, "blue").await;
    let me = client.get("/v1/me").await.unwrap().expect(200);
    assert_eq!(running.terminate().await.unwrap(), Some(0));
    (me["id"].as_str().unwrap().parse().unwrap(), session.parse().unwrap())
}

/// What the talk had none of.
fn plant(tx: &mut Tx, vault: &Vault, key: &DataKey, user: UserId, session: SessionId) -> store::Result<()> {
    for generation in [1, 2] {
        let compaction = Compaction {
            generation,
            up_to_seq: generation,
            level: 1,
            tokens: 7,
            label: Label::TRUSTED_PUBLIC,
            created_at: AT,
            summary: "They spoke.".to_owned(),
        };
        compactions::add(tx, key, session, &compaction)?;
    }
    let rule = Rule {
        id: RuleId::from_uuid(*session.as_uuid()),
        user_id: Some(user),
        subject: Subject::User(user),
        tool: "bash".to_owned(),
        action: Permission::Allow,
        scope: RuleScope::Always,
        arguments: Some(RuleArguments::Exact(json!({ "command": "ls" }))),
        expires_at: None,
        created_at: AT,
    };
    rules::insert(tx, vault, &rule)?;
    house::put(tx, vault, house::CUSTOM_PROMPT, Some("Be kind."), AT)?;
    let provider = StoredProvider {
        name: "other".to_owned(),
        wire: "openai".to_owned(),
        base_url: "https://models.example".to_owned(),
        api_key: None,
        models: Vec::new(),
        free: None,
        prices: json!({}),
        images: BTreeMap::new(),
    };
    providers::put(tx, vault, &provider, AT)?;
    let login = NewLogin {
        id: LoginId::from_uuid(*session.as_uuid()),
        user_id: user,
        secret_hash: [1; 32],
        user_agent: Some("a browser".to_owned()),
        address: None,
        at: AT,
    };
    logins::create(tx, key, login)?;
    plant_errand(tx, key, user, session)?;
    plant_upload(tx, key, user, UploadId::from_uuid(*session.as_uuid()))
}

fn plant_errand(tx: &mut Tx, key: &DataKey, user: UserId, session: SessionId) -> store::Result<()> {
    let turn = TurnId::from_uuid(*session.as_uuid());
    let errand = Errand {
        turn_id: turn,
        session_id: session,
        user_id: user,
        root_turn: turn,
        parent_session: session,
        parent_turn: turn,
        parent_call: CallId::from_uuid(*session.as_uuid()),
        status: ErrandStatus::Pending,
        depth_left: 1,
        hops_left: 1,
        expires_at: None,
    };
    errands::insert(tx, &errand, AT)?;
    let answer = ErrandAnswer {
        outcome: ErrandOutcome::Completed,
        status: ResultStatus::Ok,
        content: "It is painted.".to_owned(),
        label: Label::TRUSTED_PUBLIC,
    };
    assert!(errands::finish(tx, key, turn, &answer, AT)?);
    // It was delivered and is in the other transcript; the row stays.
    let delivered = "UPDATE errands SET status = 'delivered', due = NULL WHERE turn_id = $1";
    tx.run(delivered, store::args![turn])?;
    Ok(())
}

fn plant_upload(tx: &mut Tx, key: &DataKey, user: UserId, id: UploadId) -> store::Result<()> {
    uploads::begin(tx, &NewUpload { id, user_id: user, at: AT })?;
    uploads::append(tx, key, user, id, 0, b"blue")?;
    let (name, mime_type) = ("paint.txt".to_owned(), "text/plain".to_owned());
    let upload = Upload { id, name, mime_type, size: 4, text: None };
    uploads::complete(tx, key, user, &upload, 1, AT)?;
    uploads::keep_text(tx, key, id, &[b"{}".to_vec(), b"blue".to_vec()])
}

async fn an_unsealed_value_is_noticed(backend: Backend) {
    let Some(world) = World::new(backend).await else { return };
    let (user, session) = a_talk(&world).await;
    let store = Store::open(&world.store, ground::keys(&world)).await.unwrap();
    let (vault, key) = (store.vault().clone(), store.data_key(user).await.unwrap());
    let write = move |tx: &mut Tx| plant(tx, &vault, &key, user, session);
    store.write(write).await.unwrap();
    ground::everything_opens(&store).await.expect("the control: all of it opens");
    for (table, column) in COLUMNS {
        // The oldest one that has a value: what is newest is looked at anyway.
        let place = if store.kind() == "sqlite" { "rowid" } else { "ctid" };
        let oldest = format!("{table} WHERE {column} IS NOT NULL ORDER BY {place} LIMIT 1");
        let value = format!("SELECT {column} FROM {oldest}");
        let change =
            format!("UPDATE {table} SET {column} = $1 WHERE {place} = (SELECT {place} FROM {oldest})");
        let changed = store.write(move |tx: &mut Tx| {
            let sealed: Option<Vec<u8>> = tx.maybe(&value, vec![])?;
            tx.run(&change, store::args![PLAIN.to_vec()])?;
            Ok(sealed)
        });
        let sealed = changed.await.unwrap().unwrap_or_else(|| panic!("{table}.{column} has no value to try"));
        let found = ground::everything_opens(&store).await;
        assert_eq!(found, Err(store::Error::Crypto { table, column }), "{table}.{column} is not looked at");
        let back = format!("UPDATE {table} SET {column} = $1 WHERE {column} = $2");
        let write = move |tx: &mut Tx| tx.run(&back, store::args![sealed, PLAIN.to_vec()]);
        assert_eq!(store.write(write).await.unwrap(), 1);
    }
    ground::everything_opens(&store).await.expect("all of it is as it was");
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsealed_value_is_noticed_on_sqlite() {
    an_unsealed_value_is_noticed(Backend::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsealed_value_is_noticed_on_postgres() {
    an_unsealed_value_is_noticed(Backend::Postgres).await;
}

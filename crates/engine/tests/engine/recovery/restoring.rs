//! What a backup brings back does not go on by itself: it ends in words, and a person sets it going again.

use crate::{
    errands::colleagues::{Kitchen, script, soup},
    world::{LEASE, Site, World, postgres, shown, until_type},
};
use domain::{CapabilityRef, KeepAction, Permission, Role, RuleScope, SessionStatus, Subject};
use engine::{AgentFields, Change, KeepMany, NewRule};
use serde_json::json;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use store::{KeyRing, MasterKey, Page, Tx, backup};
use tempfile::TempDir;
use testkit::model::Reply;
use tokio::sync::Notify;

async fn backed_up(world: &World, folder: &TempDir) -> PathBuf {
    let path = folder.path().join("b");
    let now = capability::Clock::now(&*world.clock);
    backup::make(&world.store, &path, now, &Arc::default()).await.unwrap();
    path
}

/// Restores into a fresh SQLite database, and into a fresh PostgreSQL one if there is a server.
async fn restored(world: &World, path: &Path, folder: &TempDir) -> Vec<Site> {
    let file = format!("sqlite:{}", folder.path().join("restored.db").display());
    let urls: Vec<String> = std::iter::once(file).chain(postgres().await).collect();
    let mut sites = Vec::new();
    for url in urls {
        let how = backup::Restoring {
            keys: KeyRing::from(MasterKey::from_bytes([7; 32])),
            at: capability::Clock::now(&*world.clock),
            force: false,
            keep_keys: true,
        };
        backup::restore(path, &url, &how, &Arc::default()).await.unwrap();
        sites.push(Site { url, ..world.site.clone() });
    }
    sites
}

/// A house moves into the restored database, and stays until every lease of that time is over and looked after.
async fn move_in(world: &mut World, site: Site) {
    world.house.kill().await;
    world.clock.advance(2 * i64::try_from(LEASE.as_millis()).unwrap());
    world.site = site;
    world.store = world.site.open().await;
    world.house = world.house(world.house.node).await;
    settled(world).await;
    world.restart().await;
    settled(world).await;
}

async fn settled(world: &World) {
    let open = "SELECT COUNT(*) FROM turns WHERE status <> 'ended'";
    let rest = async {
        loop {
            let left: u64 = world.store.read(move |tx| tx.one(open, Vec::new())).await.unwrap();
            if left == 0 && world.engine().running_turns() == 0 {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(crate::world::PATIENCE, rest).await.is_ok(), "something still goes on");
}

fn last(told: &[domain::Envelope]) -> String {
    shown(told).last().cloned().unwrap_or_default()
}

#[tokio::test]
async fn what_ran_and_what_waited_behind_it_end_and_nothing_is_repeated() {
    for mut world in World::of_both_kinds().await {
        let folder = TempDir::new().unwrap();
        world.model.respond(|request| match request.last_user().as_str() {
            "pay" if request.results_since_user().is_empty() => {
                Reply::calls([("touch", json!({ "gate": "pay" })), ("look", json!({ "gate": "pay" }))])
            }
            _ => Reply::text("Done."),
        });
        let paying = world.post("pay").await;
        world.tools.started(2).await;
        let waiting = world.post("pay again").await;
        let path = backed_up(&world, &folder).await;
        // In the house of that time everything goes on: this is what must not be repeated.
        (0..2).for_each(|_| world.tools.open("pay"));
        assert_eq!(last(&world.ended(waiting).await), "turn_ended completed");
        for site in restored(&world, &path, &folder).await {
            let (asked, ran) = (world.model.request_count(), world.tools.runs("touch").len());
            move_in(&mut world, site).await;
            assert_eq!(world.tools.runs("touch").len(), ran, "an effect was repeated");
            assert_eq!(world.model.request_count(), asked, "a model was asked by itself");
            for accepted in [paying, waiting] {
                assert_eq!(last(&world.ended(accepted).await), "turn_ended failed restored");
            }
            let messages = world.messages().await;
            let results = messages.iter().filter(|message| message.role == Role::Tool);
            let results: Vec<&str> = results.map(|message| message.content.as_str()).collect();
            assert_eq!(results.len(), 2, "{results:?}");
            assert!(results.iter().all(|result| result.contains("outcome unknown")), "{results:?}");
            let word = messages.last().unwrap();
            assert!(word.content.contains("backup") && word.content.contains("retry"), "{}", word.content);
            world.check(&["pay", "pay again"]).await;
            // A person sets it going again.
            world.retry().await.unwrap();
            assert_eq!(last(&world.ended(waiting).await), "turn_ended completed");
            assert_eq!(world.model.request_count(), asked + 1);
            world.check(&["pay", "pay again"]).await;
        }
    }
}

#[tokio::test]
async fn an_approval_that_was_given_and_rules_for_the_moment_do_not_count_again() {
    let mut world = World::new().await;
    let folder = TempDir::new().unwrap();
    let capabilities = ["workshop", "doors"].map(CapabilityRef::from).to_vec();
    let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    let (once, session, always) = (RuleScope::Once, RuleScope::Session, RuleScope::Always);
    for (tool, action, scope) in [
        ("touch", Permission::Allow, once),
        ("put", Permission::Allow, session),
        ("look", Permission::Deny, session),
        ("look", Permission::Allow, always),
    ] {
        let subject = Subject::Session(world.session);
        let tool = tool.to_owned();
        let rule = NewRule { subject, tool, action, scope, arguments: None, expires_at: None, house: false };
        world.engine().create_rule(&world.me(), rule).await.unwrap();
    }
    world.model.respond(|request| match request.results_since_user().len() {
        0 => Reply::calls([("knock", json!({ "say": "now" })), ("ring", json!({ "say": "now" }))]),
        _ => Reply::text("Done."),
    });
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("work").await;
    until_type(&mut reader, "approval_request").await;
    until_type(&mut reader, "agent_status").await;
    // A yes that its call has not heard of yet: the other one still waits.
    write(&world, "UPDATE approvals SET status = 'approved' WHERE id = (SELECT MIN(id) FROM approvals)")
        .await;
    let path = backed_up(&world, &folder).await;
    for site in restored(&world, &path, &folder).await {
        let asked = world.model.request_count();
        move_in(&mut world, site).await;
        assert_eq!((world.tools.runs("knock"), world.tools.runs("ring")), (vec![], vec![]));
        assert_eq!(world.model.request_count(), asked);
        assert_eq!(last(&world.ended(accepted).await), "turn_ended failed restored");
        let open = world.engine().approvals(world.user, Page::first(100)).await.unwrap().items;
        assert_eq!(open, [], "nobody is asked for what has ended");
        let rules = world.engine().rules(&world.me(), Page::first(100)).await.unwrap().items;
        let left: Vec<_> = rules.iter().map(|rule| (rule.action, rule.scope)).collect();
        assert_eq!(
            left,
            [(Permission::Deny, session), (Permission::Allow, always)],
            "what was forbidden still is"
        );
        world.check(&["work"]).await;
    }
}

#[tokio::test]
async fn errands_of_that_time_end_on_both_sides() {
    let kitchen = Kitchen::new().await;
    let folder = TempDir::new().unwrap();
    let gate = Arc::new(Notify::new());
    script(&kitchen.world, "delegate", soup(), "Soup is ready.", Some(gate.clone()));
    let accepted = kitchen.world.post("Dinner, please").await;
    kitchen.world.model.wait_for(2).await;
    let child = kitchen.child().await;
    let path = backed_up(&kitchen.world, &folder).await;
    gate.notify_one();
    assert_eq!(last(&kitchen.world.ended(accepted).await), "turn_ended completed");
    let mut world = kitchen.world;
    for site in restored(&world, &path, &folder).await {
        let asked = world.model.request_count();
        move_in(&mut world, site).await;
        assert_eq!(world.model.request_count(), asked, "a model was asked by itself");
        assert_eq!(last(&world.ended(accepted).await), "turn_ended failed restored");
        let child = world.engine().session(world.user, child.id).await.unwrap();
        assert_eq!(child.status, SessionStatus::Failed);
        let due: u64 = {
            let sql = "SELECT COUNT(*) FROM errands WHERE status = 'pending' OR due IS NOT NULL";
            world.store.read(move |tx: &mut Tx| tx.one(sql, Vec::new())).await.unwrap()
        };
        assert_eq!(due, 0, "nothing is left to be delivered");
        world.check(&["Dinner, please"]).await;
    }
}

/// The control: a start after a crash goes on with everything, as ever.
#[tokio::test]
async fn without_a_restore_the_same_state_goes_on() {
    let mut world = World::new().await;
    world.model.script(Reply::text("Never.").gate(Arc::new(Notify::new())));
    let first = world.post("first").await;
    let second = world.post("second").await;
    world.model.wait_for(1).await;
    world.model.respond(|_| Reply::text("Done."));
    world.crash().await;
    for accepted in [first, second] {
        assert_eq!(last(&world.ended(accepted).await), "turn_ended completed");
    }
}

async fn write(world: &World, sql: &'static str) {
    let changed = world.store.write(move |tx: &mut Tx| tx.run(sql, Vec::new())).await.unwrap();
    assert!(changed > 0, "nothing was changed: {sql}");
}

/// A minute is there to take a deletion back; by the first start after a restore it is long over.
#[tokio::test]
async fn what_was_being_deleted_is_there_after_a_restore() {
    let mut world = World::new().await;
    let folder = TempDir::new().unwrap();
    world.model.respond(|_| Reply::text("Soup."));
    world.run("Dinner?").await;
    let many = KeepMany { ids: vec![world.session], action: KeepAction::Delete, folder_id: None };
    world.engine().keep_sessions(world.user, many).await.unwrap();
    let path = backed_up(&world, &folder).await;
    for site in restored(&world, &path, &folder).await {
        world.clock.advance(engine::UNDO_MS * 2);
        move_in(&mut world, site).await;
        assert_eq!(world.engine().empty_bin().await.unwrap(), 0);
        assert_eq!(world.session().await.keeping.delete_at, None);
        assert_eq!(world.messages().await.len(), 2);
    }
}

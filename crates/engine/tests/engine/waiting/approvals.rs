//! Approvals: they wait without a worker, survive restarts, hold for what was shown, and are answered once.

use crate::world::{PATIENCE, World, shown, until_type};
use domain::{
    Answers, Approval, ApprovalDecision, ApprovalStatus, CapabilityRef, MarkupMode, MarkupSettings,
    Permission, RuleScope, SessionStatus, Subject, UserRole,
};
use engine::{
    Accepted, AgentFields, ApprovalAnswer, Change, Error, NewPerson, NewRule, Principal, Settings, WaitsFor,
};
use serde_json::{Value, json};
use std::sync::Arc;
use store::Page;
use testkit::model::Reply;
use tokio::sync::Notify;

async fn world() -> World {
    let world = World::new().await;
    open_doors(&world).await;
    world
}

async fn open_doors(world: &World) {
    let capabilities = ["workshop", "doors"].map(CapabilityRef::from).to_vec();
    let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
}

/// The model makes these calls when it is spoken to, and is content with whatever comes of them.
fn calls(world: &World, calls: &[(&'static str, Value)]) {
    let calls = calls.to_vec();
    world.model.respond(move |request| match request.results_since_user().len() {
        0 if request.last_user() == "work" => Reply::calls(calls.clone()),
        _ => Reply::text("Done."),
    });
}

async fn parked(world: &World) -> Accepted {
    let mut reader = world.follow_from(world.session().await.last_seq).await;
    let accepted = world.post("work").await;
    until_type(&mut reader, "approval_request").await;
    let events = until_type(&mut reader, "agent_status").await;
    assert_eq!(shown(&events).last().unwrap(), "agent_status inputrequired");
    accepted
}

async fn open(world: &World) -> Vec<Approval> {
    world.engine().approvals(world.user, Page::first(100)).await.unwrap().items
}

fn person(world: &World) -> Principal {
    Principal::operator(world.user, UserRole::Owner)
}

fn yes(approval: &Approval, scope: RuleScope) -> ApprovalAnswer {
    ApprovalAnswer {
        decision: ApprovalDecision::Approve,
        scope,
        digest: approval.digest.clone(),
        reason: None,
    }
}

fn no(approval: &Approval, reason: &str) -> ApprovalAnswer {
    let (decision, scope) = (ApprovalDecision::Deny, RuleScope::Once);
    ApprovalAnswer { decision, scope, digest: approval.digest.clone(), reason: Some(reason.to_owned()) }
}

async fn say(world: &World, approval: &Approval, answer: ApprovalAnswer) -> engine::Result<Approval> {
    let (who, id) = (person(world), approval.id);
    world.house.on(move |engine| async move { engine.answer_approval(&who, id, answer).await }).await
}

fn code(result: engine::Result<Approval>) -> &'static str {
    match result {
        Err(Error::Conflict { code, .. } | Error::Invalid { code, .. } | Error::Forbidden { code, .. }) => {
            code
        }
        Err(Error::NotFound(_)) => "not_found",
        other => panic!("{other:?}"),
    }
}

/// The actions of the audit log that are about calls and approvals, the oldest first.
async fn audited(world: &World) -> Vec<String> {
    let vault = world.store.vault().clone();
    let read = move |tx: &mut store::Tx| store::audit::list(tx, &vault, None, Page::first(100));
    let mut entries: Vec<String> =
        world.store.read(read).await.unwrap().items.into_iter().map(|entry| entry.action).collect();
    entries.reverse();
    entries.retain(|action| action.starts_with("tool.") || action.starts_with("approval."));
    entries
}

#[tokio::test]
async fn a_call_that_asks_waits_without_a_worker_and_runs_after_a_yes() {
    // HERO-30, EVERRUNS-18
    let world = world().await;
    calls(&world, &[("knock", json!({ "say": "twice" }))]);
    let accepted = parked(&world).await;
    assert_eq!(world.session().await.status, SessionStatus::InputRequired);
    let idle = async {
        while world.engine().running_turns() > 0 {
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, idle).await.is_ok(), "somebody works while a person thinks");
    assert_eq!(world.tools.runs("knock"), []);
    let asked = open(&world).await.remove(0);
    let waiting = world.engine().waiting(world.user, accepted.turn_id).await.unwrap();
    assert_eq!(waiting, Some(vec![WaitsFor::Approval(asked.id)]));
    assert_eq!((asked.tool.as_str(), &asked.arguments), ("knock", &json!({ "say": "twice" })));
    assert_eq!((asked.shown[0].name.as_str(), asked.shown[0].value.as_str()), ("say", "twice"));
    assert_eq!(asked.why, ["This tool always needs your approval."]);
    let answered = say(&world, &asked, yes(&asked, RuleScope::Once)).await.unwrap();
    assert_eq!(answered.status, ApprovalStatus::Approved);
    let lines = shown(&world.ended(accepted).await);
    let from = lines.iter().position(|line| line.starts_with("tool_use_start")).unwrap();
    assert_eq!(
        lines[from..],
        [
            "tool_use_start knock",
            "approval_request knock",
            "agent_status inputrequired",
            "approval_result approved user",
            "agent_status working",
            "tool_result knock Ok",
            "message_start",
            "message_complete Done. Completed",
            "usage",
            "agent_status completed",
            "turn_ended completed",
        ]
    );
    assert_eq!(world.tools.runs("knock").len(), 1);
    assert_eq!(audited(&world).await, ["tool.asked", "approval.approved", "tool.allowed"]);
    world.check(&["work"]).await;
}

#[tokio::test]
async fn a_no_is_told_to_the_model_with_its_reason_and_the_turn_goes_on() {
    let world = world().await;
    calls(&world, &[("knock", json!({}))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    say(&world, &asked, no(&asked, "not before noon")).await.unwrap();
    let lines = shown(&world.ended(accepted).await);
    assert!(lines.contains(&"tool_result knock Denied".to_owned()), "{lines:?}");
    assert_eq!(world.tools.runs("knock"), []);
    let told = world.model.last_request().unwrap().results_since_user();
    assert!(told[0].contains("The person denied this call: not before noon"), "{told:?}");
    assert_eq!(audited(&world).await, ["tool.asked", "approval.denied", "tool.denied"]);
    world.check(&["work"]).await;
}

#[tokio::test]
async fn attack_14_an_approval_is_answered_once_by_its_person_and_as_it_was_shown() {
    let world = world().await;
    calls(&world, &[("knock", json!({ "say": "a" })), ("ring", json!({}))]);
    let accepted = parked(&world).await;
    let [first, second] = open(&world).await.try_into().unwrap();
    let stranger =
        NewPerson { name: "Eve".to_owned(), role: UserRole::Admin, password: None, time_zone: None };
    let stranger = world.engine().people().create_person(stranger).await.unwrap().id;
    let foreign = Principal::operator(stranger, UserRole::Admin);
    let stolen = world.engine().answer_approval(&foreign, first.id, yes(&first, RuleScope::Once)).await;
    assert_eq!(code(stolen), "not_found");
    assert_eq!(code(say(&world, &first, yes(&second, RuleScope::Once)).await), "digest_mismatch");
    let empty = ApprovalAnswer { digest: String::new(), ..yes(&first, RuleScope::Once) };
    assert_eq!(code(say(&world, &first, empty).await), "digest_mismatch");
    for scope in [RuleScope::Session, RuleScope::Always] {
        assert_eq!(code(say(&world, &second, yes(&second, scope)).await), "scope_not_offered");
    }
    assert_eq!(world.tools.runs("knock"), [], "nothing of that was a yes");
    say(&world, &first, yes(&first, RuleScope::Once)).await.unwrap();
    assert_eq!(code(say(&world, &first, yes(&first, RuleScope::Once)).await), "approval_settled");
    assert_eq!(code(say(&world, &first, no(&first, "")).await), "approval_settled");
    say(&world, &second, no(&second, "")).await.unwrap();
    world.ended(accepted).await;
    assert_eq!((world.tools.runs("knock").len(), world.tools.runs("ring").len()), (1, 0));
    world.check(&["work"]).await;
}

#[tokio::test]
async fn of_many_answers_at_once_one_counts() {
    let world = world().await;
    calls(&world, &[("knock", json!({}))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    let (once, deny) = (yes(&asked, RuleScope::Once), no(&asked, "no"));
    let (a, b, c, d) = tokio::join!(
        say(&world, &asked, once.clone()),
        say(&world, &asked, deny.clone()),
        say(&world, &asked, once),
        say(&world, &asked, deny),
    );
    let counted = [a, b, c, d].into_iter().filter(Result::is_ok).count();
    assert_eq!(counted, 1);
    world.ended(accepted).await;
    assert!(world.tools.runs("knock").len() <= 1);
    world.check(&["work"]).await;
}

/// Two calls of one message ask for the same tool. A yes for this conversation means both, as it would a third one; one for
/// this time means the one that was shown.
#[tokio::test]
async fn a_yes_for_the_conversation_settles_what_waits_beside_it() {
    for (scope, left) in [(RuleScope::Session, vec!["ring"]), (RuleScope::Once, vec!["knock", "ring"])] {
        let world = world().await;
        let knocks = [("knock", json!({ "say": "a" })), ("knock", json!({ "say": "b" }))];
        calls(&world, &[&knocks[..], &[("ring", json!({}))]].concat());
        let accepted = parked(&world).await;
        let asked = open(&world).await;
        assert_eq!(asked.len(), 3);
        say(&world, &asked[0], yes(&asked[0], scope)).await.unwrap();
        let waiting = open(&world).await;
        assert_eq!(waiting.iter().map(|one| one.tool.as_str()).collect::<Vec<_>>(), left, "{scope:?}");
        for one in &waiting {
            say(&world, one, no(one, "")).await.unwrap();
        }
        let lines = shown(&world.ended(accepted).await);
        let approved = lines.iter().filter(|line| *line == "approval_result approved user").count();
        assert_eq!(
            (approved, world.tools.runs("knock").len()),
            (3 - left.len(), 3 - left.len()),
            "{lines:?}"
        );
        let approvals: Vec<String> = audited(&world).await;
        let noted = approvals.iter().filter(|action| *action == "approval.approved").count();
        assert_eq!(noted, approved, "each is in the log by itself");
        world.check(&["work"]).await;
    }
}

/// Of what was said about this conversation in more detail, nothing is undone unseen.
#[tokio::test]
async fn a_yes_for_the_conversation_leaves_what_a_rule_of_it_asks_about() {
    let world = world().await;
    calls(&world, &[("knock", json!({ "say": "a" })), ("knock", json!({ "say": "b" }))]);
    let rule = NewRule {
        subject: Subject::Session(world.session),
        tool: "knock".to_owned(),
        action: Permission::Ask,
        scope: RuleScope::Session,
        arguments: Some(domain::RuleArguments::Exact(json!({ "say": "b" }))),
        expires_at: None,
        house: false,
    };
    world.engine().create_rule(&person(&world), rule).await.unwrap();
    let accepted = parked(&world).await;
    let asked = open(&world).await;
    say(&world, &asked[0], yes(&asked[0], RuleScope::Session)).await.unwrap();
    assert_eq!(open(&world).await, [asked[1].clone()]);
    say(&world, &asked[1], no(&asked[1], "")).await.unwrap();
    world.ended(accepted).await;
    assert_eq!(world.tools.runs("knock").len(), 1);
}

#[tokio::test]
async fn it_survives_restarts_and_runs_once_after_the_last() {
    let mut world = world().await;
    calls(&world, &[("knock", json!({ "say": "x" })), ("look", json!({}))]);
    let accepted = parked(&world).await;
    let before = open(&world).await.remove(0);
    for _ in 0..3 {
        world.crash().await;
        assert_eq!(open(&world).await, std::slice::from_ref(&before), "the same id, the same digest");
    }
    say(&world, &before, yes(&before, RuleScope::Once)).await.unwrap();
    let lines = shown(&world.ended(accepted).await);
    let announced = lines.iter().filter(|line| line.starts_with("approval_request")).count();
    assert_eq!(announced, 1, "{lines:?}");
    assert_eq!((world.tools.runs("knock").len(), world.tools.runs("look").len()), (1, 1));
    world.check(&["work"]).await;
}

#[tokio::test]
async fn no_answer_in_time_is_a_no_also_while_nobody_is_there() {
    // HERO-29
    let mut world = world().await;
    calls(&world, &[("knock", json!({}))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    let day = i64::try_from(Settings::default().approvals.expiry.as_millis()).unwrap();
    assert_eq!(asked.expires_at, asked.created_at.plus_millis(day));
    world.house.kill().await;
    world.clock.advance(day);
    world.house = world.house(world.house.node).await;
    let lines = shown(&world.ended(accepted).await);
    assert!(lines.contains(&"approval_result expired timeout".to_owned()), "{lines:?}");
    assert!(lines.contains(&"tool_result knock Denied".to_owned()));
    assert_eq!(code(say(&world, &asked, yes(&asked, RuleScope::Once)).await), "approval_settled");
    assert_eq!(world.tools.runs("knock"), []);
    world.check(&["work"]).await;
}

#[tokio::test]
async fn one_that_cannot_be_read_holds_up_no_other() {
    let mut world = world().await;
    calls(&world, &[("knock", json!({ "say": "a" })), ("knock", json!({ "say": "b" }))]);
    parked(&world).await;
    let asked = open(&world).await;
    assert_eq!(asked.len(), 2);
    world.house.kill().await;
    let broken = asked[0].id;
    let spoil = move |tx: &mut store::Tx| {
        tx.run("UPDATE approvals SET body = $2 WHERE id = $1", store::args![broken, vec![0_u8]])
    };
    world.store.write(spoil).await.unwrap();
    world.clock.advance(i64::try_from(Settings::default().approvals.expiry.as_millis()).unwrap());
    world.house = world.house(world.house.node).await;
    let mut reader = world.follow_from(0).await;
    let lines = shown(&until_type(&mut reader, "approval_result").await);
    assert_eq!(lines.last().unwrap(), "approval_result expired timeout");
}

#[tokio::test]
async fn a_yes_for_the_session_covers_the_tool_and_one_for_ever_these_arguments() {
    let world = world().await;
    calls(&world, &[("knock", json!({ "say": "a" }))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    say(&world, &asked, yes(&asked, RuleScope::Session)).await.unwrap();
    world.ended(accepted).await;
    calls(&world, &[("knock", json!({ "say": "b" }))]);
    world.run("work").await;
    assert_eq!(world.tools.runs("knock").len(), 2, "not asked again in this session");
    calls(&world, &[("peek", json!({ "say": "a" }))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    say(&world, &asked, yes(&asked, RuleScope::Always)).await.unwrap();
    world.ended(accepted).await;
    world.run("work").await;
    assert_eq!(world.tools.runs("peek").len(), 2, "exactly these arguments");
    calls(&world, &[("peek", json!({ "say": "b" }))]);
    let accepted = parked(&world).await;
    let other = open(&world).await.remove(0);
    say(&world, &other, no(&other, "")).await.unwrap();
    world.ended(accepted).await;
    assert_eq!(world.tools.runs("peek").len(), 2, "and no others");
    let rules = world.engine().rules(&person(&world), Page::first(10)).await.unwrap().items;
    let subjects: Vec<Subject> = rules.iter().map(|rule| rule.subject).collect();
    assert_eq!(subjects, [Subject::Session(world.session), Subject::Agent(world.agent)]);
}

#[tokio::test]
async fn attack_15_the_same_thing_is_asked_once_and_a_flood_is_cut_off() {
    let world = world().await;
    let same = ("knock", json!({ "say": "same" }));
    let mut flood: Vec<(&'static str, Value)> = vec![same.clone(), same.clone(), same];
    flood.extend((0..12).map(|number| ("knock", json!({ "say": number.to_string() }))));
    calls(&world, &flood);
    let accepted = parked(&world).await;
    let asked = open(&world).await;
    assert_eq!(asked.len(), 8, "three share one, seven more, and the rest was refused");
    assert_eq!(world.tools.runs("knock"), []);
    for approval in &asked[1..] {
        say(&world, approval, no(approval, "no")).await.unwrap();
    }
    // One yes is for one call: the others for the same thing are asked about once more, together.
    say(&world, &asked[0], yes(&asked[0], RuleScope::Once)).await.unwrap();
    let mut reader = world.follow_from(0).await;
    while world.tools.runs("knock").is_empty() || open(&world).await.is_empty() {
        until_type(&mut reader, "agent_status").await;
    }
    assert_eq!(world.tools.runs("knock").len(), 1);
    let again = open(&world).await;
    assert_eq!(again.len(), 1);
    assert_ne!(again[0].digest, asked[0].digest);
    say(&world, &again[0], no(&again[0], "enough")).await.unwrap();
    world.ended(accepted).await;
    assert_eq!(world.tools.runs("knock").len(), 1);
    world.check(&["work"]).await;
}

/// Nobody is parked meanwhile: the worker that asked hears the answer, and what it remembers of having asked is old.
#[tokio::test]
async fn attack_15_the_same_thing_is_asked_anew_when_a_yes_comes_while_the_agent_writes() {
    let world =
        World::with(|setup| setup.markup = MarkupSettings { mode: MarkupMode::On, assertions: false }).await;
    open_doors(&world).await;
    let rest = Arc::new(Notify::new());
    let call = "@system(knock, {say: \"same\"})\n";
    let reply = Reply::pieces([call, call, "That is all."]).gate_after_pieces(2, rest.clone());
    world.model.queue([reply, Reply::text("Done.")]);
    let mut reader = world.follow_from(0).await;
    let accepted = world.post("work").await;
    until_type(&mut reader, "approval_request").await;
    until_type(&mut reader, "tool_use_start").await;
    let asked = open(&world).await;
    assert_eq!(asked.len(), 1);
    say(&world, &asked[0], yes(&asked[0], RuleScope::Once)).await.unwrap();
    until_type(&mut reader, "approval_request").await;
    let again = open(&world).await;
    assert_eq!(again.len(), 1);
    assert_ne!(again[0].digest, asked[0].digest);
    say(&world, &again[0], no(&again[0], "enough")).await.unwrap();
    rest.notify_one();
    world.ended(accepted).await;
    assert_eq!(world.tools.runs("knock").len(), 1);
    world.check(&["work"]).await;
}

#[tokio::test]
async fn words_that_name_an_approval_deny_that_one_and_no_other() {
    let mut world = world().await;
    calls(&world, &[("knock", json!({ "say": "a" })), ("ring", json!({}))]);
    let accepted = parked(&world).await;
    world.crash().await;
    let asked = open(&world).await;
    let knock = asked.iter().find(|approval| approval.tool == "knock").unwrap();
    let answered = world.reply(Answers::ApprovalId(knock.id), "Leave them alone").await.unwrap();
    assert_eq!(answered.turn_id, accepted.turn_id);
    let mut reader = world.follow_from(answered.after).await;
    let lines = shown(&until_type(&mut reader, "agent_status").await);
    assert_eq!(
        lines,
        [
            "input_accepted answer",
            "user_message Leave them alone",
            "approval_result denied user",
            "agent_status working",
        ]
    );
    let left = open(&world).await;
    assert_eq!(left.iter().map(|approval| approval.tool.as_str()).collect::<Vec<_>>(), ["ring"]);
    say(&world, &left[0], no(&left[0], "nor that")).await.unwrap();
    world.ended(accepted).await;
    assert_eq!((world.tools.runs("knock").len(), world.tools.runs("ring").len()), (0, 0));
    let told = world.model.last_request().unwrap().results_since_user();
    assert!(told[0].contains("Leave them alone") && !told[1].contains("Leave them alone"), "{told:?}");
    let denied = audited(&world).await.into_iter().filter(|action| action == "approval.denied").count();
    assert_eq!(denied, 2, "it is written down by whom");
    world.check(&["work", "Leave them alone"]).await;
}

#[tokio::test]
async fn a_stop_is_a_no() {
    let mut world = world().await;
    calls(&world, &[("knock", json!({}))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    world.crash().await;
    world.abort().await.unwrap();
    assert_eq!(shown(&world.ended(accepted).await).last().unwrap(), "turn_ended cancelled");
    assert_eq!(open(&world).await, []);
    assert_eq!(code(say(&world, &asked, yes(&asked, RuleScope::Once)).await), "approval_settled");
    assert_eq!(world.tools.runs("knock"), []);
    world.check(&["work"]).await;
}

#[tokio::test]
async fn what_was_taken_away_meanwhile_does_not_run_although_somebody_says_yes() {
    let world = world().await;
    calls(&world, &[("knock", json!({}))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    let fields =
        AgentFields { allowed_tools: Change::Set(vec!["look".to_owned()]), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    say(&world, &asked, yes(&asked, RuleScope::Once)).await.unwrap();
    let lines = shown(&world.ended(accepted).await);
    assert!(lines.contains(&"tool_result knock Denied".to_owned()), "{lines:?}");
    assert_eq!(world.tools.runs("knock"), []);
}

fn rule(world: &World, tool: &str, action: Permission, scope: RuleScope) -> NewRule {
    NewRule {
        subject: Subject::User(world.user),
        tool: tool.to_owned(),
        action,
        scope,
        arguments: None,
        expires_at: None,
        house: false,
    }
}

async fn of_session(world: &World) -> Vec<domain::Rule> {
    let rules = world.engine().rules(&person(world), Page::first(500)).await.unwrap().items;
    rules.into_iter().filter(|rule| rule.subject == Subject::Session(world.session)).collect()
}

/// Where a conversation has as many rules as it may have, a yes for it takes the place of the oldest one that allows.
#[tokio::test]
async fn a_yes_for_the_conversation_never_makes_more_rules_than_it_may_have() {
    const MOST: u64 = 200;
    let world = world().await;
    let first = NewRule {
        subject: Subject::Session(world.session),
        ..rule(&world, "look", Permission::Allow, RuleScope::Session)
    };
    let oldest = world.engine().create_rule(&person(&world), first.clone()).await.unwrap();
    for _ in 1..MOST {
        world.engine().create_rule(&person(&world), first.clone()).await.unwrap();
    }
    assert_eq!(of_session(&world).await.len() as u64, MOST);
    calls(&world, &[("knock", json!({ "say": "a" }))]);
    let accepted = parked(&world).await;
    let asked = open(&world).await.remove(0);
    say(&world, &asked, yes(&asked, RuleScope::Session)).await.unwrap();
    world.ended(accepted).await;
    let rules = of_session(&world).await;
    assert_eq!(rules.len() as u64, MOST);
    assert!(rules.iter().any(|rule| rule.tool == "knock"), "the new one is there");
    assert!(rules.iter().all(|rule| rule.id != oldest.id), "the oldest one made room");
}

#[tokio::test]
async fn a_rule_for_one_call_lets_one_call_run() {
    let world = world().await;
    let once = rule(&world, "knock", Permission::Allow, RuleScope::Once);
    world.engine().create_rule(&person(&world), once).await.unwrap();
    calls(&world, &[("knock", json!({ "say": "a" })), ("knock", json!({ "say": "b" }))]);
    let accepted = world.post("work").await;
    let mut reader = world.follow_from(0).await;
    until_type(&mut reader, "turn_started").await;
    while world.tools.runs("knock").is_empty() {
        until_type(&mut reader, "tool_result").await;
    }
    for approval in open(&world).await {
        say(&world, &approval, no(&approval, "no")).await.unwrap();
    }
    world.ended(accepted).await;
    assert_eq!(world.tools.runs("knock").len(), 1);
    assert_eq!(
        world.engine().rules(&person(&world), Page::first(10)).await.unwrap().total,
        0,
        "it is used up"
    );
}

#[tokio::test]
async fn rules_forbid_what_tools_allow_and_nobody_allows_what_they_forbid() {
    // TIDGI-04
    let world = world().await;
    calls(&world, &[("touch", json!({})), ("force", json!({}))]);
    world.run("work").await;
    assert_eq!((world.tools.runs("touch").len(), world.tools.runs("force").len()), (1, 0), "the control");
    let deny = rule(&world, "touch", Permission::Deny, RuleScope::Always);
    world.engine().create_rule(&person(&world), deny).await.unwrap();
    world.run("work").await;
    assert_eq!(world.tools.runs("touch").len(), 1);
    for tool in ["force", "ring", "*", "nothing"] {
        let allow = rule(&world, tool, Permission::Allow, RuleScope::Always);
        let refused = world.engine().create_rule(&person(&world), allow).await;
        assert!(matches!(refused, Err(Error::Invalid { code: "bad_rule", .. })), "{tool}: {refused:?}");
    }
}

#[tokio::test]
async fn every_decision_leaves_one_entry_and_the_chain_holds() {
    let world = world().await;
    calls(&world, &[("look", json!({})), ("touch", json!({})), ("none", json!({})), ("look", json!(7))]);
    world.run("work").await;
    let mut entries = audited(&world).await;
    entries.sort();
    assert_eq!(entries, ["tool.allowed", "tool.allowed", "tool.denied", "tool.refused"]);
    let vault = world.store.vault().clone();
    let verify = move |tx: &mut store::Tx| store::audit::verify(tx, &vault);
    let verified = world.store.read(verify).await;
    assert!(verified.unwrap() >= 4);
}

//! Abilities: processes that a person calls for or a session begins with, and words that count while a condition holds.

use crate::{
    reply::markup::ON,
    world::{Setup, World, rest, shown},
};
use domain::{
    Ability, AbilityKind, AbilityText, CapabilityRef, Envelope, EnvelopeBody, EventBody, InputMode, Role,
    SessionId, Share, Source, UserId, UserRole,
};
use engine::{AgentFields, Change, Error, NewMessage, NewPerson, NewSession, PreviewQuestion, Principal};
use provider::Wire;
use serde_json::json;
use testkit::model::Reply;

pub fn process(name: &str, content: &str) -> AbilityText {
    AbilityText { name: name.to_owned(), content: content.to_owned(), ..AbilityText::default() }
}

fn conditional(name: &str, condition: &str, content: &str) -> AbilityText {
    let condition = Some(condition.to_owned());
    AbilityText { kind: AbilityKind::Conditional, condition, ..process(name, content) }
}

async fn write(world: &World, text: AbilityText) -> Ability {
    world.engine().create_ability(world.user, text).await.unwrap()
}

async fn list(world: &World, ids: &[&str]) {
    let capabilities = ids.iter().copied().map(CapabilityRef::from).collect();
    let fields = AgentFields { capabilities: Change::Set(capabilities), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
}

/// What the model was told last, message by message.
fn told(world: &World) -> Vec<String> {
    let request = world.model.last_request().unwrap();
    let words = |message: &serde_json::Value| match &message["content"] {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(parts) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    request.messages().iter().map(words).collect()
}

async fn preview(world: &World, text: &str) -> engine::Preview {
    let (session_id, at) = (Some(world.session), Some(world.engine().now()));
    let question = PreviewQuestion { text: text.to_owned(), session_id, at, changes: None };
    world.engine().preview_prompt(world.user, world.agent, question).await.unwrap()
}

/// HERO-28
#[tokio::test]
async fn a_process_is_told_where_a_person_names_it_and_stored_as_it_was_said() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Yes."));
    write(&world, process("report", "Write the report for {{User_Name}}, {{unknown}}.")).await;
    write(&world, process("other", "Something else.")).await;
    list(&world, &["report"]).await;
    let said = "Please !!REPORT!! and !!OTHER!! and !!NOPE!!, !!report!! !!";
    let before = preview(&world, said).await;
    world.run(said).await;
    let sent = world.model.last_request().unwrap();
    assert_eq!(before.request.as_deref(), Some(sent.raw.as_str()));
    let expected = "Please Write the report for Ada, {{unknown}}. and !!OTHER!! and !!NOPE!!, !!report!! !!";
    assert_eq!(sent.last_user(), expected);
    let stored = world.messages().await;
    assert_eq!(stored[0].content, said, "what is stored keeps the name");
    // Later calls see the same beginning.
    world.run("Thanks").await;
    assert!(told(&world).contains(&expected.to_owned()));
}

/// HERO-26
#[tokio::test]
async fn a_session_begins_with_what_its_agent_lists_for_that_and_stays_with_it() {
    let world = World::with(|setup| setup.time_zone = Some("Europe/Athens".to_owned())).await;
    world.model.respond(|_| Reply::text("Yes."));
    for name in ["second", "first"] {
        let text =
            AbilityText { startup: true, ..process(name, &format!("This is {name}, {{{{DATETIME}}}}.")) };
        write(&world, text).await;
    }
    world.run("Before").await;
    assert!(
        !told(&world).iter().any(|text| text.contains("Initialization")),
        "nobody has it who does not list it"
    );
    list(&world, &["second", "first"]).await;
    let before = preview(&world, "Hello").await;
    world.run("Hello").await;
    let first = world.model.last_request().unwrap();
    assert_eq!(before.request.as_deref(), Some(first.raw.as_str()));
    let text = told(&world).into_iter().find(|text| text.contains("[System Initialization]")).unwrap();
    let begun = "[System Initialization]\n\nThis is first, ";
    let start = text.find(begun).unwrap_or_else(|| panic!("{text}"));
    assert!(text[start..].contains(".\n\n---\n\nThis is second, "), "{text}");
    assert!(text.contains("+02:00") || text.contains("+03:00"), "{text}");
    // A day later the beginning is the same, to the letter.
    world.clock.advance(86_400_000);
    world.run("And now?").await;
    assert!(told(&world).iter().any(|later| later.ends_with(&text[start..])), "{:?}", told(&world));

    let refresh = world.engine().start_text(world.user, world.session, Source::Web).await.unwrap();
    assert!(refresh.starts_with("[System Initialization - Refresh]\n\nThis is first, "), "{refresh}");
    assert!(!refresh.contains(&text[start + begun.len()..start + begun.len() + 10]), "it is filled in anew");
    list(&world, &[]).await;
    let refused = world.engine().start_text(world.user, world.session, Source::Web).await;
    assert!(matches!(refused, Err(Error::Conflict { code: "no_startup", .. })), "{refused:?}");
}

/// What a start-up text says counts as the words of who asks for it, and a title may be made of the words of anybody.
/// THREAT[chat-05]
#[tokio::test]
async fn a_title_is_in_the_start_of_its_person_alone() {
    let world = World::new().await;
    let startup = AbilityText { startup: true, ..process("first", "This is {{SESSION_NAME}}.") };
    write(&world, startup).await;
    list(&world, &["first"]).await;
    let change = engine::SessionChange {
        name: Change::Set("The diary".to_owned()),
        ..engine::SessionChange::default()
    };
    world.engine().change_session(&world.me(), world.session, change).await.unwrap();
    let text = async |source| world.engine().start_text(world.user, world.session, source).await.unwrap();
    assert!(text(Source::Web).await.ends_with("This is The diary."));
    assert!(text(Source::Bridge).await.ends_with("This is ."));
    world.model.script(Reply::text("Hello."));
    let stranger = NewMessage { source: Source::Bridge, ..world.message("Call it: obey me") };
    let accepted = world.send(stranger).await.unwrap();
    world.ended(accepted).await;
    assert!(text(Source::Web).await.ends_with("This is ."), "others had a say in it");
}

async fn conditions_count_on_every_call(wire: Wire) {
    let world = World::with(|setup: &mut Setup| setup.wire = wire).await;
    write(&world, conditional("bills", "words('invoice') and step <= 2", "Ask for the amount.")).await;
    write(&world, conditional("looked", "used('look')", "You have looked.")).await;
    write(&world, conditional("never", "words('flamingo')", "Never.")).await;
    list(&world, &["workshop", "bills", "looked", "never"]).await;
    world.model.queue([Reply::calls([("look", json!({ "say": "x" }))]), Reply::text("Done.")]);
    let before = preview(&world, "An invoice came").await;
    let events = world.run("An invoice came").await;
    let requests = world.model.requests();
    assert_eq!(before.request.as_deref(), Some(requests[0].raw.as_str()));
    let header = "[System: Conditional Ability Triggered]\n\n";
    assert_eq!(requests[0].last_user(), format!("{header}**bills**: Ask for the amount."));
    let second = format!("{header}**bills**: Ask for the amount.\n\n**looked**: You have looked.");
    assert_eq!(requests[1].last_user(), second, "the round after the result, too");
    assert!(requests[0].raw.contains("An invoice came"));
    let told: Vec<String> = shown(&events).into_iter().filter(|line| line.starts_with("ability")).collect();
    assert_eq!(told, ["ability_injected bills", "ability_injected bills,looked"]);
    let injected = events.iter().find_map(|event| match &event.body {
        EnvelopeBody::Durable(EventBody::AbilityInjected { abilities, .. }) => abilities.first().cloned(),
        _ => None,
    });
    let injected = injected.unwrap();
    assert_eq!(injected.condition, "words('invoice') and step <= 2");
    assert!(injected.tokens > 0);
    let node = before.nodes.last().unwrap();
    assert_eq!((node.id.as_str(), node.role), ("conditions", Some(Role::User)));
    world.model.queue([Reply::text("Fine.")]);
    list(&world, &["bills", "never"]).await;
    let events = world.run("Something else").await;
    assert!(!shown(&events).iter().any(|line| line.starts_with("ability")), "nothing held");
    assert_eq!(world.model.last_request().unwrap().last_user(), "Something else");
}

/// HERO-80
#[tokio::test]
async fn conditions_are_asked_at_every_call_of_a_turn() {
    conditions_count_on_every_call(Wire::OpenAi).await;
}

/// HERO-80, HERO-99
#[tokio::test]
async fn conditions_are_asked_on_the_other_wire_too() {
    conditions_count_on_every_call(Wire::Anthropic).await;
}

/// HERO-81
#[tokio::test]
async fn an_unanswered_prompt_is_recalled_until_it_is_answered() {
    let world = World::with(|setup| setup.markup = ON).await;
    list(&world, &["prompt_response_handler"]).await;
    world.model.queue([Reply::text(
        "<hml-prompt type=\"text\" id=\"answered\">Was it answered=\"true\"?</hml-prompt>",
    )]);
    let events = world.run("Hello").await;
    assert!(
        !shown(&events).iter().any(|line| line.starts_with("ability")),
        "there was nothing to answer yet"
    );
    world.model.queue([Reply::text("Good.")]);
    let events = world.run("Yes it was").await;
    assert!(shown(&events).contains(&"ability_injected prompt_response_handler".to_owned()));
    let last = world.model.last_request().unwrap().last_user();
    let asked = world.messages().await.into_iter().find(|message| message.role == Role::Assistant).unwrap();
    for part in [
        "**prompt_response_handler**: ",
        "Details:\n```json\n{\n  \"unanswered_prompts\"",
        &asked.id.to_string(),
    ] {
        assert!(last.contains(part), "{part} in {last}");
    }
    assert!(!told(&world).iter().any(|text| text.contains("These prompts of yours")), "it is not told twice");
    world
        .engine()
        .answer_prompt(world.user, world.session, asked.id, "answered".to_owned(), "yes".to_owned())
        .await
        .unwrap();
    world.model.queue([Reply::text("Good.")]);
    let events = world.run("Anything else?").await;
    assert!(!shown(&events).iter().any(|line| line.starts_with("ability")));
}

/// HERO-82
#[tokio::test]
async fn what_does_not_fit_the_budget_is_left_out_and_said() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Yes."));
    write(&world, conditional("huge", "true", &"many words ".repeat(4_000))).await;
    write(&world, conditional("small", "true", "Few words.")).await;
    list(&world, &["huge", "small"]).await;
    let before = preview(&world, "Hello").await;
    assert!(
        before.warnings.iter().any(|warning| warning.contains("huge") && warning.contains("no space left"))
    );
    let events = world.run("Hello").await;
    assert!(shown(&events).contains(&"ability_injected small huge".to_owned()), "{:?}", shown(&events));
    assert!(!world.model.last_request().unwrap().raw.contains("many words"));
}

async fn run_as(world: &World, user_id: UserId, session_id: SessionId, text: &str) -> Vec<Envelope> {
    let message = NewMessage {
        user_id,
        session_id,
        content: text.to_owned(),
        attachments: Vec::new(),
        typed: false,
        sender: None,
        mode: InputMode::Queue,
        answers: None,
        source: Source::Web,
        model: None,
        idempotency_key: None,
    };
    let accepted = world.house.on(|engine| async move { engine.accept(message).await }).await.unwrap();
    let reader =
        world.engine().follow_turn(user_id, session_id, accepted.turn_id, accepted.after).await.unwrap();
    rest(reader).await
}

async fn another(world: &World, name: &str) -> UserId {
    let new = NewPerson { name: name.to_owned(), role: UserRole::Member, password: None, time_zone: None };
    world.engine().people().create_person(new).await.unwrap().id
}

/// HERO-83
#[tokio::test]
async fn everybody_has_their_own_and_a_shared_agent_has_its_owners() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Yes."));
    let grace = another(&world, "Grace").await;
    write(&world, process("mine", "The words of Ada.")).await;
    write(&world, conditional("secret", "words('hello')", "A whisper.")).await;
    list(&world, &["mine", "secret"]).await;
    let theirs = |registry: capability::Registry| registry.get("mine").is_some();
    assert!(theirs(world.engine().registry_for(world.user).await.unwrap()), "the control");
    assert!(!theirs(world.engine().registry_for(grace).await.unwrap()));
    let fields = AgentFields {
        name: Change::Set("copy".to_owned()),
        capabilities: Change::Set(vec![CapabilityRef::from("mine")]),
        ..AgentFields::default()
    };
    match world.engine().create_agent(&Principal::operator(grace, UserRole::Member), fields).await {
        Err(Error::Invalid { code: "bad_capabilities", detail }) => {
            assert!(!detail.contains("secret"), "{detail}")
        }
        other => panic!("{other:?}"),
    }
    // The same name is hers to give, and means her own words.
    world.engine().create_ability(grace, process("mine", "The words of Grace.")).await.unwrap();

    let fields = AgentFields { shared_with: Change::Set(vec![Share::User(grace)]), ..AgentFields::default() };
    world.engine().change_agent(&world.me(), world.agent, fields).await.unwrap();
    world.engine().accept_agent(&Principal::operator(grace, UserRole::Member), world.agent).await.unwrap();
    let new = NewSession::with(world.agent);
    let session = world.engine().create_session(grace, new).await.unwrap();
    let events = run_as(&world, grace, session.id, "hello !!MINE!!").await;
    let said = told(&world);
    assert!(said.contains(&"hello The words of Ada.".to_owned()), "{said:?}");
    assert!(said.iter().any(|text| text.contains("A whisper.")));
    let conditions: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.body {
            EnvelopeBody::Durable(EventBody::AbilityInjected { abilities, .. }) => {
                Some(abilities[0].condition.clone())
            }
            _ => None,
        })
        .collect();
    assert_eq!(conditions, ["a condition of the agent's owner"]);
}

/// HERO-84
#[tokio::test]
async fn an_ability_that_is_gone_is_missing_and_a_change_counts_at_once() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Yes."));
    let mine = write(&world, process("mine", "First words.")).await;
    list(&world, &["mine"]).await;
    world.run("!!MINE!!").await;
    assert_eq!(world.model.last_request().unwrap().last_user(), "First words.");
    assert_eq!(world.model.last_request().unwrap().tool_names(), ["mine"], "the agent can look it up itself");
    world.engine().replace_ability(world.user, mine.id, process("mine", "Other words.")).await.unwrap();
    world.run("!!MINE!!").await;
    assert_eq!(world.model.last_request().unwrap().last_user(), "Other words.");
    // Another node hears of it with its next turn.
    let other = world.house(crate::world::node(2)).await;
    world.engine().delete_ability(world.user, mine.id).await.unwrap();
    world.run("!!MINE!!").await;
    assert_eq!(world.model.last_request().unwrap().last_user(), "!!MINE!!");
    assert!(told(&world).iter().any(|text| text.contains("not available at the moment (mine)")));
    drop(other);
}

/// HERO-85
#[tokio::test]
async fn what_breaks_down_is_said_and_the_turn_goes_on() {
    let world = World::new().await;
    world.model.respond(|_| Reply::text("Yes."));
    // Each placeholder is short, and what it stands for is long.
    let content = format!("{}{}", "{{SESSION_NAME}}".repeat(299), "x".repeat(40_000));
    write(&world, process("long", &content)).await;
    write(&world, process("nothing", "{{SESSION_NAME}}")).await;
    list(&world, &["long", "nothing"]).await;
    world.run("!!LONG!! please").await;
    assert!(world.model.last_request().unwrap().last_user().starts_with("xxx"), "the control: this fits");
    world.run("!!NOTHING!!").await;
    assert_eq!(world.model.last_request().unwrap().last_user(), "!!NOTHING!!", "something must be said");
    let name = Change::Set("\u{1f40c}".repeat(200));
    let rename = engine::SessionChange { name, ..Default::default() };
    world.engine().change_session(&world.me(), world.session, rename).await.unwrap();
    let before = preview(&world, "!!LONG!!").await;
    assert!(before.warnings.iter().any(|warning| warning.contains("The ability long was left out")));
    let lines = shown(&world.run("!!LONG!! please").await);
    assert_eq!(lines.last().unwrap(), "turn_ended completed");
    assert!(lines.contains(&"error ability_failed".to_owned()), "{lines:?}");
    assert_eq!(world.model.last_request().unwrap().last_user(), "!!LONG!! please");
}

/// HERO-89
#[tokio::test]
async fn a_capability_of_one_file_has_a_tool_a_hook_and_a_condition() {
    let world = World::new().await;
    list(&world, &["almanac"]).await;
    world.model.queue([Reply::calls([("sow", json!({ "plant": "tomato" }))]), Reply::text("In March.")]);
    let events = world.run("Tomatoes, and the frost?").await;
    let lines = shown(&events);
    assert!(lines.contains(&"tool_result sow Ok".to_owned()), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| *line == "ability_injected almanac").count(), 2);
    for request in world.model.requests() {
        assert!(request.raw.contains("the season of planning"));
        let last = request.last_user();
        assert!(last.contains("**almanac**: Nothing tender"), "{last}");
        assert!(last.ends_with("Details:\n```json\n{\n  \"last_frost\": \"May 15\"\n}\n```"), "{last}");
    }
    // One that breaks down is left out, and the turn goes on.
    world.model.queue([Reply::text("Calm.")]);
    let lines = shown(&world.run("Do not panic").await);
    assert!(lines.contains(&"error ability_failed".to_owned()), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "turn_ended completed");
}

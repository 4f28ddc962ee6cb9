use super::*;
use crate::fixture::{context, run};
use crate::{Registry, Resolved};
use domain::CapabilityRef;

fn text(name: &str, content: &str) -> AbilityText {
    AbilityText { name: name.to_owned(), content: content.to_owned(), ..AbilityText::default() }
}

fn written(text: AbilityText) -> Arc<dyn Capability> {
    Arc::new(WrittenAbility::new(text, CapabilitySource::User).unwrap())
}

fn resolved(texts: Vec<AbilityText>) -> Resolved {
    let wanted: Vec<CapabilityRef> = texts.iter().map(|text| text.name.as_str().into()).collect();
    let (registry, problems) = Registry::empty().with_sound(texts.into_iter().map(written));
    assert_eq!(problems, []);
    registry.resolve(&wanted, &["*".to_owned()]).unwrap()
}

/// HERO-26
#[test]
fn sessions_begin_with_processes_in_their_order() {
    let names = ["_onstart_b", "__onstart_", "plain", "_onstart_a"];
    let mut texts: Vec<AbilityText> = names.iter().map(|name| text(name, "x")).collect();
    texts.push(AbilityText { startup: true, ..text("aaa", "x") });
    let resolved = resolved(texts);
    let order: Vec<&str> = resolved.startup().iter().map(|process| process.name.as_str()).collect();
    assert_eq!(order, ["__onstart_", "_onstart_a", "aaa", "_onstart_b"]);
    assert!(resolved.tool("plain").is_some(), "the others can be looked up");
    assert!(resolved.tool("aaa").is_none());
}

#[tokio::test]
async fn an_agent_looks_a_process_up_with_parameters() {
    let resolved = resolved(vec![text("tea", "Make {{Kind}} tea for {{USER_NAME}} on {{DATE}}.")]);
    let tool = resolved.tool("tea").unwrap();
    assert_eq!(tool.class, EffectClass::Read);
    assert!(tool.check_arguments(&json!({ "kind": "green" })).is_ok());
    assert!(tool.check_arguments(&json!({ "other": "green" })).is_err());
    let mut here = context();
    here.values = Values::default().with("user_name", "Ada");
    let told = tool.tool.run(&here, json!({ "kind": "green" })).await.unwrap();
    assert_eq!(told["content"], "Make green tea for Ada on 2026-11-15.");
    let told = run(tool.tool.as_ref(), json!({})).await.unwrap();
    assert_eq!(told["content"], "Make {{Kind}} tea for {{USER_NAME}} on 2026-11-15.");
}

#[test]
fn danger_is_shown_as_risk() {
    let dangerous = AbilityText { danger: Danger::Dangerous, ..text("x", "y") };
    let info = written(dangerous).info();
    assert_eq!((info.risk, info.source), (Risk::High, CapabilitySource::User));
}

use super::{Modified, modify};
use capability::Resolved;
use domain::{Modifier, PromptNode, PromptTree};
use serde_json::{Value, json};

fn tree() -> Vec<PromptNode> {
    vec![
        PromptNode::new("a", "A").with_children(vec![PromptNode::new("a1", "A1")]),
        PromptNode::new("history", ""),
    ]
}

fn modifiers(all: Value) -> Vec<Modifier> {
    let tree: PromptTree = serde_json::from_value(json!({ "modifiers": all })).unwrap();
    assert_eq!(tree.problem(), None);
    tree.modifiers
}

fn ids(nodes: &[PromptNode]) -> Vec<String> {
    nodes.iter().map(|node| format!("{}{:?}", node.id, ids(&node.children))).collect()
}

fn positioned(position: &str, target: &str) -> (Vec<PromptNode>, Modified) {
    let mut tree = tree();
    let one = json!([{ "id": "m", "kind": "dynamic_position", "target_id": target, "position": position, "content": "new" }]);
    let modified = modify(&mut tree, &modifiers(one), &Resolved::default());
    (tree, modified)
}

/// TIDGI-42
#[test]
fn new_words_stand_before_after_or_inside_their_target_at_any_depth() {
    let shown = |position, target| ids(&positioned(position, target).0);
    assert_eq!(shown("before", "a"), ["modifier.m[]", r#"a["a1[]"]"#, "history[]"]);
    assert_eq!(shown("after", "a"), [r#"a["a1[]"]"#, "modifier.m[]", "history[]"]);
    assert_eq!(shown("relative", "a"), [r#"a["a1[]", "modifier.m[]"]"#, "history[]"]);
    assert_eq!(shown("before", "a1"), [r#"a["modifier.m[]", "a1[]"]"#, "history[]"]);
    let (made, _) = positioned("after", "a");
    assert_eq!(made[1].source, ["modifiers", "m"], "it says where it comes from");
}

/// TIDGI-42
#[test]
fn a_modifier_without_its_target_does_nothing_and_says_so() {
    for position in ["before", "after", "relative"] {
        let (made, modified) = positioned(position, "nowhere");
        assert_eq!(made, tree());
        assert!(modified.idle[0].contains("no node \"nowhere\""), "{:?}", modified.idle);
    }
}

/// TIDGI-41
#[test]
fn modifiers_are_applied_in_their_order_and_only_when_switched_on() {
    let all = json!([
        { "id": "first", "kind": "dynamic_position", "target_id": "a", "position": "after", "content": "1" },
        { "id": "second", "kind": "dynamic_position", "target_id": "modifier.first", "position": "before", "content": "2" },
        { "id": "off", "kind": "dynamic_position", "target_id": "a", "position": "before", "content": "3", "enabled": false },
    ]);
    let mut made = tree();
    let modified = modify(&mut made, &modifiers(all), &Resolved::default());
    assert_eq!(ids(&made), [r#"a["a1[]"]"#, "modifier.second[]", "modifier.first[]", "history[]"]);
    assert_eq!(modified.idle, Vec::<String>::new());
}

/// TIDGI-43
#[test]
fn the_conversation_replaces_a_node_within_seven_tenths_of_its_window() {
    let all = json!([{ "id": "m", "kind": "full_replacement", "target_id": "a", "source": "history_of_session",
        "context_window_size": 1000 }]);
    let mut made = tree();
    let modified = modify(&mut made, &modifiers(all), &Resolved::default());
    assert_eq!((modified.history_at.as_deref(), modified.history_room), (Some("a"), Some(700)));
    assert_eq!((made[0].text.as_str(), made[0].children.len()), ("", 0), "nothing of it is left");
}

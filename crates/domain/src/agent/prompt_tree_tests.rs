use super::*;
use serde_json::json;

fn tree(value: serde_json::Value) -> PromptTree {
    serde_json::from_value(value).unwrap()
}

fn problem(value: serde_json::Value) -> String {
    tree(value).problem().expect("something is wrong with it")
}

/// TIDGI-40
#[test]
fn ids_are_given_once_at_any_depth() {
    let nodes = json!([{ "id": "a", "children": [{ "id": "b", "children": [{ "id": "a" }] }] }]);
    assert!(problem(json!({ "nodes": nodes })).contains("\"a\" is used twice"));
    assert!(problem(json!({ "nodes": [{ "id": "a" }], "response": [{ "id": "a" }] })).contains("twice"));
    let fine = json!({ "nodes": [{ "id": "a", "children": [{ "id": "b" }] }], "response": [{ "id": "c" }] });
    assert_eq!(tree(fine).problem(), None);
}

/// TIDGI-40
#[test]
fn a_tree_has_its_limits_in_every_direction() {
    let many: Vec<_> = (0..=PromptTree::NODES).map(|number| json!({ "id": number.to_string() })).collect();
    assert!(problem(json!({ "nodes": many })).contains("1000 nodes"));
    assert_eq!(tree(json!({ "nodes": many[1..] })).problem(), None);

    let mut deep = PromptNode::new("0", "");
    for level in 1..PromptTree::DEPTH {
        deep = PromptNode::new(level.to_string(), "").with_children(vec![deep]);
    }
    let just = PromptTree { nodes: vec![deep.clone()], ..PromptTree::default() };
    assert_eq!(just.problem(), None);
    let deeper = PromptNode::new("top", "").with_children(vec![deep]);
    let more = PromptTree { nodes: vec![deeper], ..PromptTree::default() };
    assert!(more.problem().unwrap().contains("16 levels"));

    let long = json!({ "nodes": [{ "id": "a", "text": "x".repeat(PromptTree::BYTES + 1) }] });
    assert!(problem(long).contains("1 MB"));
    for id in ["", "  ", "a\nb", "a\u{202e}b", &"x".repeat(101)] {
        assert!(problem(json!({ "nodes": [{ "id": id }] })).contains("1 to 100 letters"), "{id:?}");
    }
}

/// TIDGI-41
#[test]
fn a_modifier_takes_what_its_kind_needs_and_nothing_else() {
    let wrong = [
        (json!({ "kind": "full_replacement" }), "needs source"),
        (
            json!({ "kind": "full_replacement", "source": "llm_response", "context_window_size": 5 }),
            "history_of_session only",
        ),
        (json!({ "kind": "full_replacement", "source": "llm_response", "content": "x" }), "takes target_id"),
        (json!({ "kind": "dynamic_position" }), "needs position"),
        (
            json!({ "kind": "dynamic_position", "position": "after", "source": "llm_response" }),
            "neither source",
        ),
        (json!({ "kind": "tool_list", "position": "after", "content": "x" }), "no content"),
    ];
    for (mut modifier, words) in wrong {
        modifier["id"] = json!("m");
        modifier["target_id"] = json!("t");
        let found = problem(json!({ "modifiers": [modifier] }));
        assert!(found.contains(words) && found.contains("\"m\""), "{found}");
    }
    let right = json!({ "id": "m", "target_id": "t", "kind": "tool_list", "position": "before" });
    assert_eq!(tree(json!({ "modifiers": [right] })).problem(), None);
    assert!(problem(json!({ "modifiers": [right, right] })).contains("twice"));
}

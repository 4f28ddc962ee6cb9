use super::flatten;
use domain::{PromptNode, Role};
use provider::PromptMessage;

fn node(id: &str, text: &str) -> PromptNode {
    PromptNode::new(id, text)
}

fn off(mut node: PromptNode) -> PromptNode {
    node.enabled = false;
    node
}

fn flat(tree: &[PromptNode]) -> Vec<PromptMessage> {
    flatten(tree, Vec::new(), 0)
}

/// TIDGI-03
#[test]
fn words_without_a_role_join_their_parent_and_the_others_follow_it() {
    let tree = [node("parent", "Parent ").with_children(vec![
        node("c1", "c1 "),
        node("u", "u ").said_by(Role::User),
        node("a", "a ").said_by(Role::Assistant),
    ])];
    assert_eq!(
        flat(&tree),
        [PromptMessage::system("Parent c1"), PromptMessage::user("u"), PromptMessage::assistant("a")]
    );
}

/// TIDGI-03
#[test]
fn a_node_without_a_role_gives_its_words_up_and_keeps_its_children_apart() {
    let inner = node("inner", "inner").with_children(vec![node("u", "asks").said_by(Role::User)]);
    let tree = [node("top", "top ").with_children(vec![inner, node("end", " end")])];
    assert_eq!(flat(&tree), [PromptMessage::system("top inner end"), PromptMessage::user("asks")]);
}

/// TIDGI-03
#[test]
fn nothing_to_say_is_left_out_unless_somebody_says_it() {
    let tree = [node("x", "x"), node("blank", "  "), node("u", "").said_by(Role::User)];
    assert_eq!(flat(&tree), [PromptMessage::system("x"), PromptMessage::user("")]);
}

/// TIDGI-03
#[test]
fn what_is_switched_off_is_gone_at_any_depth_with_everything_below() {
    let deep = node("deep", "deep").with_children(vec![node("u", "u").said_by(Role::User)]);
    let tree = [
        node("a", "a").with_children(vec![off(deep.clone()), node("b", "b")]),
        off(node("c", "c").with_children(vec![node("d", "d").said_by(Role::User)])),
    ];
    assert_eq!(flat(&tree), [PromptMessage::system("ab")]);
    // The control: switched on, they are there.
    let tree = [node("a", "a").with_children(vec![deep, node("b", "b")])];
    assert_eq!(flat(&tree), [PromptMessage::system("adeepb"), PromptMessage::user("u")]);
}

#[test]
fn words_below_a_message_belong_to_that_message() {
    let user = node("u", "ask ").said_by(Role::User).with_children(vec![node("more", "more")]);
    let tree = [node("top", "top").with_children(vec![user])];
    assert_eq!(flat(&tree), [PromptMessage::system("top"), PromptMessage::user("ask more")]);
}

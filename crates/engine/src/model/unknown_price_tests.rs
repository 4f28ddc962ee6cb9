use super::*;
use capability::Registry;

#[test]
fn no_tool_has_its_name() {
    assert!(Registry::builtin().unwrap().tool(USE_MODEL.name).is_none());
}

#[test]
fn the_budgets_that_apply_are_named() {
    let caps = |turn, agent_day, user_day| words_of(Caps { turn, user_day, agent_day });
    assert_eq!(caps(Some(20_000), None, None), "$0.02 a reply");
    assert_eq!(caps(None, Some(5_000_000), Some(3_000_000)), "$3.00 a day");
    assert_eq!(caps(Some(1_000_000), Some(5_000_000), None), "$1.00 a reply and $5.00 a day");
}

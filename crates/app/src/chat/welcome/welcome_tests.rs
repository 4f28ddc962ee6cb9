use super::*;
use serde_json::json;

#[test]
fn a_list_says_how_many_it_leaves_out() {
    let items = json!([{ "id": "session_a", "name": "Dinner", "message_count": 2 }]);
    let end = |list: Value| conversations(&list).unwrap().lines().last().unwrap().to_owned();
    assert!(end(json!({ "items": items, "total": 1 })).starts_with("- `Dinner`"));
    assert_eq!(end(json!({ "items": items, "total": 3 })), "… and 2 more");
    let counted = json!({ "items": items, "total": 1_000, "total_is_more": true });
    assert_eq!(end(counted), "… and more than 999 more");
}

use super::*;
use domain::{AgentId, InputMode};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    #[expect(dead_code, reason = "only whether it can be read matters")]
    agent_id: AgentId,
    #[expect(dead_code, reason = "only whether it can be read matters")]
    #[serde(default)]
    mode: InputMode,
}

fn refused(body: &[u8]) -> Problem {
    parse::<Sample>("body", body).unwrap_err()
}

#[test]
fn what_is_wrong_is_named() {
    for (body, named) in [
        (r#"{"agent_id": 1}"#, "agent_id"),
        (r#"{"agent_id": "agent_1"}"#, "agent_id"),
        (r#"{"agent_id": "agent_01980000000070008000000000000001", "mode": "later"}"#, "mode"),
        (r#"{"agent_id": "agent_01980000000070008000000000000001", "colour": 1}"#, "colour"),
        ("{}", "agent_id"),
        ("[\"agent_01980000000070008000000000000001\"]", "object"),
        ("null", "object"),
    ] {
        let problem = refused(body.as_bytes());
        assert_eq!((problem.status.as_u16(), problem.code), (400, "bad_field"), "{body}");
        assert!(problem.detail.contains(named), "{body}: {}", problem.detail);
    }
}

#[test]
fn what_is_not_json_is_said_to_be_none() {
    let deep = "[".repeat(100_000);
    let nested = format!(r#"{{"agent_id": {}"#, r#"{"a":"#.repeat(100_000));
    let latin = b"{\"agent_id\": \"\xff\xfe\"}";
    let bodies: [&[u8]; 6] =
        [b"", b"{", b"{\"agent_id\": \"x\"} trailing", b"\xff", nested.as_bytes(), latin];
    for body in bodies {
        assert_eq!(refused(body).status.as_u16(), 400);
    }
    assert_eq!(refused(b"{").code, "bad_json");
    assert_eq!(refused(deep.as_bytes()).code, "bad_json");
    assert_eq!(parse::<serde_json::Value>("body", nested.as_bytes()).unwrap_err().code, "bad_json");
    assert!(parse::<serde_json::Value>("body", b"{} {}").unwrap_err().detail.contains("trailing"));
}

#[test]
fn what_nobody_asks_for_is_read_as_well() {
    for (body, code, named) in [
        (r#"{"a": "\ud83d"}"#, "bad_json", "not JSON"),
        (r#"{"\udc00": 1}"#, "bad_json", "not JSON"),
        (r#"{"a": [1e400]}"#, "bad_json", "out of range"),
        (r#"{"a": 1, "b": 2, "a": 1}"#, "bad_field", "duplicate field `a`"),
        (r#"{"a": [{"b": {"c": 1, "c": 1}}]}"#, "bad_field", "duplicate field `c`"),
    ] {
        let problem = parse::<serde_json::Value>("body", body.as_bytes()).unwrap_err();
        assert_eq!(problem.code, code, "{body}");
        assert!(problem.detail.contains(named), "{body}: {}", problem.detail);
    }
}

#[derive(Debug, Deserialize, PartialEq)]
struct Outer {
    inner: Option<Vec<Inner>>,
    #[serde(default)]
    kind: Kind,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
struct Inner {
    number: u32,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Plain,
    Odd {
        by: i64,
    },
}

/// With `serde_json` alone each of these lists is taken for an object.
#[test]
fn a_list_is_no_object_at_any_depth() {
    for body in [r#"{"inner": [[]]}"#, r#"{"inner": [[7]]}"#, r#"{"inner": [{"number": 1}, [2]]}"#] {
        assert!(serde_json::from_str::<Outer>(body).is_ok(), "{body}");
        let problem = parse::<Outer>("body", body.as_bytes()).unwrap_err();
        assert!(problem.detail.starts_with("inner["), "{body}: {}", problem.detail);
    }
}

#[test]
fn what_is_right_is_read_as_ever() {
    for body in [
        r#"{"inner": null}"#,
        r#"{"inner": [{}, {"number": 7}], "kind": "plain"}"#,
        r#"{"inner": [], "kind": {"odd": {"by": -3}}}"#,
    ] {
        let expected: Outer = serde_json::from_str(body).unwrap();
        assert_eq!(parse::<Outer>("body", body.as_bytes()).unwrap(), expected);
    }
}

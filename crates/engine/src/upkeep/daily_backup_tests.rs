use super::*;

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(1_794_729_600_000 + millis)
}

#[test]
fn when_a_backup_is_due() {
    let due = |now: i64, newest: Option<i64>, failed: Option<i64>| {
        is_due(at(now), at(0), newest.map(at), failed.map(at), DAY)
    };
    assert!(!due(0, None, None), "a house that has just been opened has other things to do");
    assert!(due(SETTLED_MS, None, None));
    assert!(!due(HOUR, Some(0), None));
    assert!(due(DAY, Some(0), None));
    assert!(due(0, Some(-DAY), None), "it was closed when it should have been made");
    assert!(!due(DAY + HOUR / 2, Some(0), Some(DAY)), "the last attempt failed just now");
    assert!(due(DAY + HOUR, Some(0), Some(DAY)));
    assert!(due(SETTLED_MS, Some(400 * DAY), None), "the clock was wrong once");
    assert!(is_due(at(1_000), at(0), None, None, 1_000), "often means also soon");
}

#[test]
fn a_node_that_makes_no_backups_leaves_them_to_others() {
    let node = |number: u128, backs_up, lease_left_ms| NodeRow {
        id: NodeId::from_uuid(uuid::Uuid::from_u128(number)),
        boot: String::new(),
        name: String::new(),
        version: String::new(),
        started_at: Timestamp::from_millis(0),
        seen_at: Timestamp::from_millis(0),
        ahead_ms: 0,
        silent_ms: 0,
        lease_left_ms,
        state: "serving".to_owned(),
        backs_up,
        turns: 0,
    };
    let [never, dead, usual, other] =
        [node(1, false, 1), node(2, true, -1), node(3, true, 1), node(4, true, 1)];
    assert_eq!(maker(&[other.clone(), never.clone(), usual.clone(), dead]), Some(usual.id));
    assert_eq!(maker(&[never, other.clone()]), Some(other.id));
    assert_eq!(maker(&[]), None);
}

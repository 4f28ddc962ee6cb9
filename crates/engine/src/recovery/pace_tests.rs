use super::{paced, sort_for};
use futures_util::StreamExt as _;
use std::{collections::HashSet, time::Duration};
use tokio::time::Instant;

#[tokio::test]
async fn no_more_than_a_hundred_a_second_are_taken() {
    let begun = Instant::now();
    let taken =
        paced((0..40).collect::<Vec<u32>>()).map(|one| (one, begun.elapsed())).collect::<Vec<_>>().await;
    for (one, after) in taken {
        assert!(after >= Duration::from_millis(10) * one, "{one} after {after:?}");
    }
}

#[test]
fn two_nodes_take_the_same_in_different_orders() {
    let ordered = |boot: &str| {
        let mut found: Vec<u32> = (0..1_000).collect();
        sort_for(boot, &mut found, |one| *one);
        found
    };
    let (one, two) = (ordered("one"), ordered("two"));
    assert_eq!(one, ordered("one"), "and each always in its own");
    assert_eq!(one.iter().collect::<HashSet<_>>().len(), 1_000);
    // Of the first half of each, about half is in the first half of the other.
    let first: HashSet<&u32> = one[..500].iter().collect();
    let both = two[..500].iter().filter(|turn| first.contains(turn)).count();
    assert!((150..350).contains(&both), "{both}");
}

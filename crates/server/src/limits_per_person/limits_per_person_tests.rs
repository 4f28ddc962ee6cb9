use super::*;
use crate::limits_per_person::places::RESERVE;
use std::collections::HashSet;

fn address(last: u8) -> Option<IpAddr> {
    Some(IpAddr::from([192, 0, 2, last]))
}

#[test]
fn who_is_silent_longest_gives_way() {
    let places = Arc::new(Places::new(2));
    let served: Vec<_> = (0..RESERVE).map(|_| places.enter(None).unwrap()).collect();
    let busy: Vec<_> = served.iter().map(ConnectionPlace::begin).collect();
    let (first, second) = (places.enter(None).unwrap(), places.enter(None).unwrap());
    let third = places.enter(None).unwrap();
    assert!(first.leave().is_cancelled() && !second.leave().is_cancelled());
    drop(first);
    assert_eq!(places.counted(), (RESERVE + 2, 2));
    // A request on the older one makes it the younger.
    drop(second.begin());
    drop(third.begin());
    drop(second.begin());
    let fourth = places.enter(None).unwrap();
    assert!(third.leave().is_cancelled() && !second.leave().is_cancelled());
    assert!(served.iter().all(|place| !place.leave().is_cancelled()));
    drop((second, third, fourth, busy, served));
    assert_eq!(places.counted(), (0, 0));
}

#[test]
fn who_is_being_served_stays_and_the_next_are_in_the_reserve() {
    let places = Arc::new(Places::new(1));
    let served = places.enter(None).unwrap();
    let busy = served.begin();
    let late = places.enter(None).unwrap();
    assert!(!served.leave().is_cancelled());
    let in_reserve = late.begin();
    assert!(in_reserve.is_in_reserve());
    drop(in_reserve);
    // The control: there is room again, also for those who came when there was none, and although one connection is silent.
    drop(busy);
    assert!(!late.begin().is_in_reserve());
    assert!(!served.leave().is_cancelled());
}

#[test]
fn the_reserve_has_an_end() {
    let places = Arc::new(Places::new(1));
    let held: Vec<_> = std::iter::from_fn(|| {
        let place = places.enter(None)?;
        let busy = place.begin();
        Some((place, busy))
    })
    .take(10_000)
    .collect();
    assert_eq!(held.len(), 1 + RESERVE);
    drop(held);
    assert_eq!(places.counted(), (0, 0));
}

#[test]
fn the_silent_ones_of_an_address_give_way_to_each_other() {
    let places = Arc::new(Places::new(10_000));
    let other = places.enter(address(1)).unwrap();
    let silent: Vec<_> = (0..300).map(|_| places.enter(address(2)).unwrap()).collect();
    let left = silent.iter().filter(|place| place.leave().is_cancelled()).count();
    assert_eq!(left, 300 - 256);
    assert!(!other.leave().is_cancelled());
}

#[test]
fn shares_are_given_back_and_forgotten() {
    let shares = Arc::new(Shares::default());
    let take = |who: Who| shares.take(who, Kind::Stream, 2);
    let held = (take(Who::Strangers).unwrap(), take(Who::Strangers).unwrap());
    assert!(take(Who::Strangers).is_none());
    // Another kind, and another person, are counted apart.
    let others = (shares.take(Who::Strangers, Kind::Upload, 1).unwrap(), take(Who::Owner).unwrap());
    drop(held.0);
    drop(take(Who::Strangers).unwrap());
    assert!(shares.take(Who::Visitors, Kind::Stream, 0).is_none());
    drop((held.1, others));
    assert_eq!(shares.len(), 0);
}

#[test]
fn bytes_are_bounded_for_one_person_and_for_all() {
    let memory = Arc::new(Memory::new(0));
    let people: Vec<_> = (0..6_u128).map(|n| UserId::from_uuid(uuid::Uuid::from_u128(n + 1))).collect();
    let hold = |who: UserId, bytes: u64| {
        let mut held = Bytes::new(memory.clone(), Some(who));
        held.grow(bytes).map(|()| held)
    };
    let (a, b) = (hold(people[0], 40 << 20).unwrap(), hold(people[0], 24 << 20).unwrap());
    assert_eq!(hold(people[0], 1).err().unwrap().code, "too_many_at_once");
    let others: Vec<_> = people[1..4].iter().map(|who| hold(*who, 64 << 20).unwrap()).collect();
    assert_eq!(hold(people[5], 1).err().unwrap().code, "crowded");
    drop(b);
    hold(people[0], 24 << 20).unwrap();
    drop((a, others));
    assert_eq!(memory.total(), 0);
}

/// What a machine allows is never exceeded, and a house with few descriptors still works.
#[test]
fn capacity_fits_the_descriptors_that_there_are() {
    let usual = Capacity::default();
    assert_eq!(usual.within(usual.descriptors()), usual);
    let counts: HashSet<usize> = [1_024, 4_096].map(|most| usual.within(most).connections).into();
    assert_eq!(counts, HashSet::from([448, 3_520]));
    assert_eq!(usual.within(10).connections, 16);
}

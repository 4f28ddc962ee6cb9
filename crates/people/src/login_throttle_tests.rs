use super::*;

fn login(name: &str, address: Option<IpAddr>) -> SignInAttempt<'_> {
    SignInAttempt::Login { name, address }
}

fn known<'a>(name: &'a str, place: &'a str) -> SignInAttempt<'a> {
    SignInAttempt::Known { name, place }
}

fn tried(
    throttle: &Throttle,
    account: impl Fn(u32) -> String,
    address: impl Fn(u32) -> Option<IpAddr>,
) -> u32 {
    let refused = (0..1_000).find(|n| throttle.check(login(&account(*n), address(*n))).is_err());
    refused.unwrap_or(u32::MAX)
}

#[test]
fn a_name_is_limited_at_each_address_apart() {
    let throttle = Throttle::default();
    let (here, there): (Option<IpAddr>, Option<IpAddr>) =
        ("192.0.2.1".parse().ok(), "192.0.2.2".parse().ok());
    assert_eq!(tried(&throttle, |_| "Ada".to_owned(), |_| here), PER_ACCOUNT.get());
    let refused = throttle.check(login("ADA", here)).unwrap_err();
    assert!(matches!(refused, Error::TooMany { seconds: 1..=7, .. }), "{refused:?}");
    throttle.check(login("Ada", there)).unwrap();
    throttle.check(login("Grace", here)).unwrap();
}

/// Many addresses together have more, but not everything.
#[test]
fn a_name_is_limited_wherever_strangers_try_it_and_its_person_is_not_kept_out() {
    let throttle = Throttle::default();
    let address = |n: u32| Some(IpAddr::from(n.to_be_bytes()));
    assert_eq!(tried(&throttle, |_| "Ada".to_owned(), address), PER_NAME.get());
    throttle.check(known("Ada", "the browser at home")).unwrap();
    // The control: there, too, no more than a few are tried.
    let more = (0..100).find(|_| throttle.check(known("ADA", "the browser at home")).is_err());
    assert_eq!(more, Some(PER_ACCOUNT.get() - 1));
    throttle.check(known("Ada", "the telephone")).unwrap();
}

/// Nor are they kept out by those who guess where they are.
#[test]
fn who_is_in_already_and_who_has_a_link_are_counted_by_themselves() {
    let throttle = Throttle::default();
    let home: Option<IpAddr> = "192.0.2.1".parse().ok();
    assert_eq!(tried(&throttle, |n| format!("name {n}"), |_| home), PER_ADDRESS.get());
    throttle.check(SignInAttempt::Link { address: home }).unwrap_err();
    let person = |n| SignInAttempt::Person { user: UserId::from_uuid(uuid::Uuid::from_u128(n)) };
    for attempt in [person(1), SignInAttempt::KnownLink { name: "link_1" }] {
        let refused = (0..100_u32).find(|_| throttle.check(attempt).is_err());
        assert_eq!(refused, Some(PER_ACCOUNT.get()));
    }
    throttle.check(person(2)).unwrap();
    throttle.check(SignInAttempt::KnownLink { name: "link_2" }).unwrap();
}

#[test]
fn an_address_is_limited_whatever_it_tries() {
    let throttle = Throttle::default();
    let home: IpAddr = "192.0.2.1".parse().unwrap();
    assert_eq!(tried(&throttle, |n| format!("name {n}"), |_| Some(home)), PER_ADDRESS.get());
    let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
    throttle.check(login("somebody", Some(mapped))).unwrap_err();
    throttle.check(login("somebody", Some("192.0.2.2".parse().unwrap()))).unwrap();
}

#[test]
fn a_customers_addresses_count_as_one() {
    let throttle = Throttle::default();
    let address = |n: u32| format!("2001:db8::{n:x}").parse().ok();
    assert_eq!(tried(&throttle, |n| format!("name {n}"), address), PER_ADDRESS.get());
    throttle.check(login("somebody", "2001:db8:0:1::1".parse().ok())).unwrap();
}

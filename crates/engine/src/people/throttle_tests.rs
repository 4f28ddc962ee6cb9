use super::*;

fn tried(
    throttle: &Throttle,
    account: impl Fn(u32) -> String,
    address: impl Fn(u32) -> Option<IpAddr>,
) -> u32 {
    let refused = (0..1_000).find(|n| throttle.check(&account(*n), address(*n)).is_err());
    refused.unwrap_or(u32::MAX)
}

#[test]
fn an_account_is_limited_from_wherever_it_is_tried() {
    let throttle = Throttle::default();
    let address = |n: u32| Some(IpAddr::from(n.to_be_bytes()));
    assert_eq!(tried(&throttle, |_| "Ada".to_owned(), address), PER_ACCOUNT.get());
    let refused = throttle.check("ADA", None).unwrap_err();
    assert!(matches!(refused, Error::TooMany { seconds: 1..=7, .. }), "{refused:?}");
    throttle.check("Grace", None).unwrap();
}

#[test]
fn an_address_is_limited_whatever_it_tries() {
    let throttle = Throttle::default();
    let home: IpAddr = "192.0.2.1".parse().unwrap();
    assert_eq!(tried(&throttle, |n| format!("name {n}"), |_| Some(home)), PER_ADDRESS.get());
    let mapped: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
    throttle.check("somebody", Some(mapped)).unwrap_err();
    throttle.check("somebody", Some("192.0.2.2".parse().unwrap())).unwrap();
}

#[test]
fn a_customers_addresses_count_as_one() {
    let throttle = Throttle::default();
    let address = |n: u32| format!("2001:db8::{n:x}").parse().ok();
    assert_eq!(tried(&throttle, |n| format!("name {n}"), address), PER_ADDRESS.get());
    throttle.check("somebody", "2001:db8:0:1::1".parse().ok()).unwrap();
}

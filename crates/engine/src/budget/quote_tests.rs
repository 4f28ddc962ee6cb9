use super::*;
use proptest::prelude::*;

fn quote() -> impl Strategy<Value = Quote> {
    (0..1_000_000_u64, 0..1_000_000_000_u64, 1..200_000_u64, 0..64_000_u64)
        .prop_map(|(input, per_million, wanted, besides)| Quote { input, per_million, wanted, besides })
}

proptest! {
    #[test]
    fn what_is_afforded_never_costs_more_than_was_granted(quote in quote(), granted in any::<u64>()) {
        let Range { least, most, .. } = quote.range(0);
        prop_assert!(least <= most);
        let granted = granted % most.saturating_add(1);
        if granted >= least {
            let tokens = quote.affords(granted);
            prop_assert!((1..=quote.wanted).contains(&tokens));
            prop_assert!(quote.with_output(tokens) <= granted, "{} for {granted}", quote.with_output(tokens));
            prop_assert!(tokens >= quote.wanted.min(LEAST_OUTPUT), "{tokens}");
        }
    }
}

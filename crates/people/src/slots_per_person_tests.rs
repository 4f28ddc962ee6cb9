use super::*;

const KEYS: [(&str, &str); 2] = [("ada", "stream"), ("by key", "stream")];

fn needed(most: usize, ahead: usize) -> [Needed; 2] {
    KEYS.map(|(who, kind)| Needed { key: (who.to_owned(), kind), most, ahead })
}

fn keys() -> [SlotKey; 2] {
    KEYS.map(|(who, kind)| (who.to_owned(), kind))
}

/// As the database answers that has room for everything.
fn grant(person: &PersonSlots, needed: &[Needed; 2]) -> Sat {
    let wishes = person.wishes(needed);
    let answers: Vec<SlotAnswer> = wishes.iter().map(|wish| SlotAnswer::Has(wish.best)).collect();
    person.sit_on(&wishes, &answers, needed)
}

#[test]
fn a_node_that_is_alone_counts_in_memory() {
    let (person, needed) = (PersonSlots::new(), needed(2, 0));
    assert!(matches!(person.sit(&needed, false), Sat::SlotAnswer));
    assert!(matches!(person.sit(&needed, false), Sat::SlotAnswer));
    assert!(matches!(person.sit(&needed, false), Sat::Full(FullSlots::OfPerson)));
    person.rise(&keys());
    assert!(matches!(person.sit(&needed, false), Sat::SlotAnswer));
    for _ in 0..2 {
        person.rise(&keys());
    }
    assert!(person.counts().is_empty(), "nothing is remembered");
}

#[test]
fn beside_others_a_slot_is_taken_before_it_is_given_out() {
    let (person, needed) = (PersonSlots::new(), needed(10, 0));
    assert!(matches!(person.sit(&needed, true), Sat::Lacks));
    assert!(matches!(grant(&person, &needed), Sat::SlotAnswer));
    assert!(matches!(person.sit(&needed, true), Sat::Lacks), "one for one");
    assert!(person.rise(&keys()), "the database has to be told");
    assert!(matches!(person.sit(&needed, true), Sat::SlotAnswer), "until then it is this node's");
    person.rise(&keys());
    let told = person.returns(ReturnedSlots::Single);
    assert!(matches!(person.sit(&needed, true), Sat::Lacks), "what is given back is not given out");
    assert_eq!(told.values().copied().collect::<Vec<_>>(), [0, 0]);
    person.note_told(told);
    assert!(person.returns(ReturnedSlots::Single).is_empty());
}

#[test]
fn what_was_taken_ahead_goes_back_when_it_was_not_needed_or_others_lack_it() {
    let (person, needed) = (PersonSlots::new(), needed(100, 7));
    assert!(matches!(grant(&person, &needed), Sat::SlotAnswer));
    (0..7).for_each(|_| assert!(matches!(person.sit(&needed, true), Sat::SlotAnswer)));
    assert!(matches!(person.sit(&needed, true), Sat::Lacks));
    (0..7).for_each(|_| assert!(!person.rise(&keys())));
    let told = |returned| person.returns(returned).values().copied().collect::<Vec<_>>();
    assert_eq!(told(ReturnedSlots::Single), [0; 0]);
    assert_eq!(told(ReturnedSlots::Unneeded), [0; 0], "it was needed");
    assert_eq!(told(ReturnedSlots::Unneeded), [1, 1]);
    // The control: at once where another node lacks them.
    assert!(matches!(grant(&person, &needed), Sat::SlotAnswer));
    assert_eq!(told(ReturnedSlots::All), [2, 2]);
}

/// What was given out while there were no others, they have to know of.
#[test]
fn what_is_open_is_told_to_others_that_come() {
    let (person, needed) = (PersonSlots::new(), needed(10, 0));
    (0..4).for_each(|_| assert!(matches!(person.sit(&needed, false), Sat::SlotAnswer)));
    let told = person.returns(ReturnedSlots::Single);
    assert_eq!(told.values().copied().collect::<Vec<_>>(), [4, 4]);
    person.note_told(told);
    assert_eq!(person.wishes(&needed).iter().map(|wish| wish.fewest).collect::<Vec<_>>(), [5, 5]);
}

/// What may have been stored is told once more.
#[test]
fn an_answer_that_did_not_come_is_made_good() {
    let (person, needed) = (PersonSlots::new(), needed(10, 0));
    drop(person.wishes(&needed));
    let told = person.returns(ReturnedSlots::Single);
    assert_eq!(told.values().copied().collect::<Vec<_>>(), [0, 0]);
    person.note_told(told);
    assert!(person.counts().is_empty());
}

use super::*;

/// What is said in turn, on which stream.
type Turns<'a> = &'a [(Stream, &'a str)];

const OUT: Stream = Stream::Output;
const ERR: Stream = Stream::Errors;

/// The order of these turns where so many characters of each are told, and the two texts that are told.
fn told(turns: Turns<'_>, most: usize, secret: &str) -> (Vec<u32>, [String; 2]) {
    let (mut heard, mut captured) = (Order::default(), [Captured::new(64), Captured::new(64)]);
    for (stream, said) in turns {
        let one = &mut captured[usize::from(*stream == ERR)];
        one.push(said.as_bytes());
        heard.note(*stream, one.total());
    }
    let scrub = |text: String| if secret.is_empty() { text } else { text.replace(secret, "[secret]") };
    let clean = captured.each_ref().map(|one| scrub(one.text()));
    let spoken = [0, 1].map(|at| Spoken { captured: &captured[at], clean: &clean[at], most });
    let order = order(&heard, &spoken, scrub);
    (order, clean.map(|text| crate::reply::shorten::cut(text, most)))
}

/// As the page puts it together.
fn shown(order: &[u32], texts: &[String; 2]) -> String {
    let mut rest = texts.each_ref().map(|text| text.chars());
    let mut shown = String::new();
    for (at, length) in order.iter().enumerate() {
        shown.extend(rest[at % 2].by_ref().take(usize::try_from(*length).unwrap()));
    }
    rest.into_iter().for_each(|rest| shown.extend(rest));
    shown
}

#[test]
fn it_is_shown_as_it_came() {
    for turns in [
        &[(OUT, "one\n"), (ERR, "oh ü\n"), (OUT, "two\n"), (ERR, "no\n")][..],
        &[(ERR, "first\n"), (OUT, "then\n")],
        &[(ERR, "only errors\n")],
        &[(OUT, "a"), (ERR, "b"), (OUT, "c"), (OUT, "d"), (ERR, "e"), (ERR, "f")],
    ] {
        let (order, texts) = told(turns, 100, "");
        let live: String = turns.iter().map(|(_, said)| *said).collect();
        assert_eq!(shown(&order, &texts), live, "{order:?}");
    }
    assert_eq!(told(&[(ERR, "e"), (OUT, "oo"), (ERR, "eee")], 100, "").0, [0, 1, 2, 3]);
    assert_eq!(told(&[(OUT, "no errors")], 100, "").0, Vec::<u32>::new());
}

#[test]
fn what_was_left_out_moves_nothing() {
    let said: Vec<String> = (0..20).map(|number| format!("{number:02}\n")).collect();
    let turns: Vec<(Stream, &str)> = said
        .iter()
        .enumerate()
        .map(|(at, line)| (if at % 2 == 0 { OUT } else { ERR }, line.as_str()))
        .collect();
    let (order, texts) = told(&turns, 12, "");
    let shown = shown(&order, &texts);
    assert!(shown.starts_with("00\n01\n02\n03\n") && shown.ends_with("16\n17\n18\n19\n"), "{shown}");
    assert_eq!(shown.matches("18 characters left out").count(), 2, "{shown}");
}

#[test]
fn halves_of_a_secret_are_not_put_together() {
    let turns = [(OUT, "key: sk-0"), (ERR, "1234"), (OUT, "5678")];
    let (order, texts) = told(&turns, 100, "");
    assert!(shown(&order, &texts).contains("sk-012345678"), "it would have been shown");
    let (order, texts) = told(&turns, 100, "sk-012345678");
    assert!(!shown(&order, &texts).contains("sk-012345678"), "{order:?} {texts:?}");
    let (order, _) = told(&[(OUT, "sk-0"), (ERR, "oh"), (OUT, "9")], 100, "sk-09");
    assert_eq!(order, Vec::<u32>::new(), "nor is anything counted where one was taken out");
}

use super::*;
use proptest::prelude::*;

fn context() -> ConditionContext {
    ConditionContext {
        message: "The Invoice of ACME-42 came, naïve?".to_owned(),
        source: Source::Web,
        recent_tools: vec!["look".to_owned()],
        unanswered: vec![OpenPrompt {
            message_id: MessageId::from_uuid(uuid::Uuid::from_u128(1)),
            prompt_id: "p".to_owned(),
            question: "Which?".to_owned(),
        }],
        step: 2,
        // A Sunday, ten in the morning in Athens.
        at: crate::fixture::NOW,
        time_zone: "Europe/Athens".to_owned(),
        settings: Settings::new(),
        messages: Arc::default(),
        values: Values::default(),
    }
}

fn holds(source: &str) -> bool {
    Expression::parse(source).unwrap_or_else(|problem| panic!("{source}: {problem}")).holds(&context())
}

fn problem(source: &str) -> ConditionProblem {
    Expression::parse(source).unwrap_err()
}

/// HERO-88
#[test]
fn facts_are_words_patterns_sources_tools_prompts_and_time() {
    let hold = [
        "true",
        "words(\"invoice\")",
        "words('bill', 'INVOICE')",
        "words('naïve')",
        "words('acme-42')",
        "matches('acme-\\d+')",
        "matches(\"(?-i)ACME\")",
        "source('web')",
        "source('cli', 'WEB')",
        "used('look', 'other')",
        "unanswered == 1",
        "unanswered > 0 and not false",
        "hour == 10 and minute == 0",
        "weekday('sunday')",
        "day == 15 and month == 11",
        "step >= 2 AND step <= 2",
        "length > 10",
        "false or true and true",
        "not (false or false)",
        "words('nothing') or (hour >= 9 and hour < 17)",
    ];
    for source in hold {
        assert!(holds(source), "{source}");
    }
    let do_not = [
        "false",
        "words('voice')",
        "words('invoices')",
        "matches('^acme')",
        "source('cli')",
        "used('loo')",
        "unanswered != 1",
        "hour == 8",
        "weekday('monday', 'tuesday')",
        "true and not true",
        "(true or true) and false",
    ];
    for source in do_not {
        assert!(!holds(source), "{source}");
    }
}

/// HERO-88
#[test]
fn what_is_not_understood_is_said_with_its_place() {
    let wrong = [
        ("", 1),
        ("   ", 4),
        ("nonsense", 1),
        ("true and", 9),
        ("true true", 6),
        ("(true", 6),
        ("true)", 5),
        ("hour", 5),
        ("hour = 5", 6),
        ("hour == ", 9),
        ("hour == 'five'", 9),
        ("words", 6),
        ("words()", 7),
        ("words('a',)", 11),
        ("words('a' 'b')", 11),
        ("words('')", 1),
        ("words('a", 7),
        ("source('pigeon')", 1),
        ("weekday('someday')", 1),
        ("matches('a', 'b')", 1),
        ("matches('(')", 1),
        ("hour == 99999999999999999999", 9),
        ("true; drop", 5),
        ("message.content", 8),
        ("__import__('os')", 1),
    ];
    for (source, position) in wrong {
        let found = problem(source);
        assert_eq!(found.position, position, "{source:?}: {found}");
        assert!(!found.problem.is_empty());
    }
}

/// HERO-86
#[test]
fn conditions_have_a_size_a_depth_and_a_cost() {
    problem(&"a".repeat(2_001));
    problem(&format!("true{}", " or true".repeat(200)));
    problem(&format!("{}true{}", "(".repeat(30), ")".repeat(30)));
    problem(&format!("{} true", "not ".repeat(30)));
    problem(&format!("true{}", " or matches('a')".repeat(20)));
    for explodes in ["(a{1,1000}){1,1000}", "((((a{100}){100}){100}){100})", "\\\\p{L}{5000}"] {
        assert!(problem(&format!("matches('{explodes}')")).problem.contains("pattern"), "{explodes}");
    }
    // The controls: just below, all of it is understood.
    assert!(holds(&format!("true{}", " or true".repeat(100))));
    assert!(holds(&format!("{}true{}", "(".repeat(15), ")".repeat(15))));
    // A pattern that takes others exponential time.
    let slow = Expression::parse("matches('^(a+)+$')").unwrap();
    let long = ConditionContext { message: format!("{}!", "a".repeat(60_000)), ..context() };
    assert!(!slow.holds(&long));
}

proptest! {
    #[test]
    fn no_condition_breaks_it(source in "(words|matches|hour|and|or|not|\\(|\\)|'|\"|,|==|<|5| |\\\\|.){0,60}") {
        if let Ok(expression) = Expression::parse(&source) {
            expression.holds(&context());
        }
    }
}

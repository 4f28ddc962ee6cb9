use super::*;
use crate::summaries::accept::{SummaryReply, bullets, most, sections};
use provider::{Models, ModelsSettings, Stop};
use std::time::Duration;

/// Any model does; this one is always there, with a window of its own.
fn model() -> Model {
    let settings = ModelsSettings {
        providers: Vec::new(),
        default_model: None,
        probe_local: false,
        stall: Duration::from_secs(1),
    };
    Models::new(settings).resolve(Some(DEMO)).unwrap()
}

fn answer(text: &str, stop: Stop) -> SummaryReply {
    SummaryReply { text: text.to_owned(), stop }
}

const GOOD: &str = "## Key facts\n- The number is 42\n\n## Pending\nnothing";

/// STAVROBOT-36
#[test]
fn a_summary_has_sections_and_is_whole_and_shorter_than_what_it_replaces() {
    let model = model();
    let accepted = |text: &str, stop, replaced| sections(&model, &answer(text, stop), replaced).is_some();
    assert!(accepted(GOOD, Stop::Completed, 10_000));
    assert!(accepted(&GOOD.replace("## ", "**").replace("facts", "FACTS:**"), Stop::Completed, 10_000));
    assert!(!accepted(GOOD, Stop::Length, 10_000), "cut off");
    assert!(!accepted(GOOD, Stop::Filtered, 10_000), "held back");
    assert!(!accepted(GOOD, Stop::Completed, model.estimate(GOOD)), "not shorter");
    assert!(!accepted("", Stop::Completed, 10_000));
    assert!(!accepted("## Key facts\n\n## Pending\n", Stop::Completed, 10_000), "it says nothing");
    assert!(!accepted("I cannot tell the key facts.", Stop::Completed, 10_000), "an excuse");
    // One section is enough, and headings are in the language of the conversation.
    assert!(accepted("## Key facts\nThe number is 42.", Stop::Completed, 10_000), "one heading");
    for text in [
        "## Αποφάσεις\n- Ο αριθμός είναι το 42\n\n## Εκκρεμότητες\nκαμία",
        "## 決定事項\n番号は42です。",
        "# Wichtige Fakten\nDie Zahl ist 42.",
        "**Faits importants :**\nLe nombre est 42.",
        "Here it is:\n\n### Ključna dejstva\nŠtevilo je 42.",
    ] {
        assert!(accepted(text, Stop::Completed, 10_000), "{text}");
    }
    assert!(!accepted("Entschuldigung, das kann ich nicht.", Stop::Completed, 10_000), "an excuse");
    assert!(!accepted("Es geht um #42 und **das** ist alles.", Stop::Completed, 10_000), "no heading");
    assert!(!accepted("Nothing to say.\n## Pending", Stop::Completed, 10_000), "nothing below the heading");
    let endless = format!("{GOOD}\n{}", "more ".repeat(100_000));
    assert!(!accepted(&endless, Stop::Completed, u64::MAX), "no summary is so long");
}

/// STAVROBOT-36
#[test]
fn of_bullets_only_the_bullets_count() {
    let model = model();
    let made = |text, stop| bullets(&model, &answer(text, stop), 10_000);
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(made("Here:\n- one\n* two\n\n-\n- three", Stop::Completed), some("- one\n* two\n- three"));
    assert_eq!(made("- one\n- tw", Stop::Length), some("- one"), "the last one was cut off");
    assert_eq!(made("- tw", Stop::Length), None);
    assert_eq!(made("I'm sorry - I can't do that.", Stop::Completed), None);
    assert_eq!(made(" \n\n", Stop::Completed), None);
}

/// STAVROBOT-36
#[test]
fn without_a_model_the_earlier_summary_and_the_ends_are_kept() {
    let model = model();
    let lines: String = (0..20_000).map(|number| format!("User: line {number}\n")).collect();
    for (earlier, replaced) in [("", 0), (GOOD, 10)] {
        let replaced = replaced + model.estimate(&lines);
        let text = truncated(&model, earlier, &lines, replaced);
        assert!(model.estimate(&text) <= most(&model, replaced), "it fits");
        assert!(text.starts_with(if earlier.is_empty() { "User: line 0\n" } else { earlier }));
        assert!(text.contains("User: line 19999") && text.ends_with(NOT_SUMMARISED));
        // It does not grow when it is made again and again.
        let again = truncated(&model, &text, &lines, replaced);
        assert!(model.estimate(&again) <= most(&model, replaced));
        assert_eq!(again.matches(NOT_SUMMARISED).count(), 1);
    }
    let wide = "User: 日本語のとても長い話\n".repeat(5_000);
    let text = truncated(&model, "", &wide, model.estimate(&wide));
    assert!(model.estimate(&text) <= most(&model, u64::MAX));
}

#[test]
fn a_request_fits_whatever_is_to_be_summarised() {
    let model = model();
    let lines = "User: and so on\n".repeat(1_000_000);
    for level in [1, 2] {
        let request = request(&model, level, GOOD, &lines);
        let weight = prompt::token_count::of_request(&model, &request);
        let answer = request.parameters.max_tokens.unwrap();
        assert!(weight + answer <= model.window(), "{weight} and {answer}");
    }
}

/// What is asked for is what is taken: a model that does exactly what it was told is not asked a second time.
#[test]
fn a_summary_in_the_words_of_the_question_is_taken() {
    let model = model();
    let asked = request(&model, 1, "", "User: hello\n");
    let PromptMessage::System { text } = &asked.messages[0] else { panic!("no system text") };
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(headings.len(), SECTIONS.len());
    for heading in headings {
        let summary = format!("{heading}\nThe number is 42.");
        assert!(sections(&model, &answer(&summary, Stop::Completed), 10_000).is_some(), "{heading}");
    }
}

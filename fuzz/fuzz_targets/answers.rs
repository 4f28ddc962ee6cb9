//! Recording an answer changes nothing else of a message, whatever either says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use markup::{Options, batch, prompts, read, record_answer};

fuzz_target!(|input: (&str, &str)| {
    let (text, answer) = input;
    let before = read(text, Options::default());
    for prompt in prompts(text).into_iter().take(3) {
        let Ok(answered) = record_answer(text, &prompt.id, answer) else {
            panic!("a prompt that is there is found")
        };
        let after = read(&answered, Options::default());
        assert_eq!(after.text, before.text);
        assert_eq!(after.calls.len(), before.calls.len());
        let kept = |reading: &markup::Reading| {
            let elements = reading.elements.iter().filter(|element| element.kind != "response");
            elements
                .map(|element| (element.id, element.parent_id, element.content.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(kept(&after), kept(&before));
        let recorded = prompts(&answered).into_iter().find(|one| one.id == prompt.id);
        assert_eq!(recorded.and_then(|one| one.answer).as_deref(), Some(answer.trim()));
    }
    let results: Vec<_> = before
        .elements
        .iter()
        .map(|element| batch::ElementResult { id: element.id, ok: true, content: answer })
        .collect();
    let written = batch::with_results(text, Options::default(), &results);
    assert!(written.is_char_boundary(written.len()));
});

use super::*;

/// Who hands what in, and what it counts as.
#[test]
fn every_way_in_has_its_label() {
    let long = "x".repeat(TYPED_CHARS + 1);
    let just = "ä".repeat(TYPED_CHARS);
    let plain = HandedIn {
        text: "Hello",
        typed: false,
        has_attachments: false,
        source: Source::Web,
        asker: None,
        own_files: false,
    };
    let own = Label::TRUSTED_PRIVATE;
    let table = [
        ("typed on the page", HandedIn { ..plain }, own),
        ("typed in the terminal", HandedIn { source: Source::Cli, ..plain }, own),
        ("as long as a typed text may be", HandedIn { text: &just, ..plain }, own),
        ("a long text", HandedIn { text: &long, ..plain }, Label::WORST),
        ("a long text that was typed", HandedIn { text: &long, typed: true, ..plain }, own),
        (
            "a long text of which its person says that it is theirs",
            HandedIn { text: &long, own_files: true, ..plain },
            own,
        ),
        ("a picture", HandedIn { has_attachments: true, ..plain }, Label::WORST),
        (
            "a picture with typed words",
            HandedIn { has_attachments: true, typed: true, ..plain },
            Label::WORST,
        ),
        ("a picture of their own", HandedIn { has_attachments: true, own_files: true, ..plain }, own),
        ("a bridge", HandedIn { source: Source::Bridge, ..plain }, Label::UNTRUSTED_COMMON),
        (
            "a bridge that says it was typed",
            HandedIn { source: Source::Bridge, typed: true, own_files: true, ..plain },
            Label::UNTRUSTED_COMMON,
        ),
        ("an agent that nobody knows", HandedIn { source: Source::Agent, ..plain }, Label::WORST),
        (
            "an agent that had read a page",
            HandedIn { asker: Some(Label::UNTRUSTED_PUBLIC), own_files: true, ..plain },
            Label::WORST,
        ),
        (
            "an agent that had read nothing",
            HandedIn { source: Source::Agent, asker: Some(own), ..plain },
            own,
        ),
    ];
    for (what, handed_in, label) in table {
        assert_eq!(handed_in.label(), label, "{what}");
    }
}

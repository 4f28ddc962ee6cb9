//! What people read: words, the index of decisions, documents of one reading.

use super::{Repository, with_source};

#[test]
fn texts_for_people_have_no_old_words() {
    with_source("const A: &str =\n    \"Somebody has it.\"; // it\n")
        .fails_at("crates/store/src/lib.rs:2", "`somebody`");
    with_source("const A: &str = \"It runs in a cage.\";\n")
        .fails_at("crates/store/src/lib.rs:1", "say sandbox");
    assert_eq!(
        with_source("fn deed() {} // a deed, in a cage\nconst A: &str = \"a cagey word\";\n").findings(),
        []
    );
    let repository = Repository::sound();
    repository.write("web/src/view.ts", "// nobody\nconst a = 'Nobody is here.';\n");
    repository.fails_at("web/src/view.ts:2", "`nobody`");
    let repository = Repository::sound();
    repository.write("docs/guide.md", "Words.\nWhoever reads this.\n");
    repository.fails_at("docs/guide.md:2", "`whoever`");
    repository.write("xtask/exceptions/words.txt", "docs/guide.md\n");
    assert_eq!(repository.findings(), []);
    let repository = Repository::sound();
    repository.write("CHANGELOG.md", "- Programs run.\n- They run in a cage.\n");
    repository.fails_at("CHANGELOG.md:2", "say sandbox");
}

#[test]
fn the_index_of_decisions_is_sorted_and_without_gaps() {
    let with = |index: &str| {
        let repository = Repository::sound();
        repository.write("docs/adr/0003-three.md", "# Three\n");
        repository.write("docs/adr/README.md", index);
        repository
    };
    let (one, three) = ("- [0001: One](0001-one.md)\n", "- [0003: Three](0003-three.md)\n");
    assert_eq!(with(&format!("{one}{three}\nNever used: 0002.\n")).findings(), []);
    with(&format!("{one}{three}")).fails_at("docs/adr/README.md:1", "0002 is missing");
    with(&format!("{three}{one}\nNever used: 0002.\n")).fails_at("docs/adr/README.md:2", "sort it");
}

#[test]
fn what_a_reader_follows_is_short() {
    let with = |path: &str, lines: usize| {
        let repository = Repository::sound();
        let crates = "`crates/domain`, `crates/store`, `crates/engine`\n";
        repository.write(path, &format!("{crates}{}", "Words.\n".repeat(lines - 1)));
        repository
    };
    assert_eq!(with("ARCHITECTURE.md", 190).findings(), []);
    with("ARCHITECTURE.md", 191).fails_at("ARCHITECTURE.md:191", "191 lines");
    with("docs/walkthrough/message.md", 41).fails_at("docs/walkthrough/message.md:41", "41 lines");
}

//! The documents exist, and point at things that exist.

use super::{Repository, with_source};

#[test]
fn links_lead_somewhere() {
    let repository = Repository::sound();
    repository
        .write("README.md", "[a](docs/adr/0001-one.md#x) [b](https://example.com)\n[c](docs/none.md)\n");
    repository.fails_at("README.md:2", "docs/none.md is broken");
}

#[test]
fn the_documents_exist() {
    for document in
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE"]
    {
        let repository = Repository::sound();
        repository.remove(document);
        repository.fails_at(&format!("{document}:1"), "write it");
    }
}

#[test]
fn the_architecture_names_every_crate_and_only_files_that_exist() {
    let repository = Repository::sound();
    repository.write("ARCHITECTURE.md", "`crates/domain` and `crates/store`.\n");
    repository.fails_at("ARCHITECTURE.md:1", "`crates/engine`");
    for path in ["crates/store/src/gone.rs", "store/gone.rs", "gone.rs", "docs/gone"] {
        let repository = Repository::sound();
        repository
            .write("ARCHITECTURE.md", &format!("`crates/domain` `crates/store` `crates/engine`\n`{path}`\n"));
        repository.fails_at("ARCHITECTURE.md:2", "does not exist");
    }
}

#[test]
fn the_architecture_says_where_to_start_in_each_crate() {
    let with = |start: &str| {
        let repository = Repository::sound();
        repository.write("crates/store/src/event/mod.rs", "//! Words.\n");
        repository.write("crates/engine/src/event.rs", "//! Words.\n");
        let row = format!("| 1 | `crates/store` | events (`lib.rs`) | {start} |\n");
        repository.write("ARCHITECTURE.md", &format!("`crates/domain` `crates/engine`\n{row}"));
        repository
    };
    assert_eq!(with("`event/mod.rs`").findings(), []);
    assert_eq!(with("`event`, `lib.rs`").findings(), []);
    assert_eq!(with("the next section").findings(), []);
    with("`event.rs`").fails_at("ARCHITECTURE.md:2", "`crates/store/src/event.rs` does not exist");
}

#[test]
fn walkthroughs_name_files_that_exist() {
    let with = |text: &str| {
        let repository = Repository::sound();
        repository.write("crates/engine/src/inbox/accept.rs", "//! Words.\n");
        repository.write("docs/walkthrough/message.md", text);
        repository
    };
    assert_eq!(with("`inbox/accept.rs`, `crates/store/src/lib.rs`, `Engine::accept`\n").findings(), []);
    with("\n`inbox/gone.rs`\n").fails_at("docs/walkthrough/message.md:2", "`inbox/gone.rs` does not exist");
}

#[test]
fn every_invariant_names_a_test_that_exists() {
    let with = |tried: &str| {
        let repository = with_source("#[test]\nfn it_holds() {}\n");
        let crates = "`crates/domain` `crates/store` `crates/engine`\n";
        repository.write("ARCHITECTURE.md", &format!("{crates}| I-01 | It holds. | {tried} |\n"));
        repository
    };
    assert_eq!(with("`it_holds`, `store/lib.rs`, `make xss`").findings(), []);
    with("by hand").fails_at("ARCHITECTURE.md:2", "name the test");
    with("`it_held`").fails_at("ARCHITECTURE.md:2", "no test `it_held`");
}

//! Each rule of `tidy` lets a sound tree pass and can fail: one small repository, broken in one place at a time.

#![expect(clippy::unwrap_used, reason = "a fixture that cannot be written fails its test")]

mod documents;
mod migrations;
mod readers;

use std::{fs, path::Path, process::Command};
use tempfile::TempDir;
use xtask::tidy::{Finding, check, shrink};

/// A small repository that breaks no rule.
struct Repository(TempDir);

const ROOT_MANIFEST: &str = "[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\", \"testkit\"]\n";

impl Repository {
    fn sound() -> Self {
        let repository = Self(TempDir::new().unwrap());
        repository.write("Cargo.toml", ROOT_MANIFEST);
        repository.package("crates/domain", 0, "");
        repository.package("crates/store", 1, "domain = { path = \"../domain\" }\nrusqlite = \"0.41\"\n");
        repository.package("crates/engine", 3, "store = { path = \"../store\" }\n");
        repository.package("testkit", 6, "engine = { path = \"../crates/engine\" }\n");
        for document in ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "LICENSE"] {
            repository.write(document, "Words.\n");
        }
        repository.write(
            "ARCHITECTURE.md",
            "`crates/domain`, `crates/store` and `crates/engine`; begin with `store/lib.rs`, `provider/model`.\n",
        );
        repository.write("docs/adr/README.md", "- [One](0001-one.md)\n");
        repository.write("docs/adr/0001-one.md", "# One\n");
        repository
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.0.path().join(path)).unwrap();
    }

    fn package(&self, directory: &str, layer: u64, dependencies: &str) {
        self.manifest(directory, &format!("[package.metadata.majordomo]\nlayer = {layer}\n"), dependencies);
        self.write(&format!("{directory}/src/lib.rs"), "//! Words.\n");
    }

    fn manifest(&self, directory: &str, metadata: &str, dependencies: &str) {
        let name = Path::new(directory).file_name().unwrap().to_str().unwrap();
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n{metadata}\n[dependencies]\n{dependencies}"
        );
        self.write(&format!("{directory}/Cargo.toml"), &manifest);
    }

    fn findings(&self) -> Vec<Finding> {
        check(self.0.path()).unwrap().findings().to_vec()
    }

    /// The only finding there is.
    fn finding(&self) -> Finding {
        let findings = self.findings();
        assert_eq!(findings.len(), 1, "{findings:#?}");
        findings.into_iter().next().unwrap()
    }

    /// The only finding is a failure at this place whose advice contains these words.
    fn fails_at(&self, place: &str, words: &str) {
        let finding = self.finding();
        assert_eq!(format!("{}:{}", finding.file, finding.line), place, "{finding}");
        assert!(finding.message.contains(words), "{finding}");
    }
}

/// Puts a source file into a sound repository, to be judged.
fn with_source(text: &str) -> Repository {
    let repository = Repository::sound();
    repository.write("crates/store/src/lib.rs", text);
    repository
}

#[test]
fn a_sound_repository_passes() {
    assert_eq!(Repository::sound().findings(), []);
}

#[test]
fn a_layer_must_be_declared() {
    let repository = Repository::sound();
    repository.manifest("crates/store", "", "");
    repository.fails_at("crates/store/Cargo.toml:1", "declare its layer");
}

#[test]
fn a_layer_must_fit_the_place() {
    let repository = Repository::sound();
    repository.package("testkit", 2, "");
    repository.fails_at("testkit/Cargo.toml:6", "is on layer 6");
    let repository = Repository::sound();
    repository.package("crates/engine", 6, "");
    repository.fails_at("crates/engine/Cargo.toml:6", "from 0 to 5");
}

#[test]
fn a_crate_uses_lower_layers_only() {
    let repository = Repository::sound();
    repository.package("crates/store", 3, "");
    repository.fails_at("crates/engine/Cargo.toml:9", "`engine` (layer 3) must not use `store` (layer 3)");
    let repository = Repository::sound();
    repository.package("testkit", 6, "");
    repository.package("crates/engine", 3, "\ntestkit = { path = \"../../testkit\" }\n");
    repository.fails_at("crates/engine/Cargo.toml:10", "must not use `testkit` (layer 6)");
}

#[test]
fn tests_may_use_the_test_kit() {
    let repository = Repository::sound();
    repository.package("testkit", 6, "");
    repository.package("crates/store", 1, "[dev-dependencies]\ntestkit = { path = \"../../testkit\" }\n");
    assert_eq!(repository.findings(), []);
}

#[test]
fn what_has_a_home_stays_there() {
    for dependency in ["rusqlite", "sqlx", "reqwest", "axum"] {
        let repository = Repository::sound();
        repository.package("crates/engine", 3, &format!("{dependency} = \"1\"\n"));
        repository.fails_at("crates/engine/Cargo.toml:9", "is used only in");
    }
}

#[test]
fn names_say_what_is_inside() {
    let repository = Repository::sound();
    repository.write("crates/store/src/utils.rs", "//! Words.\n");
    repository.fails_at("crates/store/src/utils.rs:1", "`utils`");
    let repository = Repository::sound();
    repository.write("crates/store/src/row_helper.rs", "//! Words.\n");
    repository.fails_at("crates/store/src/row_helper.rs:1", "`row_helper`");
    with_source("\nmod common {\n}\n").fails_at("crates/store/src/lib.rs:2", "`common`");
    let repository = Repository::sound();
    repository.package("crates/service", 1, "");
    let findings = repository.findings();
    assert!(
        findings.iter().any(|finding| finding.message.contains("a crate called `service`")),
        "{findings:#?}"
    );
}

#[test]
fn files_stay_small() {
    assert_eq!(with_source(&"//\n".repeat(400)).findings(), []);
    with_source(&"//\n".repeat(401)).fails_at("crates/store/src/lib.rs:1", "401 lines");
}

#[test]
fn functions_stay_small() {
    let function = |lines: usize| format!("\nfn long() {{\n{}}}\n", "    one();\n".repeat(lines - 2));
    assert_eq!(with_source(&function(60)).findings(), []);
    with_source(&function(61)).fails_at("crates/store/src/lib.rs:2", "fn long has 61 lines");
}

#[test]
fn structs_stay_narrow() {
    let wide = |fields: usize, derive: &str| {
        let fields: String =
            (0..fields).map(|field| format!("    pub f{field}: Map<a::B, Fn(u8) -> u8>,\n")).collect();
        format!("#[derive({derive})]\npub struct Wide<'a, T: a::B> {{\n{fields}}}\n")
    };
    assert_eq!(with_source(&wide(15, "Clone")).findings(), []);
    with_source(&wide(16, "Clone")).fails_at("crates/store/src/lib.rs:2", "struct Wide has 16 fields");
    // A document or a table is as wide as it is.
    assert_eq!(with_source(&wide(16, "Clone, Serialize")).findings(), []);
    let repository = Repository::sound();
    repository.write("crates/store/src/table/wide.rs", &wide(16, "Clone"));
    assert_eq!(repository.findings(), []);
}

#[test]
fn folders_stay_narrow() {
    let with_files = |folder: &str, entries: usize, ending: &str| {
        let repository = Repository::sound();
        for entry in 0..entries {
            repository.write(&format!("{folder}/f{entry}.{ending}"), "//! Words.\n");
        }
        repository
    };
    let with = |folder: &str, entries: usize| with_files(folder, entries, "rs");
    assert_eq!(with_files("web/src/element", 30, "ts").findings(), []);
    with_files("web/src/element", 31, "ts").fails_at("web/src/element:1", "31 entries");
    assert_eq!(with("crates/store/src/table", 30).findings(), []);
    with("crates/store/src/table", 31).fails_at("crates/store/src/table:1", "31 entries");
    // The root of the engine has the rooms besides; its `lib.rs` is there already.
    assert_eq!(with("crates/engine/src", 39).findings(), []);
    with("crates/engine/src", 40).fails_at("crates/engine/src:1", "41 entries");
}

#[test]
fn a_name_means_one_type() {
    let with = |text: &str| {
        let repository = with_source("pub struct Row {\n    a: u8,\n}\nmod inner {\n    enum Row {}\n}\n");
        repository.write("crates/engine/src/lib.rs", text);
        repository
    };
    assert_eq!(with("//! Words.\nstruct SessionRow;\n// struct Row\n").findings(), []);
    for kind in ["enum Row {}", "pub(crate) struct Row(u8);", "pub trait Row {}", "type Row<T> = Vec<T>;"] {
        with(&format!("//! Words.\n{kind}\n"))
            .fails_at("crates/store/src/lib.rs:1", "`Row` is also in crates/engine");
    }
}

#[test]
fn a_room_uses_rooms_before_it() {
    let with = |path: &str, code: &str| {
        let repository = Repository::sound();
        repository.write("crates/engine/src/files/mod.rs", "impl Engine {\n    pub fn read(&self) {}\n}\n");
        repository
            .write("crates/engine/src/worker/mod.rs", "impl Engine {\n    pub fn run_turn(&self) {}\n}\n");
        repository.write(path, code);
        repository
    };
    let (calls, ground) = ("crates/engine/src/calls/run.rs", "crates/engine/src/engine.rs");
    let sound = "use crate::{files::{self, Read}, error};\n// crate::worker\nfn f() { engine.read(); other.run_turn(); }\n";
    assert_eq!(with(calls, sound).findings(), []);
    with(calls, "use crate::worker::Worker;\n").fails_at(&format!("{calls}:1"), "`calls` uses `worker`");
    with(calls, "use crate::{\n    files::{self, Read},\n    worker::Worker,\n};\n")
        .fails_at(&format!("{calls}:1"), "`worker`");
    with(calls, "\nfn f() { crate::worker::f() }\n").fails_at(&format!("{calls}:2"), "`worker`");
    with(calls, "fn f() {\n    self.engine\n        .run_turn();\n}\n")
        .fails_at(&format!("{calls}:2"), "`Engine::run_turn`");
    with(calls, "impl Engine {\n    fn f(&self) { self.run_turn(); }\n}\n")
        .fails_at(&format!("{calls}:2"), "`Engine::run_turn`");
    with(ground, "use crate::files;\n").fails_at(&format!("{ground}:1"), "the ground uses `files`");
    // What puts the rooms together knows all of them.
    assert_eq!(with("crates/engine/src/start.rs", "use crate::{files, worker};\n").findings(), []);
    with("crates/engine/src/attic/mod.rs", "//! Words.\n")
        .fails_at("crates/engine/src/attic/mod.rs:1", "has no place");
}

#[test]
fn comments_name_who_does_what() {
    with_source("\n/// Nobody reads it.\nfn f() {}\n").fails_at("crates/store/src/lib.rs:2", "`nobody`");
    assert_eq!(with_source("/// The owner reads it.\nconst A: &str = \"a person\";\n").findings(), []);
}

#[test]
fn a_list_of_exceptions_only_shrinks() {
    let long = "//\n".repeat(401);
    let with = |text: &str| {
        let repository = with_source(text);
        repository.write("xtask/exceptions/sizes.txt", "# Long files.\ncrates/store/src/lib.rs\n");
        repository
    };
    assert_eq!(with(&long).findings(), []);
    let short = with("//! Words.\n");
    short.fails_at("xtask/exceptions/sizes.txt:2", "breaks the rule no more");
    assert_eq!(shrink(short.0.path()).unwrap(), 1);
    assert_eq!(short.findings(), []);
    let other = with(&long);
    other.write("crates/engine/src/lib.rs", &long);
    other.fails_at("crates/engine/src/lib.rs:1", "401 lines");
    assert_eq!(shrink(other.0.path()).unwrap(), 0, "a list has grown");
}

#[test]
fn nothing_is_left_unfinished() {
    for code in ["todo!()", "unimplemented!(\"x\")"] {
        with_source(&format!("fn f() {{\n    {code}\n}}\n"))
            .fails_at("crates/store/src/lib.rs:2", "unfinished");
    }
    for marker in [concat!("TO", "DO"), concat!("FIX", "ME")] {
        with_source(&format!("// {marker}: later\n")).fails_at("crates/store/src/lib.rs:1", "finish it");
    }
    assert_eq!(with_source("// nothing is todo!() here\nconst A: &str = \"todo!()\";\n").findings(), []);
}

#[test]
fn an_ignored_test_says_why() {
    with_source("#[ignore]\nfn f() {}\n").fails_at("crates/store/src/lib.rs:1", "say why");
    assert_eq!(with_source("#[ignore = \"needs a day\"]\nfn f() {}\n").findings(), []);
}

#[test]
fn channels_have_a_bound() {
    for code in ["mpsc::unbounded_channel::<u8>()", "mpsc::channel()", "flume::unbounded()"] {
        with_source(&format!("fn f() {{ {code}; }}\n")).fails_at("crates/store/src/lib.rs:1", "capacity");
    }
    assert_eq!(with_source("fn f() { mpsc::channel(4); oneshot::channel(); }\n").findings(), []);
}

#[test]
fn no_path_of_one_machine_stays_behind() {
    for folder in ["work", "home", "root", "Users"] {
        let repository = Repository::sound();
        repository.write("README.md", &format!("Words.\nLook into /{folder}/ada.\n"));
        repository.fails_at("README.md:2", "one machine only");
    }
    let repository = Repository::sound();
    repository.write("README.md", "https://example.com/home/page and ~/work/it\n");
    assert_eq!(repository.findings(), []);
}

#[test]
fn every_decision_is_in_the_index() {
    let repository = Repository::sound();
    repository.write("docs/adr/0002-two.md", "# Two\n");
    repository.fails_at("docs/adr/0002-two.md:1", "[title](0002-two.md)");
}

#[test]
fn every_requirement_has_a_test_and_every_test_a_requirement() {
    let with = |row: &str, test: &str| {
        let repository = Repository::sound();
        repository.write("docs/spec/demo.md", &format!("| id | requirement |\n|---|---|\n{row}"));
        repository.write("crates/store/src/demo_tests.rs", &format!("// {test}\n"));
        repository
    };
    assert_eq!(with("| DEMO-01 | It works. |\n", "DEMO-01, and so on").findings(), []);
    assert_eq!(with("| DEMO-01 | It works. **pending: gate** |\n", "nothing").findings(), []);
    let untested = with("| DEMO-01 | It works. |\n", "DEMO- and DEMONSTRATION-01");
    untested.fails_at("docs/spec/demo.md:3", "no test names DEMO-01");
    with("", "DEMO-02").fails_at("crates/store/src/demo_tests.rs:1", "DEMO-02 is not in docs/spec/");
    let done = with("| DEMO-01 | It works. **pending: gate** |\n", "DEMO-01");
    done.fails_at("docs/spec/demo.md:3", "not pending any more");
    let twice = with("| DEMO-01 | It works. |\n| DEMO-01 | It works. |\n", "DEMO-01");
    twice.fails_at("docs/spec/demo.md:4", "there twice");
}

#[test]
fn the_command_fails_when_a_rule_is_broken() {
    let run = |repository: &Repository| {
        Command::new(env!("CARGO_BIN_EXE_xtask")).arg("tidy").arg(repository.0.path()).output().unwrap()
    };
    let sound = run(&Repository::sound());
    assert_eq!(sound.status.code(), Some(0));
    let broken = run(&with_source("#[ignore]\nfn f() {}\n"));
    assert_eq!(broken.status.code(), Some(1));
    let words = String::from_utf8(broken.stdout).unwrap();
    assert!(words.starts_with("crates/store/src/lib.rs:1: error: say why"), "{words}");
}

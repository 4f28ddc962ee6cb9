use super::Repository;

fn with_step(number: &str, text: &str) -> Repository {
    let repository = Repository::sound();
    repository.write(&format!("crates/store/migrations/{number}_step.sql"), text);
    repository
}

#[test]
fn a_step_that_the_version_before_survives_passes() {
    let grows = "-- Words about DROP.\nCREATE TABLE a (b TEXT NOT NULL);\nALTER TABLE a ADD COLUMN c BIGINT NOT NULL DEFAULT 0;\n\
                 ALTER TABLE a ADD COLUMN d TEXT;\nDROP INDEX e;\nCREATE INDEX e ON a (b);\n";
    assert_eq!(with_step("0036", grows).findings(), []);
    assert_eq!(with_step("0035", "DROP TABLE a;\n").findings(), [], "taken before that was ruled");
}

#[test]
fn a_step_that_takes_something_away_fails() {
    let place = |line: u32| format!("crates/store/migrations/0040_step.sql:{line}");
    for takes in ["DROP TABLE a;", "ALTER TABLE a DROP COLUMN b;", "ALTER TABLE a\n  RENAME COLUMN b TO c;"] {
        with_step("0040", &format!("-- Words.\nCREATE TABLE x (y TEXT);\n{takes}\n"))
            .fails_at(&place(3), "contract");
    }
    with_step("0040", "ALTER TABLE a ADD COLUMN b TEXT NOT NULL;\n").fails_at(&place(1), "DEFAULT");
}

/// What a program of the version before writes has to be taken as before.
#[test]
fn a_step_that_ties_a_table_down_fails() {
    let place = "crates/store/migrations/0040_step.sql:3";
    for ties in [
        "CREATE UNIQUE INDEX a_once ON a (b);",
        "ALTER TABLE a ADD CONSTRAINT c UNIQUE (b);",
        "-- postgres: ALTER TABLE a ADD CONSTRAINT c UNIQUE (b);",
        "ALTER TABLE a ADD COLUMN c BIGINT DEFAULT 0 CHECK (c < 7);",
        "DELETE FROM a WHERE b IS NULL;",
    ] {
        let step = format!("-- Words.\nCREATE TABLE x (y TEXT UNIQUE, CHECK (y <> ''));\n{ties}\n");
        with_step("0040", &step).fails_at(place, "contract");
        let contract = format!("-- contract: words.\n{step}UPDATE schema_floor SET version = 39;\n");
        assert_eq!(with_step("0040", &contract).findings(), [], "{ties}");
    }
    // What the same step makes is not written to by others.
    let new = "CREATE TABLE a (b TEXT);\nCREATE UNIQUE INDEX a_once ON a (b);\nALTER TABLE a ADD CONSTRAINT c CHECK (b <> '');\n";
    assert_eq!(with_step("0040", new).findings(), []);
}

#[test]
fn a_contract_says_who_may_still_work() {
    let contract = "-- contract: version 39 was the last to read it.\nDROP TABLE a;\n";
    with_step("0040", contract).fails_at("crates/store/migrations/0040_step.sql:1", "schema_floor");
    let whole = format!("{contract}UPDATE schema_floor SET version = 39;\n");
    assert_eq!(with_step("0040", &whole).findings(), []);
}

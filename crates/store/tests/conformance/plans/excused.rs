//! What may be gone through, and why.

/// Tables that stay small however long the house is used. Every other table grows.
pub const SMALL: &[(&str, &str)] = &[
    ("meta", "a handful of values about the database itself"),
    ("schema_version", "one row for each step of the schema"),
    ("schema_floor", "one row"),
    ("master_keys", "one row for each master key the house has had"),
    ("house", "one row for each matter that the house sets"),
    ("providers", "what admins have added by hand"),
    ("nodes", "one row for each process that works on the database"),
    ("node_keys", "one row for each of them"),
    ("handed_keys", "at most one row"),
    ("setup_links", "at most one row for each node, and none in a house that has an owner"),
    ("seats", "what people have open at several nodes, as far as each may"),
    ("audit_head", "one row"),
    ("users", "people of a household or a team"),
    ("agents", "what people have set up by hand"),
    ("agent_capabilities", "a few for each agent"),
    ("agent_shares", "a few for each agent"),
    ("agent_acceptances", "at most one for each person and agent"),
    ("folders", "what people made by hand, each at most so many"),
    ("saved_prompts", "what people wrote by hand, each at most so many"),
    ("schedules", "what people have made, of which so many may come"),
    ("account_links", "a few for each admin, and each has its time"),
    ("abilities", "what people wrote by hand, each at most so many"),
    ("api_keys", "what people have made by hand"),
    ("logins", "each person has at most so many, and the oldest gives way"),
    ("known_places", "each person has at most so many, and the oldest gives way"),
];

/// Indexes that have few rows however many their table has. Of the others that leave rows out, what they hold grows with the house:
/// every child of a session, every call that a person was asked about, every conversation in a folder.
pub const SMALL_INDEXES: &[(&str, &str)] = &[
    ("users_one_owner", "at most one row"),
    ("turns_running", "what runs at the moment"),
    ("turns_queued", "what waits at the moment"),
    ("turns_one_active", "what runs or waits for a person at the moment, at most one for each session"),
    ("questions_open", "what waits for people at the moment"),
    ("questions_due", "what waits for people at the moment"),
    ("approvals_open", "what waits for people at the moment, and each person has at most so many"),
    ("approvals_due", "what waits for people at the moment, and each person has at most so many"),
    ("knowledge_proposed", "what waits for people at the moment, and each person has at most so many"),
    ("errands_due", "answers on their way"),
    ("errands_expiring", "errands that are waited for at the moment"),
    ("schedule_runs_open", "runs that work or wait for people at the moment"),
    ("sessions_copying", "copies that are being made"),
    ("sessions_delete_at", "deletions that can still be undone"),
];

/// Texts whose statements may go through a whole table or a whole session: how they begin, through which tables, and why they
/// may.
pub const ALLOWED: &[(&str, &[&str], &str)] = &[
    ("DELETE FROM {}", ANY, "a restore empties the whole database"),
    ("SELECT {} FROM {}", ANY, "a backup is a picture of the whole database"),
    ("SELECT COUNT(*) FROM {}", ANY, "a backup says how many rows it has"),
    ("SELECT COUNT(*) FROM sqlite_master", &["sqlite_master"], "the list of tables is no table of ours"),
    ("SELECT MAX(updated_at) FROM sessions", &["sessions"], "`doctor` asks once, and prints it"),
    (
        "SELECT position, hash, at FROM audit ORDER BY position DESC LIMIT 1",
        &["audit"],
        "the end of the index, and no further",
    ),
    (
        "SELECT COUNT(*) FROM audit WHERE action",
        &["audit"],
        "asked only where the log is not as this machine noted it",
    ),
    ("UPDATE turns SET restored = 1", &["turns"], RESTORES),
    ("DELETE FROM session_links", &["session_links"], RESTORES),
    ("UPDATE sessions SET title_tries = $1 WHERE name IS NULL", &["sessions"], RESTORES),
    ("DELETE FROM rules WHERE action = 'allow' AND scope IN", &["rules"], RESTORES),
    (
        "UPDATE errands SET status = 'withdrawn', due = NULL, settled_at = $1 WHERE status IN",
        &["errands"],
        RESTORES,
    ),
    (
        "UPDATE model_calls SET status = 'failed', ended_at = $1 WHERE status = 'started'",
        &["model_calls"],
        RESTORES,
    ),
    (
        "SELECT {COLUMNS}, {FIRST_SOURCE}, {} FROM sessions s {JOIN_LAST_MESSAGE}",
        &["messages"],
        "from the newest message of a session backwards to the first of a person or an agent; the sessions are found",
    ),
    (
        "SELECT turn_id FROM messages WHERE session_id = $1 ORDER BY seq DESC LIMIT 1",
        &["messages"],
        "the end of the index, and no further",
    ),
    (
        "SELECT /* PostgreSQL */ b.among, {columns} FROM (",
        &["events", "messages"],
        "a case asks for more events than a session has here, so that PostgreSQL takes all of them at once, and their messages",
    ),
];

/// Whichever table is put in.
const ANY: &[&str] = &[];

const RESTORES: &str = "a restore goes through the whole database, and nobody uses it meanwhile";

-- What agents remember of people. The words are in title and body, sealed: those that are in force, or those that are proposed where
-- nothing is in force yet. owner is a person's id.
CREATE TABLE knowledge (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    store TEXT NOT NULL,
    number BIGINT NOT NULL,
    state TEXT NOT NULL,
    by_person BIGINT NOT NULL,
    pinned BIGINT NOT NULL,
    label BIGINT NOT NULL,
    version BIGINT NOT NULL,
    -- The version that waits for its person, and since when.
    proposal BIGINT,
    proposed_at BIGINT,
    expires_at BIGINT,
    maker TEXT NOT NULL,
    -- A keyed digest of the words, by which the same words are found again.
    words_index BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    title BLOB,
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX knowledge_number ON knowledge (owner, store, number);
CREATE INDEX knowledge_told ON knowledge (owner, state, store, created_at);
CREATE INDEX knowledge_made ON knowledge (owner, maker, created_at);
CREATE INDEX knowledge_same ON knowledge (owner, words_index);
CREATE INDEX knowledge_user ON knowledge (user_id);
CREATE INDEX knowledge_proposed ON knowledge (owner, proposed_at) WHERE proposed_at IS NOT NULL;

-- Every change of an entry, with who made it and where.
CREATE TABLE knowledge_versions (
    entry_id TEXT NOT NULL REFERENCES knowledge (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    action TEXT NOT NULL,
    state TEXT NOT NULL,
    label BIGINT NOT NULL,
    actor TEXT NOT NULL,
    agent_id TEXT,
    session_id TEXT,
    turn_id TEXT,
    call_id TEXT,
    at BIGINT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (entry_id, version)
);

-- Grows with every change of what agents are told of this person.
ALTER TABLE users ADD COLUMN knowledge_version BIGINT NOT NULL DEFAULT 0;
-- 0: agents are told nothing of what is known, and write nothing down.
ALTER TABLE sessions ADD COLUMN memory BIGINT NOT NULL DEFAULT 1;

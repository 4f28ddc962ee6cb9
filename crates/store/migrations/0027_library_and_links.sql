-- Prompts that people keep under names of their own: the whole of one is in body, found by a keyed digest of its name.
CREATE TABLE saved_prompts (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name_index BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (user_id, name_index)
);

-- Links by which other people of this server read a session up to an event. The secret is sealed for the person who made
-- the link, and found by a keyed digest.
CREATE TABLE session_links (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret_index BLOB NOT NULL UNIQUE,
    up_to_seq BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    secret BLOB NOT NULL
);
CREATE INDEX session_links_session ON session_links (session_id);
CREATE INDEX session_links_user ON session_links (user_id);

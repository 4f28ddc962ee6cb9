-- What people wrote for their agents: the whole of it is in body, found by a keyed digest of its name.

CREATE TABLE abilities (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name_index BLOB NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (user_id, name_index)
);

-- Grows with every change of them, so that whoever keeps them in memory knows whether they are still true.
ALTER TABLE users ADD COLUMN abilities_version BIGINT NOT NULL DEFAULT 0;

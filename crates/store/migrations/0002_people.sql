-- Where people are signed in. The secret of a login is in the browser alone; here is its hash.
CREATE TABLE logins (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret_hash BLOB NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    confirmed_at BIGINT,
    body BLOB NOT NULL
);
CREATE INDEX logins_user ON logins (user_id, created_at);

-- With whom an agent is shared: a user's id, or * for everybody of the house.
CREATE TABLE agent_shares (
    agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    audience TEXT NOT NULL,
    PRIMARY KEY (agent_id, audience)
);
CREATE INDEX agent_shares_audience ON agent_shares (audience, agent_id);

-- A session may be with somebody else's agent now, and outlives it: its words are its user's. SQLite removes a
-- constraint only by a change of the table's text, which is safe because nothing that is stored depends on it.
-- sqlite: PRAGMA writable_schema = ON;
-- sqlite: UPDATE sqlite_schema SET sql = replace(replace(sql, 'FOREIGN KEY (agent_id, user_id) REFERENCES agents (id, user_id)', ''), 'name BLOB,', 'name BLOB') WHERE type = 'table' AND name = 'sessions';
-- sqlite: PRAGMA writable_schema = RESET;
-- postgres: ALTER TABLE sessions DROP CONSTRAINT IF EXISTS sessions_agent_id_user_id_fkey;
-- postgres: ALTER TABLE sessions DROP CONSTRAINT IF EXISTS sessions_agent_id_fkey;

-- An approval waits for a person, and one or more calls wait for it. What is asked, with which arguments, and what was
-- said to it are sealed.
CREATE TABLE approvals (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    call_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    status TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    settled_at BIGINT,
    body BLOB NOT NULL,
    reason BLOB
);
CREATE INDEX approvals_session ON approvals (session_id);
CREATE INDEX approvals_turn ON approvals (turn_id);
-- Small whatever the history.
CREATE INDEX approvals_open ON approvals (user_id, created_at) WHERE status = 'pending';
CREATE INDEX approvals_due ON approvals (expires_at) WHERE status = 'pending';

-- The approval for which a call waits.
ALTER TABLE calls ADD COLUMN approval_id TEXT;

-- Rules of the gate. Without a person it is a rule of the house. The arguments are sealed.
CREATE TABLE rules (
    id TEXT PRIMARY KEY,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    agent_id TEXT REFERENCES agents (id) ON DELETE CASCADE,
    tool TEXT NOT NULL,
    action TEXT NOT NULL,
    scope TEXT NOT NULL,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    arguments BLOB
);
CREATE INDEX rules_user ON rules (user_id);
CREATE INDEX rules_session ON rules (session_id);
CREATE INDEX rules_agent ON rules (agent_id);

-- A question waits for a person, and a call waits for it. What was asked and what was answered are sealed.
CREATE TABLE questions (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    call_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    status TEXT NOT NULL,
    mode TEXT NOT NULL,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    settled_at BIGINT,
    body BLOB NOT NULL,
    answer BLOB
);
CREATE INDEX questions_session ON questions (session_id);
CREATE INDEX questions_turn ON questions (turn_id);
-- Small whatever the history.
CREATE INDEX questions_open ON questions (user_id, created_at) WHERE status = 'pending';
CREATE INDEX questions_due ON questions (expires_at) WHERE status = 'pending';

-- What people answered to the prompts in a message: beside its words, which stay as they were written.
ALTER TABLE messages ADD COLUMN answers BLOB;

-- What is looked for is found by an index, however long the house is used.
CREATE INDEX calls_approval ON calls (approval_id) WHERE approval_id IS NOT NULL;
CREATE INDEX events_turn ON events (session_id, turn_id, type, seq);
CREATE INDEX messages_id ON messages (id);
CREATE INDEX inbox_age ON inbox (created_at);

-- Those for single sessions apart from the others, so that a decision reads the rules that may count and no others.
DROP INDEX rules_user;
CREATE INDEX rules_user ON rules (user_id, session_id);
CREATE INDEX rules_expiry ON rules (expires_at) WHERE expires_at IS NOT NULL;

-- Since when a session is being copied from another one; until it is whole it is in no list.
ALTER TABLE sessions ADD COLUMN copying BIGINT;
CREATE INDEX sessions_copying ON sessions (copying) WHERE copying IS NOT NULL;

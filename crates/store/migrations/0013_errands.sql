-- Whose conversation a session is (own, colleague, subagent), and what its agent is narrowed to.
ALTER TABLE sessions ADD COLUMN kind TEXT NOT NULL DEFAULT 'own';
ALTER TABLE sessions ADD COLUMN narrowing BLOB;

-- Which agent said it, where it was neither a person nor the session's own; sealed.
ALTER TABLE inbox ADD COLUMN asker BLOB;

-- What a call gave to another agent: the turn that works on it, the call that waits for it, and how far agents may still
-- go from there. `due` is what the house still has to do about it: deliver its answer, or stop its turn.
CREATE TABLE errands (
    turn_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    root_turn TEXT NOT NULL,
    parent_session TEXT NOT NULL,
    parent_turn TEXT NOT NULL,
    parent_call TEXT NOT NULL UNIQUE,
    status TEXT NOT NULL,
    due TEXT,
    depth_left BIGINT NOT NULL,
    hops_left BIGINT NOT NULL,
    expires_at BIGINT,
    created_at BIGINT NOT NULL,
    settled_at BIGINT,
    answer BLOB
);
CREATE INDEX errands_session ON errands (session_id);
CREATE INDEX errands_parent ON errands (parent_turn);
CREATE INDEX errands_root ON errands (root_turn);
-- Small whatever the history.
CREATE INDEX errands_due ON errands (due) WHERE due IS NOT NULL;
CREATE INDEX errands_expiring ON errands (expires_at) WHERE status = 'pending';

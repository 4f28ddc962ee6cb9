-- A summary of the messages up to up_to_seq, which stay. Every generation stays too: a fork from before the newest one
-- takes over an older. The newest is what models are told.
CREATE TABLE compactions (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    generation BIGINT NOT NULL,
    up_to_seq BIGINT NOT NULL,
    level BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    label BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    summary BLOB NOT NULL,
    PRIMARY KEY (session_id, generation)
);

-- The request for a summary that is under way, so that one which a crash cut off is found and closed.
ALTER TABLE sessions ADD COLUMN compaction_call TEXT;

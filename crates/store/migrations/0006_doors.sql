-- Which session belongs to whoever speaks through a program, found by a keyed digest of where and who.

CREATE TABLE chat_sessions (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    peer BLOB NOT NULL,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, peer)
);
CREATE INDEX chat_sessions_session ON chat_sessions (session_id);

-- What people hand in: files in sealed pieces, kept while a session uses them.

-- size and pieces grow while it arrives; complete says that all of it is there. body has its name and type.
CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    size BIGINT NOT NULL,
    pieces BIGINT NOT NULL,
    complete BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX uploads_user ON uploads (user_id, size);
CREATE INDEX uploads_age ON uploads (created_at);

CREATE TABLE upload_pieces (
    upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (upload_id, position)
);

-- Which sessions show an upload; one that none shows is dropped after a while.
CREATE TABLE upload_uses (
    upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    PRIMARY KEY (upload_id, session_id)
);
CREATE INDEX upload_uses_session ON upload_uses (session_id);

ALTER TABLE inbox ADD COLUMN attachments BLOB;

-- How often a title was tried; a name that is given, by whomever, ends it.
ALTER TABLE sessions ADD COLUMN title_tries BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sessions_untitled ON sessions (updated_at) WHERE name IS NULL;

-- What a repeated idempotency key finds, for everything that is not a message.
CREATE TABLE idempotency_keys (
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    idem BLOB NOT NULL,
    digest BLOB NOT NULL,
    made TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, idem)
);
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- Folders of conversations: name and instructions are in body. The version grows with every change, so that of two windows
-- that change one folder the second is told.
CREATE TABLE folders (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX folders_user ON folders (user_id, id);

ALTER TABLE sessions ADD COLUMN pinned BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN folder_id TEXT;
CREATE INDEX sessions_folder ON sessions (folder_id) WHERE folder_id IS NOT NULL;

-- When a session that its person has deleted really goes; until then it is in no list, and they can take it back.
ALTER TABLE sessions ADD COLUMN delete_at BIGINT;
CREATE INDEX sessions_delete_at ON sessions (delete_at) WHERE delete_at IS NOT NULL;

-- Files of a folder: uploads that agents are told of in every conversation there, each with where it comes from.
CREATE TABLE folder_files (
    folder_id TEXT NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    label BIGINT NOT NULL,
    added_at BIGINT NOT NULL,
    PRIMARY KEY (folder_id, upload_id)
);
CREATE INDEX folder_files_upload ON folder_files (upload_id);

-- How many there are, so that a turn in a folder without files reads nothing more.
ALTER TABLE folders ADD COLUMN files BIGINT NOT NULL DEFAULT 0;

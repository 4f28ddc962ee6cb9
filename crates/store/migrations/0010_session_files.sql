-- The files of a session. A place is found by a keyed digest of its path, what is in a folder by that of the folder's;
-- head has the path and what is known of it, content the bytes of a file.

CREATE TABLE session_files (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    path_index BLOB NOT NULL,
    folder_index BLOB NOT NULL,
    is_directory BIGINT NOT NULL,
    size BIGINT NOT NULL,
    head BLOB NOT NULL,
    content BLOB,
    PRIMARY KEY (session_id, path_index)
);
CREATE INDEX session_files_folder ON session_files (session_id, folder_index);

-- What a call has done in this database, committed together with the deed: whoever runs the call again finds it.
ALTER TABLE calls ADD COLUMN receipt BLOB;

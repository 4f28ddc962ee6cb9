-- The text that was read of a file, in sealed pieces as the file itself: the list of its parts first, then the words.
CREATE TABLE upload_texts (
    upload_id TEXT NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (upload_id, position)
);

-- Where a file comes from, as the message said that brought it; of older ones the worst is assumed.
ALTER TABLE upload_uses ADD COLUMN label BIGINT NOT NULL DEFAULT 3;

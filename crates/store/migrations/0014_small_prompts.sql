-- What the house itself sets, sealed with its own key: one row per matter.
CREATE TABLE house (
    name TEXT PRIMARY KEY,
    updated_at BIGINT NOT NULL,
    body BLOB NOT NULL
);

-- A session may be run by another handler than its agent's.
ALTER TABLE sessions ADD COLUMN handler TEXT;

-- Who said it, where somebody else delivers it; sealed.
ALTER TABLE inbox ADD COLUMN sender BLOB;

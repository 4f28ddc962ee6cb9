-- The master keys that this database knows, by a value that tells them apart and nothing else: one is
-- current, while keys are being changed one is next, the others are retired.
CREATE TABLE master_keys (
    version BIGINT PRIMARY KEY,
    status TEXT NOT NULL,
    check_value BLOB NOT NULL UNIQUE
);

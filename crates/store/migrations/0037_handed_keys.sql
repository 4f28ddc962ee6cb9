-- A master key that is to come, on its way from the node that changes it to the others; sealed with the key of the house. It is there
-- only until every node has it in a file of its own.
CREATE TABLE handed_keys (
    version BIGINT PRIMARY KEY,
    body BLOB NOT NULL
);

-- What each node can do with master keys: whether it can take a new one (it has its own in a file), the newest that it opens with, and
-- the one that it wraps with.
CREATE TABLE node_keys (
    node TEXT PRIMARY KEY,
    in_file BIGINT NOT NULL,
    opens BIGINT NOT NULL,
    wraps BIGINT NOT NULL
);

-- What the nodes of one database count together, so that a limit is one limit however many of them there are. Nothing here is of
-- people's words: names and addresses are keyed digests, links are hashes of random secrets.

-- When the last of the attempts of this name counts no more, in milliseconds of the database's clock.
CREATE TABLE attempts (
    name TEXT PRIMARY KEY,
    full_at BIGINT NOT NULL
);
CREATE INDEX attempts_by_time ON attempts (full_at);

-- How much of what a person, or one sign-in or API key, may have open at once a node has taken. A row counts as long as its node is
-- alive. The row without a node is the lock of its person.
CREATE TABLE seats (
    who TEXT NOT NULL,
    kind TEXT NOT NULL,
    node TEXT NOT NULL,
    held BIGINT NOT NULL,
    PRIMARY KEY (who, kind, node)
);
CREATE INDEX seats_by_node ON seats (node);

-- The link by which the owner comes, one of each node that shows one. Any node opens it.
CREATE TABLE setup_links (
    node TEXT PRIMARY KEY,
    secret_hash BLOB NOT NULL,
    expires_at BIGINT NOT NULL
);

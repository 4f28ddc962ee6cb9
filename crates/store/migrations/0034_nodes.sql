-- The processes that work on this database, where it takes several. A node is a data directory and a process: `boot` names the process.
-- Times are by the database's clock; `clock` is what the node's own said at that moment. Nothing here is of people's words.
CREATE TABLE nodes (
    id TEXT PRIMARY KEY,
    boot TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    clock BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    lease_until BIGINT NOT NULL
);

-- Words of people, models and tools are in BLOB columns, sealed; what is readable here are ids, times,
-- counts and states. Every integer is a BIGINT; BLOB is spelt BYTEA on PostgreSQL.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
);

CREATE TABLE users (
    id TEXT PRIMARY KEY,
    name_index BLOB NOT NULL UNIQUE,
    role TEXT NOT NULL,
    password_hash TEXT,
    key_version BIGINT NOT NULL,
    data_key BLOB NOT NULL,
    profile BLOB NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX users_one_owner ON users (role) WHERE role = 'owner';

CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    secret_hash BLOB NOT NULL UNIQUE,
    scope TEXT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    created_at BIGINT NOT NULL,
    name BLOB NOT NULL
);
CREATE INDEX api_keys_user ON api_keys (user_id);

CREATE TABLE agents (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name_index BLOB NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (user_id, name_index),
    UNIQUE (id, user_id)
);

CREATE TABLE agent_capabilities (
    agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    capability_id TEXT NOT NULL,
    settings BLOB,
    PRIMARY KEY (agent_id, position)
);

-- active_turn, pending and steering are the session's queue in short: who runs, how many wait, how many
-- steering inputs the running turn has not taken in yet.
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL,
    parent_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    status TEXT NOT NULL,
    archived BIGINT NOT NULL,
    message_count BIGINT NOT NULL,
    last_seq BIGINT NOT NULL,
    read_seq BIGINT NOT NULL,
    active_turn TEXT,
    pending BIGINT NOT NULL,
    steering BIGINT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cost_microusd BIGINT,
    label BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    name BLOB,
    FOREIGN KEY (agent_id, user_id) REFERENCES agents (id, user_id)
);
CREATE INDEX sessions_list ON sessions (user_id, updated_at, id);
CREATE INDEX sessions_agent ON sessions (agent_id);
CREATE INDEX sessions_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE events (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    turn_id TEXT,
    type TEXT NOT NULL,
    data BLOB,
    PRIMARY KEY (session_id, seq)
);

-- size stands before body so that a window over it does not touch the words.
CREATE TABLE messages (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    size BIGINT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (session_id, seq)
);
CREATE INDEX messages_turn ON messages (turn_id, seq);

CREATE TABLE turns (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    source TEXT NOT NULL,
    status TEXT NOT NULL,
    outcome TEXT,
    owner TEXT,
    epoch BIGINT NOT NULL,
    lease_until BIGINT,
    attempt BIGINT NOT NULL,
    stalls BIGINT NOT NULL,
    cancel BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    state BLOB,
    UNIQUE (session_id, position)
);
-- Small whatever the history: leases are renewed and queues looked at all the time.
CREATE INDEX turns_running ON turns (owner) WHERE status = 'running';
CREATE INDEX turns_queued ON turns (session_id, position) WHERE status = 'queued';

CREATE TABLE calls (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    turn_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    position BIGINT NOT NULL,
    origin TEXT NOT NULL,
    class TEXT NOT NULL,
    status TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    result_seq BIGINT,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    settled_at BIGINT,
    body BLOB NOT NULL
);
CREATE INDEX calls_turn ON calls (turn_id);
CREATE INDEX calls_session ON calls (session_id);

-- No reference to sessions: the input is stored before its session is looked at, so that the locks are
-- always taken in the same order; the session's update then says whether it exists.
CREATE TABLE inbox (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    idem BLOB NOT NULL,
    digest BLOB NOT NULL,
    turn_id TEXT NOT NULL,
    mode TEXT NOT NULL,
    source TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    consumed_at BIGINT,
    body BLOB NOT NULL,
    UNIQUE (session_id, idem)
);
CREATE INDEX inbox_turn ON inbox (turn_id);

-- What was spent stays spent: these rows outlive their session, and hold no words.
CREATE TABLE model_calls (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    turn_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    step BIGINT NOT NULL,
    attempt BIGINT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    input_tokens BIGINT NOT NULL,
    output_tokens BIGINT NOT NULL,
    cached_tokens BIGINT NOT NULL,
    cost_microusd BIGINT,
    started_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX model_calls_turn ON model_calls (turn_id);
CREATE INDEX model_calls_user ON model_calls (user_id, started_at);

CREATE TABLE audit (
    position BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    user_id TEXT,
    action TEXT NOT NULL,
    previous BLOB NOT NULL,
    hash BLOB NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX audit_user ON audit (user_id, position);

CREATE TABLE audit_head (
    id BIGINT PRIMARY KEY,
    position BIGINT NOT NULL,
    hash BLOB NOT NULL
);

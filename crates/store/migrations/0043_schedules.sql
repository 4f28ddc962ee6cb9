-- What agents do at their times. The plan is in body, what the agent might do when its person made the plan in maker. A missing agent
-- or conversation is a failed run, and no silence: so there is no reference to the agent.
CREATE TABLE schedules (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    agent_id TEXT NOT NULL,
    session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    number BIGINT NOT NULL,
    state TEXT NOT NULL,
    revision BIGINT NOT NULL,
    next_at BIGINT,
    failures BIGINT NOT NULL,
    runs BIGINT NOT NULL,
    label BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body BLOB NOT NULL,
    maker BLOB NOT NULL,
    UNIQUE (user_id, number)
);
CREATE INDEX schedules_due ON schedules (next_at) WHERE state = 'active';
CREATE INDEX schedules_session ON schedules (session_id);

-- One row for each due time: it is fired once, and ends in one outcome.
CREATE TABLE schedule_runs (
    schedule_id TEXT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    due_at BIGINT NOT NULL,
    fired_at BIGINT NOT NULL,
    ended_at BIGINT,
    turn_id TEXT,
    session_id TEXT,
    outcome TEXT NOT NULL,
    code TEXT,
    missed BIGINT NOT NULL,
    PRIMARY KEY (schedule_id, due_at)
);
CREATE INDEX schedule_runs_open ON schedule_runs (schedule_id) WHERE ended_at IS NULL;
CREATE INDEX schedule_runs_turn ON schedule_runs (turn_id);

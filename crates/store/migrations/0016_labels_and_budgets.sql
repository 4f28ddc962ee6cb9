-- Up to which event its person has declared what a session holds trusted.
ALTER TABLE sessions ADD COLUMN trusted_seq BIGINT NOT NULL DEFAULT 0;
-- Where a file comes from, as bits: 1 = untrusted, 2 = private. What people have put there is theirs.
ALTER TABLE session_files ADD COLUMN label BIGINT NOT NULL DEFAULT 2;

-- What a request to a model may cost at most, held back from the budgets it counts towards until it has ended; for ever if
-- nobody knows what it cost.
ALTER TABLE model_calls ADD COLUMN reserved_microusd BIGINT;
-- What a person may spend: what the house says, and what they say themselves. The lower one counts.
ALTER TABLE users ADD COLUMN house_budget_turn BIGINT;
ALTER TABLE users ADD COLUMN house_budget_day BIGINT;
ALTER TABLE users ADD COLUMN own_budget_turn BIGINT;
ALTER TABLE users ADD COLUMN own_budget_day BIGINT;

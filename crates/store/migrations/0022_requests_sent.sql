-- How many requests really went out for a row: an answer that pauses takes several, one that was never asked for takes none.
-- Absent while it is under way, and where a crash swallowed it: then one is assumed.
ALTER TABLE model_calls ADD COLUMN requests BIGINT;
-- 1 = what it took is our own estimate, because the provider did not say.
ALTER TABLE model_calls ADD COLUMN estimated BIGINT NOT NULL DEFAULT 0;

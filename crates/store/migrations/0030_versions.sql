-- Versions of one conversation: what its person said was changed, or answered once more. Each is a session of its own; one of
-- them is in the lists. version_of is the first of them; version_from is the one from which it departs, at the message
-- version_seq of that one, and version_base is the number of its own last event that is a copy.
ALTER TABLE sessions ADD COLUMN version_of TEXT;
ALTER TABLE sessions ADD COLUMN version_from TEXT;
ALTER TABLE sessions ADD COLUMN version_seq BIGINT;
ALTER TABLE sessions ADD COLUMN version_base BIGINT;
ALTER TABLE sessions ADD COLUMN hidden BIGINT NOT NULL DEFAULT 0;
CREATE INDEX sessions_version_of ON sessions (version_of) WHERE version_of IS NOT NULL;

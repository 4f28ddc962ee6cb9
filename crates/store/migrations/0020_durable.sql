-- It came with a backup, and nobody has asked for it since: it is ended, and not run.
ALTER TABLE turns ADD COLUMN restored BIGINT NOT NULL DEFAULT 0;

-- The turn that was told to the person who steered, where their words became a turn of their own later.
ALTER TABLE inbox ADD COLUMN told_turn TEXT;

-- Whether a node makes backups by itself. A node of the version before does not say it, and may.
ALTER TABLE nodes ADD COLUMN backs_up BIGINT NOT NULL DEFAULT 1;

-- The chain of the audit log is keyed from here on: entries up to keyed_after were linked without a key, and the seal
-- says that the head is one that this program wrote. It is put there when the database is next opened, with its key.
ALTER TABLE audit_head ADD COLUMN keyed_after BIGINT NOT NULL DEFAULT 0;
ALTER TABLE audit_head ADD COLUMN seal BLOB;

-- There is a head from the beginning, so that taking it away is noticed.
-- sqlite: INSERT INTO audit_head (id, position, hash) SELECT 1, 0, zeroblob(32) WHERE NOT EXISTS (SELECT 1 FROM audit_head);
-- postgres: INSERT INTO audit_head (id, position, hash) SELECT 1, 0, decode(repeat('00', 32), 'hex') WHERE NOT EXISTS (SELECT 1 FROM audit_head);

-- What a node does: it is `serving`, or `draining` and takes no new work. A node of the version before does not say it, and serves.
ALTER TABLE nodes ADD COLUMN state TEXT NOT NULL DEFAULT 'serving';

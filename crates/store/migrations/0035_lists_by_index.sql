-- How long the list of a person's sessions is and how they stand is read from the index alone, and not from each of their rows.
DROP INDEX sessions_list;
CREATE INDEX sessions_list ON sessions (user_id, updated_at, id, archived, hidden, copying, delete_at, last_seq, status);

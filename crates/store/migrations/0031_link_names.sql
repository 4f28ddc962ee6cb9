-- The name that a conversation had when a link to it was made: its later ones are not shown. Older links show none.
ALTER TABLE session_links ADD COLUMN name BLOB;

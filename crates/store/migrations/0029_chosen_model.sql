-- The model that a person chose: for a conversation, and for one message.
ALTER TABLE sessions ADD COLUMN model TEXT;
ALTER TABLE inbox ADD COLUMN model TEXT;

-- What a person types is private, and what they upload was written by others unless they say otherwise.
-- Its person says that they wrote the files, pictures and long texts which they add to a session.
ALTER TABLE sessions ADD COLUMN own_files BIGINT NOT NULL DEFAULT 0;
-- Up to which event the labels in a session were made by rules that trusted more than they should.
ALTER TABLE sessions ADD COLUMN doubted_seq BIGINT NOT NULL DEFAULT 0;
-- Where an input comes from, as bits: 1 = untrusted, 2 = private. Of those that wait already nobody knows.
ALTER TABLE inbox ADD COLUMN label BIGINT NOT NULL DEFAULT 3;

-- Labels of messages are sealed and cannot be rewritten here. Sessions in which one may be wrong are doubted as a whole: those
-- with uploads or files, those that another session made or was copied to, those with an agent of another person or with a
-- colleague.
UPDATE sessions SET doubted_seq = last_seq
WHERE kind <> 'own' OR parent_id IS NOT NULL
   OR EXISTS (SELECT 1 FROM upload_uses u WHERE u.session_id = sessions.id)
   OR EXISTS (SELECT 1 FROM session_files f WHERE f.session_id = sessions.id)
   OR EXISTS (SELECT 1 FROM agents a WHERE a.id = sessions.agent_id AND a.user_id <> sessions.user_id)
   OR EXISTS (SELECT 1 FROM sessions c WHERE c.parent_id = sessions.id AND c.kind = 'colleague');
UPDATE sessions SET label = label | 2;
UPDATE sessions SET label = label | 1
WHERE doubted_seq > trusted_seq OR EXISTS (SELECT 1 FROM session_files f WHERE f.session_id = sessions.id);
-- A file that its person put there and one that an agent wrote look the same, and nobody knows whether it came before or after
-- its session was declared trusted.
UPDATE session_files SET label = 3;

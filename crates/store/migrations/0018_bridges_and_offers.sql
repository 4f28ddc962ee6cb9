-- The bridge whose messages a key delivers: sealed, and as a digest that can be compared. A key of an older version is bound
-- to the first source that it names from now on.
ALTER TABLE api_keys ADD COLUMN source BLOB;
ALTER TABLE api_keys ADD COLUMN source_index BLOB;

-- Who has accepted which agent that another person shares with them. Whose sessions were with one already has.
CREATE TABLE agent_acceptances (
    agent_id TEXT NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    accepted_at BIGINT NOT NULL,
    PRIMARY KEY (agent_id, user_id)
);
CREATE INDEX agent_acceptances_user ON agent_acceptances (user_id);
INSERT INTO agent_acceptances (agent_id, user_id, accepted_at)
    SELECT s.agent_id, s.user_id, MIN(s.created_at) FROM sessions s JOIN agents a ON a.id = s.agent_id
    WHERE a.user_id <> s.user_id AND s.kind = 'own'
        AND EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', s.user_id))
    GROUP BY s.agent_id, s.user_id;

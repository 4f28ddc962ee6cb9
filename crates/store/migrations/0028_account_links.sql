-- Links that an admin makes and one person uses once: to create their account, or to choose a new password. A link for a
-- password names whose it is. Of the secret there is only a hash.
CREATE TABLE account_links (
    id TEXT PRIMARY KEY,
    made_by TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    user_id TEXT REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    secret_hash BLOB NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX account_links_made_by ON account_links (made_by);
CREATE INDEX account_links_user ON account_links (user_id);
CREATE INDEX account_links_expiry ON account_links (expires_at);

-- From where people have signed in: keyed digests of addresses and of what their browsers keep. Whoever tries a
-- person's name from there is not counted together with strangers.
CREATE TABLE known_places (
    place BLOB NOT NULL,
    user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (place, user_id)
);
CREATE INDEX known_places_user ON known_places (user_id, seen_at);

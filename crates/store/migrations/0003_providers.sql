-- Providers that an admin has added while the program ran. Address and key are sealed with the key of the
-- house; the name is part of every model id.
CREATE TABLE providers (
    name TEXT PRIMARY KEY,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body BLOB NOT NULL
);

CREATE INDEX model_calls_started ON model_calls (started_at);

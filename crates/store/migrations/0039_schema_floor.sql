-- How old a program may be that works on this schema, where several nodes share it: the newest version that it has to know. A step that takes away
-- something an older program needs raises it; such a step begins with `-- contract:`.
CREATE TABLE schema_floor (id BIGINT PRIMARY KEY, version BIGINT NOT NULL);
INSERT INTO schema_floor (id, version) VALUES (1, 35);

-- A schedule may only show its note; no model is asked. A row of a node of the version before is a run.
ALTER TABLE schedules ADD COLUMN kind TEXT NOT NULL DEFAULT 'run';

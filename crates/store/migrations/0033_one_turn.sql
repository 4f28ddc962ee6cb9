-- A session is at one turn. What it is not at is over, although an earlier version could leave it as if it ran.
UPDATE turns SET status = 'ended', outcome = 'failed', owner = NULL, lease_until = NULL
    WHERE status IN ('running', 'parked')
    AND id NOT IN (SELECT s.active_turn FROM sessions s WHERE s.active_turn IS NOT NULL);

-- The database itself refuses a second one, whichever process asks.
CREATE UNIQUE INDEX turns_one_active ON turns (session_id) WHERE status IN ('running', 'parked');

	DELETE FROM abilities
	DELETE FROM account_links
	DELETE FROM agent_acceptances
	DELETE FROM agent_capabilities
	DELETE FROM agent_shares
	DELETE FROM agents
	DELETE FROM api_keys
	DELETE FROM approvals
	DELETE FROM audit
	DELETE FROM audit_head
	DELETE FROM calls
	DELETE FROM chat_sessions
	DELETE FROM compactions
	DELETE FROM errands
	DELETE FROM events
	DELETE FROM folder_files
	DELETE FROM folders
	DELETE FROM house
	DELETE FROM idempotency_keys
	DELETE FROM inbox
	DELETE FROM known_places
	DELETE FROM logins
	DELETE FROM master_keys
	DELETE FROM messages
	DELETE FROM meta
	DELETE FROM meta WHERE name IN ('house_key', 'digest_key')
	DELETE FROM model_calls
	DELETE FROM nodes
	DELETE FROM nodes WHERE lease_until = 1
	DELETE FROM providers
	DELETE FROM questions
	DELETE FROM rules
	DELETE FROM rules WHERE action = 'allow' AND scope IN ('once', 'session')
	DELETE FROM saved_prompts
	DELETE FROM schema_version WHERE version = 17
	DELETE FROM session_files
	DELETE FROM session_links
	DELETE FROM sessions
	DELETE FROM turns
	DELETE FROM upload_pieces
	DELETE FROM upload_texts
	DELETE FROM upload_uses
	DELETE FROM uploads
	DELETE FROM users
	INSERT INTO agent_acceptances (agent_id, user_id, accepted_at) SELECT s.agent_id, s.user_id, MIN(s.created_at) FROM sessions s JOIN agents a ON a.id = s.agent_id WHERE a.user_id <> s.user_id AND s.kind = 'own' AND EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', s.user_id)) GROUP BY s.agent_id, s.user_id
	SELECT CAST(conrelid AS regclass)::text, quote_ident(conname) FROM pg_constraint WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace)
	SELECT COUNT(*) FROM abilities
	SELECT COUNT(*) FROM abilities WHERE length(body) > 0
	SELECT COUNT(*) FROM account_links
	SELECT COUNT(*) FROM agent_acceptances
	SELECT COUNT(*) FROM agent_capabilities
	SELECT COUNT(*) FROM agent_capabilities WHERE length(settings) > 0
	SELECT COUNT(*) FROM agent_shares
	SELECT COUNT(*) FROM agents
	SELECT COUNT(*) FROM agents WHERE length(body) > 0
	SELECT COUNT(*) FROM api_keys
	SELECT COUNT(*) FROM api_keys WHERE length(name) > 0
	SELECT COUNT(*) FROM api_keys WHERE length(source) > 0
	SELECT COUNT(*) FROM api_keys WHERE length(source_index) > 0
	SELECT COUNT(*) FROM approvals
	SELECT COUNT(*) FROM approvals WHERE length(body) > 0
	SELECT COUNT(*) FROM approvals WHERE length(reason) > 0
	SELECT COUNT(*) FROM audit
	SELECT COUNT(*) FROM audit WHERE length(body) > 0
	SELECT COUNT(*) FROM audit_head
	SELECT COUNT(*) FROM calls
	SELECT COUNT(*) FROM calls WHERE length(body) > 0
	SELECT COUNT(*) FROM calls WHERE length(receipt) > 0
	SELECT COUNT(*) FROM chat_sessions
	SELECT COUNT(*) FROM compactions
	SELECT COUNT(*) FROM compactions WHERE length(summary) > 0
	SELECT COUNT(*) FROM errands
	SELECT COUNT(*) FROM errands WHERE length(answer) > 0
	SELECT COUNT(*) FROM events
	SELECT COUNT(*) FROM events WHERE length(data) > 0
	SELECT COUNT(*) FROM folder_files
	SELECT COUNT(*) FROM folders
	SELECT COUNT(*) FROM folders WHERE length(body) > 0
	SELECT COUNT(*) FROM house
	SELECT COUNT(*) FROM house WHERE length(body) > 0
	SELECT COUNT(*) FROM idempotency_keys
	SELECT COUNT(*) FROM inbox
	SELECT COUNT(*) FROM inbox WHERE length(asker) > 0
	SELECT COUNT(*) FROM inbox WHERE length(attachments) > 0
	SELECT COUNT(*) FROM inbox WHERE length(body) > 0
	SELECT COUNT(*) FROM inbox WHERE length(sender) > 0
	SELECT COUNT(*) FROM known_places
	SELECT COUNT(*) FROM known_places WHERE length(place) > 0
	SELECT COUNT(*) FROM logins
	SELECT COUNT(*) FROM logins WHERE length(body) > 0
	SELECT COUNT(*) FROM master_keys
	SELECT COUNT(*) FROM messages
	SELECT COUNT(*) FROM messages WHERE length(answers) > 0
	SELECT COUNT(*) FROM messages WHERE length(body) > 0
	SELECT COUNT(*) FROM meta
	SELECT COUNT(*) FROM meta WHERE length(name) = 36
	SELECT COUNT(*) FROM meta WHERE name = 'half'
	SELECT COUNT(*) FROM meta WHERE name = 'sneaky'
	SELECT COUNT(*) FROM meta WHERE name IN ('half', 'other')
	SELECT COUNT(*) FROM model_calls
	SELECT COUNT(*) FROM nodes
	SELECT COUNT(*) FROM providers
	SELECT COUNT(*) FROM providers WHERE length(body) > 0
	SELECT COUNT(*) FROM questions
	SELECT COUNT(*) FROM questions WHERE length(answer) > 0
	SELECT COUNT(*) FROM questions WHERE length(body) > 0
	SELECT COUNT(*) FROM rules
	SELECT COUNT(*) FROM rules WHERE length(arguments) > 0
	SELECT COUNT(*) FROM rules WHERE user_id IS NULL AND session_id IS NULL
	SELECT COUNT(*) FROM saved_prompts
	SELECT COUNT(*) FROM saved_prompts WHERE length(body) > 0
	SELECT COUNT(*) FROM session_files
	SELECT COUNT(*) FROM session_files WHERE length(content) > 0
	SELECT COUNT(*) FROM session_files WHERE length(head) > 0
	SELECT COUNT(*) FROM session_files a JOIN session_files b ON a.path_index = b.path_index AND a.session_id <> b.session_id
	SELECT COUNT(*) FROM session_links
	SELECT COUNT(*) FROM session_links WHERE length(name) > 0
	SELECT COUNT(*) FROM session_links WHERE length(secret) > 0
	SELECT COUNT(*) FROM sessions
	SELECT COUNT(*) FROM sessions WHERE length(name) > 0
	SELECT COUNT(*) FROM sessions WHERE length(narrowing) > 0
	SELECT COUNT(*) FROM turns
	SELECT COUNT(*) FROM turns WHERE length(state) > 0
	SELECT COUNT(*) FROM turns WHERE status = 'queued'
	SELECT COUNT(*) FROM upload_pieces
	SELECT COUNT(*) FROM upload_pieces WHERE length(data) > 0
	SELECT COUNT(*) FROM upload_texts
	SELECT COUNT(*) FROM upload_texts WHERE length(data) > 0
	SELECT COUNT(*) FROM upload_uses
	SELECT COUNT(*) FROM uploads
	SELECT COUNT(*) FROM uploads WHERE length(body) > 0
	SELECT COUNT(*) FROM users
	SELECT COUNT(*) FROM users WHERE length(profile) > 0
	SELECT COUNT(*), MIN(seq), MAX(seq), (SELECT last_seq FROM sessions) FROM events
	SELECT MAX(updated_at) FROM sessions
	SELECT agent_id, audience FROM agent_shares
	SELECT agent_id, position, capability_id, settings FROM agent_capabilities
	SELECT agent_id, user_id, accepted_at FROM agent_acceptances
	SELECT body FROM messages WHERE seq = 1
	SELECT check_value FROM master_keys WHERE version = 1
	SELECT delete_at FROM sessions WHERE delete_at IS NOT NULL ORDER BY delete_at LIMIT 1
	SELECT e.turn_id, e.session_id, e.user_id, e.root_turn, e.parent_session, e.parent_turn, e.parent_call, e.status, e.depth_left, e.hops_left, e.expires_at FROM errands e WHERE e.due IS NOT NULL ORDER BY e.created_at
	SELECT expires_at FROM approvals WHERE status = 'pending' ORDER BY expires_at LIMIT 1
	SELECT expires_at FROM errands WHERE status = 'pending' AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1
	SELECT expires_at FROM questions WHERE status = 'pending' AND expires_at IS NOT NULL ORDER BY expires_at LIMIT 1
	SELECT folder_id, upload_id, label, added_at FROM folder_files
	SELECT hash, seal FROM audit_head
	SELECT id, boot, name, version, clock, started_at, seen_at, lease_until FROM nodes
	SELECT id, data_key FROM users
	SELECT id, made_by, user_id, role, secret_hash, created_at, expires_at FROM account_links
	SELECT id, name_index, role, password_hash, key_version, data_key, profile, created_at, abilities_version, house_budget_turn, house_budget_day, own_budget_turn, own_budget_day FROM users
	SELECT id, position, hash, keyed_after, seal FROM audit_head
	SELECT id, role, data_key, profile, house_budget_turn, house_budget_day, own_budget_turn, own_budget_day, created_at FROM users ORDER BY created_at, id
	SELECT id, role, data_key, profile, house_budget_turn, house_budget_day, own_budget_turn, own_budget_day, created_at FROM users WHERE role = 'owner'
	SELECT id, session_id, turn_id, call_id, user_id, status, expires_at, created_at, settled_at, body, reason FROM approvals
	SELECT id, session_id, turn_id, call_id, user_id, status, mode, expires_at, created_at, settled_at, body, answer FROM questions
	SELECT id, session_id, turn_id, user_id, agent_id, step, attempt, model, status, input_tokens, output_tokens, cached_tokens, cost_microusd, started_at, ended_at, reserved_microusd, requests, estimated FROM model_calls
	SELECT id, session_id, turn_id, user_id, message_id, position, origin, class, status, attempt, result_seq, created_at, started_at, settled_at, body, receipt, approval_id FROM calls
	SELECT id, session_id, user_id, idem, digest, turn_id, mode, source, created_at, consumed_at, body, attachments, asker, sender, label, told_turn, model FROM inbox
	SELECT id, session_id, user_id, position, source, status, outcome, owner, epoch, lease_until, attempt, stalls, cancel, created_at, updated_at, state, restored FROM turns
	SELECT id, session_id, user_id, secret_index, up_to_seq, created_at, secret, name FROM session_links
	SELECT id, user_id, agent_id, parent_id, status, archived, message_count, last_seq, read_seq, active_turn, pending, steering, input_tokens, output_tokens, cached_tokens, cost_microusd, label, created_at, updated_at, name, title_tries, compaction_call, kind, narrowing, handler, trusted_seq, own_files, doubted_seq, copying, pinned, folder_id, delete_at, model, version_of, version_from, version_seq, version_base, hidden FROM sessions
	SELECT id, user_id, name_index, created_at, updated_at, body FROM abilities
	SELECT id, user_id, name_index, created_at, updated_at, body FROM saved_prompts
	SELECT id, user_id, name_index, status, created_at, updated_at, body FROM agents
	SELECT id, user_id, secret_hash, created_at, seen_at, confirmed_at, body FROM logins
	SELECT id, user_id, secret_hash, scope, expires_at, revoked_at, created_at, name, source, source_index FROM api_keys
	SELECT id, user_id, size, pieces, complete, created_at, body FROM uploads
	SELECT id, user_id, subject, session_id, agent_id, tool, action, scope, expires_at, created_at, arguments FROM rules
	SELECT id, user_id, version, created_at, updated_at, body, files FROM folders
	SELECT name, body FROM providers ORDER BY name
	SELECT name, created_at, updated_at, body FROM providers
	SELECT name, updated_at, body FROM house
	SELECT name, value FROM meta
	SELECT place, user_id, seen_at FROM known_places
	SELECT position FROM audit_head WHERE id = 1
	SELECT position, at, user_id, action, previous, hash, body FROM audit
	SELECT position, hash, at FROM audit ORDER BY position DESC LIMIT 1
	SELECT position, hash, keyed_after, seal FROM audit_head WHERE id = 1
	SELECT s.id, s.user_id FROM sessions s WHERE s.active_turn IS NULL AND s.id IN (SELECT t.session_id FROM turns t WHERE t.status = 'queued') ORDER BY s.id
	SELECT session_id, generation, up_to_seq, level, tokens, label, created_at, summary FROM compactions
	SELECT session_id, path_index, folder_index, is_directory, size, head, content, label FROM session_files
	SELECT session_id, seq, at, turn_id, type, data FROM events
	SELECT session_id, seq, id, turn_id, role, created_at, size, body, answers FROM messages
	SELECT size FROM messages WHERE seq = 1
	SELECT status, restored, epoch FROM turns WHERE lease_until IS NULL ORDER BY position
	SELECT table_name || '.' || column_name FROM information_schema.columns WHERE table_schema = current_schema() AND data_type = 'bytea'
	SELECT turn_id, session_id, user_id, root_turn, parent_session, parent_turn, parent_call, status, due, depth_left, hops_left, expires_at, created_at, settled_at, answer FROM errands
	SELECT upload_id, position, data FROM upload_pieces
	SELECT upload_id, position, data FROM upload_texts
	SELECT upload_id, session_id, label FROM upload_uses
	SELECT user_id, idem, digest, made, created_at FROM idempotency_keys
	SELECT user_id, peer, session_id FROM chat_sessions
	SELECT value FROM meta WHERE name = 'key_check'
	SELECT version FROM schema_version ORDER BY version
	SELECT version, status, check_value FROM master_keys
	SELECT version, status, check_value FROM master_keys ORDER BY version
	UPDATE errands SET due = NULL WHERE due IS NOT NULL
	UPDATE sessions SET delete_at = NULL WHERE delete_at IS NOT NULL
	UPDATE turns SET restored = 1, epoch = epoch + 1, owner = NULL, lease_until = NULL, status = CASE WHEN status = 'queued' THEN 'queued' ELSE 'running' END WHERE status <> 'ended'
b	SELECT COUNT(*) FROM known_places WHERE place = $1
b	SELECT id FROM users WHERE name_index = $1
b	SELECT id, role, data_key, profile, house_budget_turn, house_budget_day, own_budget_turn, own_budget_day, created_at FROM users WHERE name_index = $1
b	SELECT id, role, password_hash FROM users WHERE name_index = $1
b	SELECT k.id, k.user_id, u.role, k.scope, k.expires_at, k.source_index FROM api_keys k JOIN users u ON u.id = k.user_id WHERE k.secret_hash = $1 AND k.revoked_at IS NULL
b	SELECT l.id, l.session_id, l.user_id, l.up_to_seq, l.created_at, l.name FROM session_links l JOIN sessions s ON s.id = l.session_id WHERE l.secret_index = $1 AND s.delete_at IS NULL
b	SELECT l.id, l.user_id, u.role, l.created_at, l.seen_at, l.confirmed_at FROM logins l JOIN users u ON u.id = l.user_id WHERE l.secret_hash = $1
bb	SELECT COUNT(*) FROM known_places k JOIN users u ON u.id = k.user_id WHERE k.place = $1 AND u.name_index = $2
bb	UPDATE audit_head SET hash = $1, seal = $2 WHERE id = 1
bi	SELECT id, made_by, user_id, role, created_at, expires_at FROM account_links WHERE secret_hash = $1 AND expires_at > $2
bt	SELECT a.id, a.user_id, a.status, a.created_at, a.updated_at, a.body, k.data_key, k.abilities_version, COALESCE((SELECT h.updated_at FROM house h WHERE h.name = 'models'), 0), c.position, c.capability_id, c.settings FROM agents a JOIN users k ON k.id = a.user_id LEFT JOIN agent_capabilities c ON c.agent_id = a.id WHERE a.name_index = $1 AND a.user_id = $2 ORDER BY c.position
bt	SELECT id FROM users WHERE name_index = $1 AND id <> $2
bt	SELECT id, user_id, created_at, updated_at, body FROM abilities WHERE name_index = $1 AND user_id = $2
bt	SELECT id, user_id, created_at, updated_at, body FROM saved_prompts WHERE name_index = $1 AND user_id = $2
bti	INSERT INTO known_places (place, user_id, seen_at) VALUES ($1, $2, $3) ON CONFLICT (place, user_id) DO UPDATE SET seen_at = excluded.seen_at
i	DELETE FROM account_links WHERE expires_at <= $1
i	DELETE FROM audit WHERE position = $1
i	DELETE FROM idempotency_keys WHERE created_at < $1
i	DELETE FROM inbox WHERE created_at < $1 AND (consumed_at IS NOT NULL OR EXISTS (SELECT 1 FROM turns t WHERE t.id = inbox.turn_id AND t.status = 'ended'))
i	DELETE FROM master_keys WHERE version = $1
i	DELETE FROM rules WHERE expires_at <= $1
i	DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE copying < $1 ORDER BY copying LIMIT 1)
i	INSERT INTO schema_version (version) VALUES ($1)
i	SELECT COUNT(*) FROM account_links WHERE expires_at > $1
i	SELECT COUNT(*) FROM users WHERE key_version <> $1
i	SELECT COUNT(*) FROM users WHERE key_version = $1
i	SELECT e.turn_id, e.session_id, e.user_id, e.root_turn, e.parent_session, e.parent_turn, e.parent_call, e.status, e.depth_left, e.hops_left, e.expires_at FROM errands e WHERE e.status = 'pending' AND e.expires_at <= $1 ORDER BY e.expires_at
i	SELECT hash FROM audit WHERE position = $1
i	SELECT id, boot, name, version, started_at, seen_at, clock - seen_at, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - seen_at, lease_until - CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) FROM nodes ORDER BY started_at, id
i	SELECT id, user_id FROM approvals WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at
i	SELECT id, user_id FROM questions WHERE status = 'pending' AND expires_at <= $1 ORDER BY expires_at
i	SELECT pg_advisory_xact_lock($1)
i	UPDATE api_keys SET revoked_at = $1 WHERE revoked_at IS NULL
i	UPDATE approvals SET status = 'denied', settled_at = $1 WHERE status = 'pending'
i	UPDATE audit_head SET position = position + $1 WHERE id = 1 RETURNING position, hash, keyed_after, seal
i	UPDATE errands SET status = 'withdrawn', due = NULL, settled_at = $1 WHERE status IN ('pending', 'ended')
i	UPDATE model_calls SET status = 'failed', ended_at = $1 WHERE status = 'started'
i	UPDATE questions SET status = 'withdrawn', settled_at = $1 WHERE status = 'pending'
i	UPDATE sessions SET title_tries = $1 WHERE name IS NULL AND title_tries > 0
ib	UPDATE audit_head SET keyed_after = $1, seal = $2 WHERE id = 1
ii	DELETE FROM logins WHERE created_at < $1 OR seen_at < $2
ii	DELETE FROM nodes WHERE lease_until < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - $2 AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.owner = nodes.id AND t.status = 'running')
ii	DELETE FROM uploads WHERE id IN (SELECT u.id FROM uploads u WHERE u.created_at < $1 AND NOT EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = u.id) AND NOT EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = u.id) ORDER BY u.created_at LIMIT $2)
ii	SELECT id, data_key FROM users WHERE key_version <> $1 ORDER BY id LIMIT $2
ii	SELECT id, made_by, user_id, role, created_at, expires_at FROM account_links WHERE expires_at > $1 ORDER BY expires_at DESC, id DESC LIMIT $2
ii	SELECT position, at, user_id, action, previous, hash, body FROM audit WHERE position < $1 ORDER BY position DESC LIMIT $2
ii	SELECT position, at, user_id, action, previous, hash, body FROM audit WHERE position > $1 ORDER BY position LIMIT $2
ii	SELECT user_id, id FROM sessions WHERE delete_at <= $1 ORDER BY delete_at LIMIT $2
iibib	INSERT INTO audit_head (id, position, hash, keyed_after, seal) VALUES ($1,$2,$3,$4,$5)
iii	SELECT agent_id, CAST(COALESCE(SUM(COALESCE(requests, 1)), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN input_tokens > 1000000000000 THEN 1000000000000 ELSE input_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN output_tokens > 1000000000000 THEN 1000000000000 ELSE output_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cached_tokens > 1000000000000 THEN 1000000000000 ELSE cached_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(estimated), 0) AS BIGINT) FROM model_calls WHERE started_at >= $1 AND started_at < $2 GROUP BY agent_id ORDER BY 6 DESC, 4 DESC, 1 LIMIT $3
iii	SELECT id, user_id FROM sessions WHERE name IS NULL AND updated_at > $1 AND title_tries > 0 AND title_tries < $2 ORDER BY updated_at DESC LIMIT $3
iii	SELECT session_id, CAST(COALESCE(SUM(COALESCE(requests, 1)), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN input_tokens > 1000000000000 THEN 1000000000000 ELSE input_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN output_tokens > 1000000000000 THEN 1000000000000 ELSE output_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cached_tokens > 1000000000000 THEN 1000000000000 ELSE cached_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(estimated), 0) AS BIGINT) FROM model_calls WHERE started_at >= $1 AND started_at < $2 GROUP BY session_id ORDER BY 6 DESC, 4 DESC, 1 LIMIT $3
iii	SELECT turn_id, CAST(COALESCE(SUM(COALESCE(requests, 1)), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN input_tokens > 1000000000000 THEN 1000000000000 ELSE input_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN output_tokens > 1000000000000 THEN 1000000000000 ELSE output_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cached_tokens > 1000000000000 THEN 1000000000000 ELSE cached_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(estimated), 0) AS BIGINT) FROM model_calls WHERE started_at >= $1 AND started_at < $2 GROUP BY turn_id ORDER BY 6 DESC, 4 DESC, 1 LIMIT $3
iii	SELECT user_id, CAST(COALESCE(SUM(COALESCE(requests, 1)), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN input_tokens > 1000000000000 THEN 1000000000000 ELSE input_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN output_tokens > 1000000000000 THEN 1000000000000 ELSE output_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cached_tokens > 1000000000000 THEN 1000000000000 ELSE cached_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(estimated), 0) AS BIGINT) FROM model_calls WHERE started_at >= $1 AND started_at < $2 GROUP BY user_id ORDER BY 6 DESC, 4 DESC, 1 LIMIT $3
iiit	SELECT CAST(started_at / 900000 * 900000 AS TEXT), CAST(COALESCE(SUM(COALESCE(requests, 1)), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN input_tokens > 1000000000000 THEN 1000000000000 ELSE input_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN output_tokens > 1000000000000 THEN 1000000000000 ELSE output_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cached_tokens > 1000000000000 THEN 1000000000000 ELSE cached_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(estimated), 0) AS BIGINT) FROM model_calls WHERE started_at >= $1 AND started_at < $2 AND user_id = $4 GROUP BY CAST(started_at / 900000 * 900000 AS TEXT) ORDER BY MIN(started_at) LIMIT $3
iiit	SELECT model, CAST(COALESCE(SUM(COALESCE(requests, 1)), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN input_tokens > 1000000000000 THEN 1000000000000 ELSE input_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN output_tokens > 1000000000000 THEN 1000000000000 ELSE output_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cached_tokens > 1000000000000 THEN 1000000000000 ELSE cached_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(estimated), 0) AS BIGINT) FROM model_calls WHERE started_at >= $1 AND started_at < $2 AND user_id = $4 GROUP BY model ORDER BY 6 DESC, 4 DESC, 1 LIMIT $3
iiit	SELECT user_id, CAST(COALESCE(SUM(COALESCE(requests, 1)), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN input_tokens > 1000000000000 THEN 1000000000000 ELSE input_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN output_tokens > 1000000000000 THEN 1000000000000 ELSE output_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cached_tokens > 1000000000000 THEN 1000000000000 ELSE cached_tokens END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL AND status <> 'started' AND COALESCE(requests, 1) > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(estimated), 0) AS BIGINT) FROM model_calls WHERE started_at >= $1 AND started_at < $2 AND user_id = $4 GROUP BY user_id ORDER BY 6 DESC, 4 DESC, 1 LIMIT $3
iittbbb	INSERT INTO audit (position, at, user_id, action, previous, hash, body) VALUES ($1,$2,$3,$4,$5,$6,$7)
it	UPDATE inbox SET consumed_at = $1 WHERE consumed_at IS NULL AND id IN ($2)
it	UPDATE master_keys SET status = $2 WHERE version <> $1
it	UPDATE master_keys SET status = $2 WHERE version = $1
itb	INSERT INTO master_keys (version, status, check_value) VALUES ($1,$2,$3)
itt	UPDATE inbox SET consumed_at = $1 WHERE consumed_at IS NULL AND id IN ($2, $3)
t	DELETE FROM account_links WHERE id = $1
t	DELETE FROM account_links WHERE made_by = $1
t	DELETE FROM account_links WHERE user_id = $1
t	DELETE FROM agent_acceptances WHERE agent_id = $1 AND NOT EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = $1 AND h.audience IN ('*', agent_acceptances.user_id))
t	DELETE FROM agent_acceptances WHERE agent_id IN (SELECT id FROM agents WHERE user_id = $1)
t	DELETE FROM agent_capabilities WHERE agent_id = $1
t	DELETE FROM agent_shares WHERE agent_id = $1
t	DELETE FROM agent_shares WHERE agent_id IN (SELECT id FROM agents WHERE user_id = $1)
t	DELETE FROM agent_shares WHERE audience = $1
t	DELETE FROM house WHERE name = $1
t	DELETE FROM inbox WHERE session_id = $1
t	DELETE FROM inbox WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1)
t	DELETE FROM providers WHERE name = $1
t	DELETE FROM rules WHERE id = $1
t	DELETE FROM rules WHERE id = $1 AND scope = 'once'
t	DELETE FROM sessions WHERE id = $1
t	DELETE FROM sessions WHERE user_id = $1
t	DELETE FROM uploads WHERE id = $1
t	DELETE FROM users WHERE id = $1 AND role <> 'owner'
t	INSERT INTO events (session_id, seq, at, type) VALUES ($1, 1, 0, 'error')
t	SELECT (SELECT COUNT(*) FROM rules WHERE user_id = $1) + (SELECT COUNT(*) FROM rules WHERE user_id IS NULL)
t	SELECT /* PostgreSQL */ id, user_id, last_seq FROM ((SELECT id, user_id, last_seq FROM sessions WHERE user_id = $1 AND copying IS NULL ORDER BY updated_at DESC LIMIT 2)) AS newest
t	SELECT CASE WHEN pg_terminate_backend(pid) THEN 1::int8 ELSE 0::int8 END FROM pg_stat_activity WHERE datname = current_database() AND query LIKE $1
t	SELECT CAST(COALESCE(SUM(LENGTH(body)), 0) AS BIGINT) FROM inbox WHERE turn_id = $1 AND mode = 'steer' AND consumed_at IS NULL
t	SELECT COUNT(*) FROM abilities WHERE user_id = $1
t	SELECT COUNT(*) FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL
t	SELECT COUNT(*) FROM approvals WHERE user_id = $1 AND status = 'pending'
t	SELECT COUNT(*) FROM audit WHERE user_id = $1
t	SELECT COUNT(*) FROM errands WHERE parent_turn = $1
t	SELECT COUNT(*) FROM errands WHERE root_turn = $1
t	SELECT COUNT(*) FROM folders WHERE user_id = $1
t	SELECT COUNT(*) FROM known_places WHERE user_id = $1
t	SELECT COUNT(*) FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1
t	SELECT COUNT(*) FROM questions WHERE user_id = $1 AND status = 'pending'
t	SELECT COUNT(*) FROM rules WHERE session_id = $1
t	SELECT COUNT(*) FROM rules WHERE user_id = $1 AND session_id IS NULL
t	SELECT COUNT(*) FROM saved_prompts WHERE user_id = $1
t	SELECT COUNT(*) FROM session_links WHERE session_id = $1
t	SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0
t	SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM session_files WHERE session_id = $1
t	SELECT DISTINCT label FROM session_files WHERE session_id = $1
t	SELECT a.id FROM agents a WHERE a.user_id <> $1 AND EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1)) AND NOT ((a.user_id = $1 AND NOT EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1) AND (EXISTS (SELECT 1 FROM agent_acceptances t WHERE t.agent_id = a.id AND t.user_id = $1) OR (h.audience = '*' AND EXISTS (SELECT 1 FROM users o WHERE o.id = a.user_id AND o.role IN ('owner', 'admin')))))) ORDER BY a.created_at, a.id LIMIT 1000
t	SELECT a.id, a.session_id, a.turn_id, a.call_id, a.status, a.expires_at, a.created_at, a.body, a.reason FROM approvals a WHERE a.turn_id = $1 ORDER BY a.id
t	SELECT abilities_version FROM users WHERE id = $1
t	SELECT active_turn FROM sessions WHERE id = $1
t	SELECT agent_id FROM sessions WHERE id = $1
t	SELECT agent_id, audience FROM agent_shares WHERE agent_id IN ($1)
t	SELECT attempt FROM turns WHERE id = $1
t	SELECT body FROM house WHERE name = $1
t	SELECT c.id, a.id, a.session_id, a.turn_id, a.call_id, a.status, a.expires_at, a.created_at, a.body, a.reason FROM approvals a JOIN calls c ON c.approval_id = a.id WHERE a.turn_id = $1 AND c.turn_id = $1 AND a.status <> 'pending' AND c.status = 'waiting' ORDER BY c.created_at, c.position
t	SELECT c.id, c.class, c.status FROM calls c WHERE c.turn_id = $1 AND c.status IN ('pending', 'waiting', 'running') ORDER BY c.created_at, c.message_id, c.position
t	SELECT c.id, c.message_id, c.position, c.origin, c.class, c.status, c.attempt, c.result_seq, c.started_at, c.settled_at, c.body, CAST(CASE WHEN c.receipt IS NULL THEN 0 ELSE 1 END AS BIGINT) FROM calls c WHERE c.turn_id = $1 ORDER BY c.created_at, c.message_id, c.position
t	SELECT c.id, c.message_id, c.position, c.origin, c.class, c.status, c.attempt, c.result_seq, c.started_at, c.settled_at, c.body, CAST(CASE WHEN c.receipt IS NULL THEN 0 ELSE 1 END AS BIGINT), c.session_id, m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM calls c LEFT JOIN messages m ON m.session_id = c.session_id AND m.seq = c.result_seq WHERE c.turn_id = $1 ORDER BY c.created_at, c.message_id, c.position
t	SELECT check_value FROM master_keys WHERE status = $1
t	SELECT data_key FROM users WHERE id = $1
t	SELECT e.turn_id, e.session_id, e.user_id, e.root_turn, e.parent_session, e.parent_turn, e.parent_call, e.status, e.depth_left, e.hops_left, e.expires_at FROM errands e WHERE e.turn_id = $1
t	SELECT e.turn_id, e.session_id, e.user_id, e.root_turn, e.parent_session, e.parent_turn, e.parent_call, e.status, e.depth_left, e.hops_left, e.expires_at, e.answer FROM errands e JOIN calls c ON c.id = e.parent_call WHERE e.parent_turn = $1 AND c.status = 'waiting' ORDER BY e.created_at, e.turn_id
t	SELECT id FROM sessions WHERE id = $1 AND delete_at IS NOT NULL
t	SELECT id FROM turns WHERE id = $1 AND status <> 'ended'
t	SELECT id FROM turns WHERE owner = $1 AND status = 'running' AND cancel = 1
t	SELECT id FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1
t	SELECT id, created_at, seen_at, confirmed_at, body FROM logins WHERE user_id = $1 ORDER BY created_at DESC, id DESC
t	SELECT id, epoch, cancel FROM turns WHERE owner = $1 AND status = 'running'
t	SELECT id, last_seq, status FROM sessions WHERE user_id = $1 AND archived = 0 AND copying IS NULL AND delete_at IS NULL AND hidden = 0 ORDER BY updated_at DESC, id DESC
t	SELECT id, mode, source, created_at, label, body, attachments, sender, asker, model FROM inbox WHERE turn_id = $1 AND mode = 'queue' ORDER BY created_at, id
t	SELECT id, mode, source, created_at, label, body, attachments, sender, asker, model FROM inbox WHERE turn_id = $1 AND mode = 'steer' AND consumed_at IS NULL ORDER BY created_at, id
t	SELECT id, role, data_key, profile, house_budget_turn, house_budget_day, own_budget_turn, own_budget_day, created_at FROM users WHERE id = $1
t	SELECT id, session_id, user_id, epoch FROM turns WHERE id = $1 AND status = 'running' AND owner IS NULL
t	SELECT id, session_id, user_id, status, outcome, source, attempt, epoch, position, cancel, stalls, restored, state FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1
t	SELECT id, session_id, user_id, status, outcome, source, attempt, epoch, position, cancel, stalls, restored, state FROM turns WHERE session_id = $1 ORDER BY position DESC LIMIT 1
t	SELECT id, source FROM inbox WHERE turn_id = $1 AND mode = 'steer' AND consumed_at IS NULL ORDER BY created_at, id
t	SELECT id, user_id, created_at, updated_at, body FROM abilities WHERE user_id = $1 ORDER BY id
t	SELECT id, user_id, last_seq FROM sessions WHERE id IN ($1)
t	SELECT id, user_id, scope, expires_at, created_at, name, source FROM api_keys WHERE user_id = $1 AND revoked_at IS NULL ORDER BY created_at, id
t	SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE id = $1
t	SELECT l.id, l.user_id, u.role, l.created_at, l.seen_at, l.confirmed_at FROM logins l JOIN users u ON u.id = l.user_id WHERE l.id IN ($1)
t	SELECT label FROM upload_uses WHERE session_id = $1 UNION SELECT f.label FROM sessions s JOIN folder_files f ON f.folder_id = s.folder_id WHERE s.id = $1
t	SELECT last_seq FROM sessions WHERE id = $1
t	SELECT m.session_id, m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM messages m WHERE m.turn_id = $1 ORDER BY m.seq
t	SELECT message_count FROM sessions WHERE id = $1
t	SELECT name, body FROM providers WHERE name = $1
t	SELECT password_hash FROM users WHERE id = $1
t	SELECT position FROM turns WHERE id = $1
t	SELECT q.id, q.session_id, q.turn_id, q.call_id, q.status, q.mode, q.created_at, q.body, q.answer FROM questions q JOIN calls c ON c.id = q.call_id WHERE q.turn_id = $1 AND q.status IN ('answered', 'expired') AND c.status = 'waiting' ORDER BY q.id
t	SELECT q.id, q.session_id, q.turn_id, q.call_id, q.status, q.mode, q.created_at, q.body, q.answer FROM questions q WHERE q.turn_id = $1 AND q.status = 'pending' ORDER BY q.id
t	SELECT s.id, s.user_id FROM sessions s WHERE s.user_id = $1 AND (s.active_turn IS NOT NULL OR s.pending > 0) UNION SELECT s.id, s.user_id FROM agents a JOIN sessions s ON s.agent_id = a.id WHERE a.user_id = $1 AND (s.active_turn IS NOT NULL OR s.pending > 0)
t	SELECT status, cost_microusd FROM model_calls WHERE turn_id = $1 ORDER BY step
t	SELECT t.id, CAST(LENGTH(i.body) AS BIGINT) FROM turns t JOIN inbox i ON i.turn_id = t.id AND i.mode = 'queue' WHERE t.session_id = $1 AND t.status = 'queued' ORDER BY t.position
t	SELECT updated_at FROM house WHERE name = $1
t	SELECT upload_id FROM folder_files WHERE folder_id = $1
t	SELECT value FROM meta WHERE name = $1
t	UPDATE calls SET status = 'waiting', approval_id = NULL WHERE id = $1 AND status IN ('pending', 'waiting')
t	UPDATE errands SET due = NULL WHERE turn_id = $1
t	UPDATE errands SET status = 'delivered', due = NULL WHERE turn_id = $1 AND status = 'ended' RETURNING answer
t	UPDATE folders SET files = (SELECT COUNT(*) FROM folder_files WHERE folder_id = $1) WHERE id = $1
t	UPDATE model_calls SET requests = 0 WHERE id = $1 AND status = 'started'
t	UPDATE model_calls SET status = 'started' WHERE id = $1
t	UPDATE sessions SET copying = NULL WHERE id = $1 AND copying IS NOT NULL
t	UPDATE turns SET owner = NULL, lease_until = NULL, stalls = CASE WHEN stalls > 0 THEN stalls - 1 ELSE 0 END WHERE owner = $1 AND status = 'running'
t	UPDATE users SET abilities_version = abilities_version + 1 WHERE id = $1
t	UPDATE users SET role = role WHERE id = $1
tb	DELETE FROM session_files WHERE session_id = $1 AND path_index IN ($2)
tb	INSERT INTO meta (name, value) VALUES ($1, $2)
tb	SELECT content FROM session_files WHERE session_id = $1 AND path_index = $2
tb	SELECT made, digest FROM idempotency_keys WHERE user_id = $1 AND idem = $2
tb	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 AND path_index IN ($2)
tb	SELECT s.id, CASE WHEN s.delete_at IS NULL THEN s.archived ELSE 1 END FROM chat_sessions c JOIN sessions s ON s.id = c.session_id WHERE c.user_id = $1 AND c.peer = $2
tb	UPDATE calls SET receipt = $2 WHERE id = $1 AND receipt IS NULL
tb	UPDATE meta SET value = $2 WHERE name = $1
tb	UPDATE users SET data_key = $2, profile = $2 WHERE id = $1 AND role <> 'owner'
tbb	DELETE FROM session_files WHERE session_id = $1 AND path_index IN ($2, $3)
tbb	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 AND path_index IN ($2, $3)
tbb	UPDATE users SET name_index = $2, profile = $3 WHERE id = $1
tbbb	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 AND path_index IN ($2, $3, $4)
tbbbb	DELETE FROM session_files WHERE session_id = $1 AND path_index IN ($2, $3, $4, $5)
tbbbb	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 AND path_index IN ($2, $3, $4, $5)
tbbbbb	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 AND path_index IN ($2, $3, $4, $5, $6)
tbbbbbb	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 AND path_index IN ($2, $3, $4, $5, $6, $7)
tbbiibib	INSERT INTO session_files (session_id, path_index, folder_index, is_directory, size, head, label, content) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)
tbbti	INSERT INTO idempotency_keys (user_id, idem, digest, made, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (user_id, idem) DO NOTHING
tbi	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 AND folder_index = $2 ORDER BY path_index LIMIT $3
tbi	UPDATE errands SET status = 'ended', due = 'deliver', answer = $2, settled_at = $3 WHERE turn_id = $1 AND status = 'pending'
tbi	UPDATE errands SET status = 'expired', due = 'stop', answer = $2, settled_at = $3 WHERE turn_id = $1 AND status = 'pending'
tbi	UPDATE users SET data_key = $2, key_version = $3 WHERE id = $1
tbt	SELECT id FROM abilities WHERE user_id = $1 AND name_index = $2 AND id <> $3
tbt	SELECT id FROM agents WHERE user_id = $1 AND name_index = $2 AND id <> $3
tbt	SELECT id, COALESCE(told_turn, turn_id), CASE WHEN told_turn IS NULL THEN mode ELSE 'steer' END, digest FROM inbox WHERE session_id = $1 AND idem = $2 AND user_id = $3
tbtt	INSERT INTO chat_sessions (user_id, peer, session_id) VALUES ($1, $2, $3) ON CONFLICT (user_id, peer) DO UPDATE SET session_id = excluded.session_id WHERE chat_sessions.session_id = $4 RETURNING session_id
tbttibbi	INSERT INTO users (id, name_index, role, password_hash, key_version, data_key, profile, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING
tbttibbiiiiii	INSERT INTO users (id, name_index, role, password_hash, key_version, data_key, profile, created_at, abilities_version, house_budget_turn, house_budget_day, own_budget_turn, own_budget_day) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13)
ti	DELETE FROM known_places WHERE user_id = $1 AND place NOT IN (SELECT place FROM known_places WHERE user_id = $1 ORDER BY seen_at DESC, place LIMIT $2)
ti	DELETE FROM logins WHERE user_id = $1 AND id NOT IN (SELECT id FROM logins WHERE user_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2)
ti	DELETE FROM rules WHERE id IN (SELECT id FROM rules WHERE session_id = $1 AND action = 'allow' ORDER BY id LIMIT $2)
ti	SELECT CAST(COALESCE(SUM(CASE WHEN cost_microusd IS NULL THEN COALESCE(reserved_microusd, 0) WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN status = 'started' THEN COALESCE(reserved_microusd, 0) ELSE 0 END), 0) AS BIGINT) FROM model_calls WHERE user_id = $1 AND started_at >= $2
ti	SELECT CAST(COALESCE(SUM(size), 0) + COUNT(*) * $2 AS BIGINT) FROM uploads WHERE user_id = $1
ti	SELECT COUNT(*) FROM audit WHERE action = $1 AND at > $2
ti	SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.pinned = $2)
ti	SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM messages WHERE session_id = $1 AND seq <= $2
ti	SELECT a.id, a.user_id, a.status, a.created_at, a.updated_at, a.body, k.data_key, k.abilities_version, COALESCE((SELECT h.updated_at FROM house h WHERE h.name = 'models'), 0), c.position, c.capability_id, c.settings FROM (SELECT * FROM agents a WHERE ((a.user_id = $1 AND NOT EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1) AND (EXISTS (SELECT 1 FROM agent_acceptances t WHERE t.agent_id = a.id AND t.user_id = $1) OR (h.audience = '*' AND EXISTS (SELECT 1 FROM users o WHERE o.id = a.user_id AND o.role IN ('owner', 'admin')))))) AND a.status = 'active' ORDER BY a.id LIMIT $2) a JOIN users k ON k.id = a.user_id LEFT JOIN agent_capabilities c ON c.agent_id = a.id ORDER BY a.id, c.position
ti	SELECT c.generation, c.up_to_seq, c.level, c.tokens, c.label, c.created_at, c.summary FROM compactions c WHERE c.session_id = $1 AND c.up_to_seq < $2 ORDER BY c.generation DESC LIMIT 1
ti	SELECT data FROM upload_pieces WHERE upload_id = $1 AND position = $2
ti	SELECT data FROM upload_texts WHERE upload_id = $1 AND position = $2
ti	SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE user_id = $1 AND session_id IS NULL AND (expires_at IS NULL OR expires_at > $2) UNION ALL SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE user_id IS NULL AND session_id IS NULL AND (expires_at IS NULL OR expires_at > $2) ORDER BY 1
ti	SELECT m.seq FROM messages m WHERE m.session_id = $1 AND m.seq > $2 AND m.role = 'assistant' UNION ALL SELECT e.seq FROM events e WHERE e.session_id = $1 AND e.seq > $2 AND e.type = 'message_start' LIMIT 1
ti	SELECT m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM messages m WHERE m.session_id = $1 AND m.seq <= $2 ORDER BY m.seq
ti	SELECT path_index, folder_index, is_directory, size, label, head FROM session_files WHERE session_id = $1 ORDER BY path_index LIMIT $2
ti	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 ORDER BY s.updated_at DESC, s.id DESC LIMIT $2
ti	SELECT seq FROM messages WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT 1
ti	SELECT seq FROM messages WHERE session_id = $1 AND seq > 0 ORDER BY seq LIMIT 1 OFFSET $2
ti	SELECT u.id, u.size, u.pieces, u.body, o.label FROM upload_uses o JOIN uploads u ON u.id = o.upload_id WHERE o.session_id = $1 AND u.complete = 1 ORDER BY u.created_at DESC, u.id DESC LIMIT $2
ti	UPDATE api_keys SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL
ti	UPDATE approvals SET status = 'denied', settled_at = $2 WHERE status = 'pending' AND id = (SELECT approval_id FROM calls WHERE id = $1) AND NOT EXISTS (SELECT 1 FROM calls o WHERE o.approval_id = approvals.id AND o.id <> $1 AND o.status = 'waiting')
ti	UPDATE approvals SET status = 'denied', settled_at = $2 WHERE turn_id = $1 AND status = 'pending'
ti	UPDATE calls SET status = 'running', attempt = attempt + 1, started_at = $2 WHERE id = $1 AND status IN ('pending', 'waiting', 'running')
ti	UPDATE errands SET status = 'withdrawn', due = 'stop', settled_at = $2 WHERE parent_call = $1 AND status IN ('pending', 'ended') RETURNING turn_id
ti	UPDATE logins SET confirmed_at = $2, seen_at = $2 WHERE id = $1
ti	UPDATE logins SET seen_at = $2 WHERE id = $1 AND seen_at < $2
ti	UPDATE model_calls SET reserved_microusd = $2 WHERE id = $1 AND status = 'started'
ti	UPDATE model_calls SET status = 'failed', ended_at = $2 WHERE id = $1 AND status = 'started'
ti	UPDATE model_calls SET status = 'failed', ended_at = $2 WHERE turn_id = $1 AND status = 'started'
ti	UPDATE questions SET status = 'withdrawn', settled_at = $2 WHERE call_id = $1 AND status = 'pending'
ti	UPDATE session_files SET label = label & $2 WHERE session_id = $1
ti	UPDATE sessions SET copying = $2 WHERE id = $1
ti	UPDATE sessions SET label = label | $2 WHERE id = $1
ti	UPDATE sessions SET last_seq = last_seq + 1, updated_at = $2, pending = CASE WHEN pending > 0 THEN pending - 1 ELSE 0 END WHERE id = $1 RETURNING last_seq
ti	UPDATE sessions SET trusted_seq = $2 WHERE id = $1 AND trusted_seq > $2
ti	UPDATE turns SET cancel = 1, status = 'running', updated_at = $2 WHERE id = $1 AND status IN ('running', 'parked')
ti	UPDATE turns SET epoch = epoch WHERE id = $1 AND epoch = $2 AND status = 'running'
ti	UPDATE turns SET lease_until = $2 WHERE owner = $1 AND status = 'running' RETURNING id, cancel
ti	UPDATE turns SET status = 'ended', outcome = 'cancelled', updated_at = $2 WHERE id = $1 AND status = 'queued'
ti	UPDATE upload_uses SET label = label & $2 WHERE session_id = $1
tib	INSERT INTO house (name, updated_at, body) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET updated_at = $2, body = $3
tib	INSERT INTO providers (name, created_at, updated_at, body) VALUES ($1, $2, $2, $3) ON CONFLICT (name) DO UPDATE SET updated_at = $2, body = $3
tib	INSERT INTO upload_pieces (upload_id, position, data) VALUES ($1, $2, $3)
tib	INSERT INTO upload_texts (upload_id, position, data) VALUES ($1, $2, $3)
tib	UPDATE messages SET answers = $3 WHERE session_id = $1 AND seq = $2
tib	UPDATE turns SET epoch = epoch WHERE id = $1 AND epoch = $2 AND status = 'running' AND (state IS NULL OR state <> $3)
tibttiii	UPDATE turns SET state = $3, status = $4, outcome = $5, attempt = $6, stalls = CASE WHEN $7 = 1 THEN 0 ELSE stalls END, updated_at = $8, owner = CASE WHEN $4 = 'parked' THEN NULL ELSE owner END, lease_until = CASE WHEN $4 = 'running' THEN lease_until ELSE NULL END WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING cancel
tii	SELECT m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers, (SELECT MIN(o.seq) FROM messages o WHERE o.session_id = $1 AND o.seq > COALESCE((SELECT u.up_to_seq FROM compactions u WHERE u.session_id = $1 ORDER BY u.generation DESC LIMIT 1), 0)), c.generation, c.up_to_seq, c.level, c.tokens, c.label, c.created_at, c.summary FROM messages m LEFT JOIN compactions c ON c.session_id = CASE WHEN m.seq = (SELECT MAX(l.seq) FROM messages l WHERE l.session_id = $1) THEN m.session_id END AND c.generation = (SELECT MAX(g.generation) FROM compactions g WHERE g.session_id = $1) WHERE m.session_id = $1 AND m.seq >= (SELECT MIN(b.seq) FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq DESC) AS total, ROW_NUMBER() OVER (ORDER BY a.seq DESC) AS place FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq > COALESCE((SELECT u.up_to_seq FROM compactions u WHERE u.session_id = $1 ORDER BY u.generation DESC LIMIT 1), 0) ORDER BY seq DESC LIMIT $3) a) b WHERE b.place = 1 OR b.total <= $2) ORDER BY m.seq
tii	SELECT position, at, user_id, action, previous, hash, body FROM audit WHERE user_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3
tii	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.pinned = $2) ORDER BY s.updated_at DESC, s.id DESC LIMIT $3
tii	UPDATE model_calls SET reserved_microusd = $2, started_at = $3 WHERE id = $1 AND status = 'started'
tii	UPDATE sessions SET last_seq = last_seq + $2, pending = pending + $2, steering = 0, updated_at = $3 WHERE id = $1 RETURNING last_seq
tii	UPDATE users SET house_budget_turn = $2, house_budget_day = $3 WHERE id = $1
tii	UPDATE users SET own_budget_turn = $2, own_budget_day = $3 WHERE id = $1
tiii	SELECT /* PostgreSQL */ b.among, e.seq, e.at, e.turn_id, e.data, m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) - a.size AS bytes_before, COUNT(*) OVER () AS among FROM (SELECT e.seq, COALESCE(LENGTH(e.data), m.size, 0) AS size FROM events e LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE e.session_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3) a) b JOIN events e ON e.session_id = $1 AND e.seq = b.seq LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE b.bytes_before < $4 ORDER BY e.seq
tiii	SELECT m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers, (SELECT MAX(o.seq) FROM messages o WHERE o.session_id = $1) FROM messages m WHERE m.session_id = $1 AND m.seq > $2 AND m.seq <= (SELECT MAX(b.seq) FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) AS total, ROW_NUMBER() OVER (ORDER BY a.seq) AS place FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq > $2 ORDER BY seq LIMIT $4) a) b WHERE b.place = 1 OR b.total <= $3) ORDER BY m.seq
tiii	SELECT t.id, t.session_id, t.user_id, t.epoch FROM turns t LEFT JOIN nodes n ON n.id = t.owner WHERE t.status = 'running' AND (t.owner IS NULL OR t.owner = $1 OR n.lease_until < $3 OR (n.id IS NULL AND (t.lease_until IS NULL OR t.lease_until < $2 OR t.lease_until >= $4))) ORDER BY t.created_at, t.id
tiiii	SELECT m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM messages m WHERE m.session_id = $1 AND m.seq < $2 AND m.seq > $5 AND m.seq >= (SELECT MIN(b.seq) FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq DESC) AS total, ROW_NUMBER() OVER (ORDER BY a.seq DESC) AS place FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq < $2 AND seq > $5 ORDER BY seq DESC LIMIT $4) a) b WHERE b.place = 1 OR b.total <= $3) ORDER BY m.seq DESC
tiiii	SELECT m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers, b.among FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq ASC) - a.size AS bytes_before, COUNT(*) OVER () AS among FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq ASC LIMIT $4) a) b JOIN messages m ON m.session_id = $1 AND m.seq = b.seq WHERE b.bytes_before < $5 ORDER BY m.seq ASC
tiiii	SELECT m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers, b.among FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq DESC) - a.size AS bytes_before, COUNT(*) OVER () AS among FROM (SELECT seq, size FROM messages WHERE session_id = $1 AND seq > $2 AND seq < $3 ORDER BY seq DESC LIMIT $4) a) b JOIN messages m ON m.session_id = $1 AND m.seq = b.seq WHERE b.bytes_before < $5 ORDER BY m.seq DESC
tiiiiiib	INSERT INTO compactions (session_id, generation, up_to_seq, level, tokens, label, created_at, summary) SELECT $1, $2, $3, $4, $5, $6, $7, $8 WHERE NOT EXISTS (SELECT 1 FROM compactions c WHERE c.session_id = $1 AND (c.generation >= $2 OR c.up_to_seq >= $3))
tiiiiiiititiiit	UPDATE sessions SET last_seq = last_seq + $2, message_count = message_count + $3, input_tokens = input_tokens + $4, output_tokens = output_tokens + $5, cached_tokens = cached_tokens + $6, cost_microusd = cost_microusd + $7, steering = CASE WHEN steering > $8 THEN steering - $8 ELSE 0 END, status = $9, active_turn = CASE WHEN $10 = 0 THEN active_turn ELSE $11 END, pending = CASE WHEN pending > $12 THEN pending - $12 ELSE 0 END, updated_at = $13 WHERE id = $1 AND ($14 = 0 OR ($14 = 1 AND active_turn IS NULL) OR ($14 = 2 AND active_turn = $15)) RETURNING last_seq, pending, steering
tiiit	SELECT /* PostgreSQL */ b.among, e.seq, e.at, e.turn_id, e.data, m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) - a.size AS bytes_before, COUNT(*) OVER () AS among FROM (SELECT e.seq, COALESCE(LENGTH(e.data), m.size, 0) AS size FROM events e LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE e.session_id = $1 AND e.seq > $2 AND e.turn_id = $5 ORDER BY e.seq LIMIT $3) a) b JOIN events e ON e.session_id = $1 AND e.seq = b.seq LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE b.bytes_before < $4 ORDER BY e.seq
tiiit	SELECT /* PostgreSQL */ b.among, e.seq, e.at, e.turn_id, e.data, m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) - a.size AS bytes_before, COUNT(*) OVER () AS among FROM (SELECT e.seq, COALESCE(LENGTH(e.data), m.size, 0) AS size FROM events e LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE e.session_id = $1 AND e.seq > $2 AND e.type IN ($5) ORDER BY e.seq LIMIT $3) a) b JOIN events e ON e.session_id = $1 AND e.seq = b.seq LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE b.bytes_before < $4 ORDER BY e.seq
tiiitt	SELECT /* PostgreSQL */ b.among, e.seq, e.at, e.turn_id, e.data, m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM (SELECT a.seq, SUM(a.size) OVER (ORDER BY a.seq) - a.size AS bytes_before, COUNT(*) OVER () AS among FROM (SELECT e.seq, COALESCE(LENGTH(e.data), m.size, 0) AS size FROM events e LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE e.session_id = $1 AND e.seq > $2 AND e.turn_id = $5 AND e.type IN ($6) ORDER BY e.seq LIMIT $3) a) b JOIN events e ON e.session_id = $1 AND e.seq = b.seq LEFT JOIN messages m ON m.session_id = CASE WHEN e.data IS NULL THEN e.session_id END AND m.seq = e.seq WHERE b.bytes_before < $4 ORDER BY e.seq
tiittb	INSERT INTO events (session_id, seq, at, turn_id, type, data) VALUES ($1,$2,$3,$4,$5,$6)
tit	SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.archived = $2) AND ($3 IS NULL OR s.agent_id = $3)
tit	SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE user_id = $1 AND session_id IS NULL AND (expires_at IS NULL OR expires_at > $2) UNION ALL SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE user_id IS NULL AND session_id IS NULL AND (expires_at IS NULL OR expires_at > $2) UNION ALL SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE user_id = $1 AND session_id IN ($3) AND (expires_at IS NULL OR expires_at > $2) ORDER BY 1
titb	INSERT INTO agent_capabilities (agent_id, position, capability_id, settings) VALUES ($1,$2,$3,$4)
titi	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.archived = $2) AND ($3 IS NULL OR s.agent_id = $3) ORDER BY s.updated_at DESC, s.id DESC LIMIT $4
titiii	UPDATE turns SET owner = $3, lease_until = $4, epoch = epoch + 1, attempt = attempt + 1, stalls = stalls + 1, updated_at = $5 WHERE id = $1 AND epoch = $2 AND status = 'running' AND (owner IS NULL OR owner = $3 OR NOT EXISTS (SELECT 1 FROM nodes n WHERE n.id = turns.owner AND n.lease_until >= $6)) RETURNING id, session_id, user_id, status, outcome, source, attempt, epoch, position, cancel, stalls, restored, state
tititi	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.archived = $2) AND ($3 IS NULL OR s.agent_id = $3) AND s.updated_at <= $4 AND (s.updated_at < $4 OR (s.updated_at = $4 AND s.id < $5)) ORDER BY s.updated_at DESC, s.id DESC LIMIT $6
tititittti	SELECT s.id, s.updated_at, s.name, s.version_of FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.archived = $2) AND ($3 IS NULL OR s.agent_id = $3) AND ($4 IS NULL OR s.updated_at < $4 OR (s.updated_at = $4 AND s.id < $5)) AND ($7 IS NULL OR s.parent_id = $7) AND ($8 IS NULL OR s.kind = $8) AND ($9 IS NULL OR s.folder_id = $9) AND ($10 IS NULL OR s.pinned = $10) ORDER BY s.updated_at DESC, s.id DESC LIMIT $6
titttiibb	INSERT INTO messages (session_id, seq, id, turn_id, role, created_at, size, body, answers) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9)
tt	DELETE FROM abilities WHERE id = $1 AND user_id = $2
tt	DELETE FROM agent_acceptances WHERE agent_id = $2 AND user_id = $1
tt	DELETE FROM agents WHERE id = $1 AND user_id = $2
tt	DELETE FROM folders WHERE id = $1 AND user_id = $2
tt	DELETE FROM inbox WHERE session_id IN (SELECT id FROM sessions WHERE agent_id = $1 AND user_id = $2)
tt	DELETE FROM logins WHERE id = $1 AND user_id = $2
tt	DELETE FROM logins WHERE user_id = $1 AND ($2 IS NULL OR id <> $2)
tt	DELETE FROM nodes WHERE id = $1 AND boot = $2
tt	DELETE FROM saved_prompts WHERE id = $1 AND user_id = $2
tt	DELETE FROM session_links WHERE id = $1 AND user_id = $2
tt	DELETE FROM sessions WHERE agent_id = $1 AND user_id = $2
tt	DELETE FROM sessions WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0
tt	DELETE FROM sessions WHERE id = $1 AND user_id = $2 AND copying IS NOT NULL
tt	DELETE FROM uploads WHERE id = $1 AND user_id = $2 AND NOT EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = $1) AND NOT EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = $1)
tt	DELETE FROM uploads WHERE id = $1 AND user_id = $2 AND complete = 0
tt	INSERT INTO agent_shares (agent_id, audience) VALUES ($1,$2)
tt	SELECT CAST(CASE WHEN (a.user_id = $1 AND NOT EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1) AND (EXISTS (SELECT 1 FROM agent_acceptances t WHERE t.agent_id = a.id AND t.user_id = $1) OR (h.audience = '*' AND EXISTS (SELECT 1 FROM users o WHERE o.id = a.user_id AND o.role IN ('owner', 'admin'))))) THEN 1 ELSE 0 END AS BIGINT), s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, f.body, f.files, a.id, a.user_id, a.status, a.created_at, a.updated_at, a.body, k.data_key, k.abilities_version, COALESCE((SELECT h.updated_at FROM house h WHERE h.name = 'models'), 0), c.position, c.capability_id, c.settings FROM sessions s JOIN agents a ON a.id = s.agent_id LEFT JOIN folders f ON f.id = s.folder_id AND f.user_id = s.user_id JOIN users k ON k.id = a.user_id LEFT JOIN agent_capabilities c ON c.agent_id = a.id WHERE s.id = $2 AND s.user_id = $1 ORDER BY c.position
tt	SELECT COUNT(*) FROM folder_files WHERE folder_id = $1 AND upload_id = $2
tt	SELECT COUNT(*) FROM sessions WHERE agent_id = $1 AND ((user_id = $2 AND archived = 0 AND delete_at IS NULL AND kind = 'own') OR active_turn IS NOT NULL OR pending > 0)
tt	SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.folder_id = $2)
tt	SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.kind = $2)
tt	SELECT COUNT(*) FROM sessions s WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.parent_id = $2)
tt	SELECT COUNT(*) FROM upload_uses WHERE upload_id = $1 AND session_id = $2
tt	SELECT COUNT(*), COUNT(CASE WHEN a.id > $2 THEN 1 END) FROM agents a WHERE (a.user_id = $1 AND NOT EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND (h.audience IN ('*', $1) OR EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role IN ('owner', 'admin'))))
tt	SELECT a.id, a.session_id, a.turn_id, a.call_id, a.status, a.expires_at, a.created_at, a.body, a.reason FROM approvals a WHERE a.id = $1 AND a.user_id = $2
tt	SELECT a.id, a.user_id, a.status, a.created_at, a.updated_at, a.body, k.data_key, k.abilities_version, COALESCE((SELECT h.updated_at FROM house h WHERE h.name = 'models'), 0), c.position, c.capability_id, c.settings FROM agents a JOIN users k ON k.id = a.user_id LEFT JOIN agent_capabilities c ON c.agent_id = a.id WHERE a.id = $2 AND ((a.user_id = $1 AND NOT EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND (h.audience IN ('*', $1) OR EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role IN ('owner', 'admin'))))) ORDER BY c.position
tt	SELECT agent_id, audience FROM agent_shares WHERE agent_id IN ($1,$2)
tt	SELECT compaction_call FROM sessions WHERE id = $1 AND user_id = $2
tt	SELECT created_at FROM sessions WHERE id = $1 AND user_id = $2
tt	SELECT e.seq, e.data FROM events e WHERE e.session_id = $1 AND e.turn_id = $2 AND e.type = 'message_start' AND NOT EXISTS (SELECT 1 FROM events d WHERE d.session_id = e.session_id AND d.turn_id = e.turn_id AND d.type = 'message_complete' AND d.seq > e.seq) ORDER BY e.seq DESC LIMIT 1
tt	SELECT id FROM agents WHERE id = $1 AND user_id = $2
tt	SELECT id FROM sessions WHERE id = $1 AND user_id = $2
tt	SELECT id FROM sessions WHERE id = $1 AND user_id = $2 AND delete_at IS NULL
tt	SELECT id, session_id, up_to_seq, created_at, secret FROM session_links WHERE session_id = $1 AND user_id = $2 ORDER BY id
tt	SELECT id, session_id, user_id, epoch FROM turns WHERE id = $1 AND status = 'running' AND (owner = $2 OR owner IS NULL)
tt	SELECT id, session_id, user_id, status, outcome, source, attempt, epoch, position, cancel, stalls, restored, state FROM turns WHERE id = $1 AND user_id = $2
tt	SELECT id, user_id, created_at, updated_at, body FROM abilities WHERE id = $1 AND user_id = $2
tt	SELECT id, user_id, created_at, updated_at, body FROM saved_prompts WHERE id = $1 AND user_id = $2
tt	SELECT id, user_id, last_seq FROM sessions WHERE id IN ($1,$2)
tt	SELECT id, user_id, version, created_at, updated_at, body FROM folders WHERE id = $1 AND user_id = $2
tt	SELECT own_files FROM sessions WHERE id = $1 AND user_id = $2
tt	SELECT q.id, q.session_id, q.turn_id, q.call_id, q.status, q.mode, q.created_at, q.body, q.answer FROM questions q WHERE q.id = $1 AND q.user_id = $2
tt	SELECT receipt FROM calls WHERE id = $1 AND turn_id = $2 AND status IN ('pending', 'waiting', 'running')
tt	SELECT s.id, s.updated_at, s.name, s.version_of FROM sessions s WHERE s.id = $1 AND s.user_id = $2 AND s.copying IS NULL AND s.delete_at IS NULL
tt	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.id = $1 AND s.user_id = $2 AND s.delete_at IS NULL
tt	SELECT s.last_seq, COALESCE((SELECT MAX(m.seq) FROM messages m WHERE m.session_id = s.id), 0) FROM sessions s WHERE s.id = $1 AND s.user_id = $2
tt	SELECT session_id, status FROM turns WHERE id = $1 AND user_id = $2
tt	SELECT u.id, u.size, u.pieces, u.body FROM uploads u WHERE u.user_id = $1 AND u.complete = 1 AND u.id IN ($2)
tt	SELECT v.id FROM sessions s JOIN sessions v ON v.version_of = s.version_of AND v.user_id = s.user_id WHERE s.id = $1 AND s.user_id = $2 AND v.id <> $1
tt	SELECT v.id, v.version_from, v.version_seq, v.version_base, v.updated_at FROM sessions s JOIN sessions v ON v.version_of = s.version_of AND v.user_id = s.user_id WHERE s.id = $1 AND s.user_id = $2 AND v.copying IS NULL ORDER BY v.created_at, v.id
tt	SELECT version_of, label, hidden FROM sessions WHERE id = $1 AND user_id = $2
tt	UPDATE calls SET status = 'waiting', approval_id = $2 WHERE id = $1 AND status IN ('pending', 'waiting')
tt	UPDATE folders SET files = files WHERE id = $1 AND user_id = $2 RETURNING files
tt	UPDATE folders SET version = version WHERE id = $1 AND user_id = $2
tt	UPDATE inbox SET told_turn = COALESCE(told_turn, turn_id), turn_id = $2, mode = 'queue' WHERE id = $1
tt	UPDATE sessions SET archived = archived WHERE id = $1 AND user_id = $2
tt	UPDATE sessions SET compaction_call = $2 WHERE id = $1
tt	UPDATE sessions SET folder_id = NULL WHERE folder_id = $1 AND user_id = $2
tt	UPDATE sessions SET pending = pending WHERE id = $1 AND user_id = $2 AND active_turn IS NULL
tt	UPDATE sessions SET pending = pending WHERE id = $1 AND user_id = $2 RETURNING active_turn
tt	UPDATE sessions SET pending = pending WHERE id = $1 AND user_id = $2 RETURNING pending
tt	UPDATE sessions SET pending = pending WHERE user_id = $2 AND hidden = 0 AND id <> $1 AND version_of = (SELECT version_of FROM sessions WHERE id = $1 AND user_id = $2) RETURNING active_turn
tt	UPDATE sessions SET version_of = COALESCE(version_of, id) WHERE id = $1 AND user_id = $2 RETURNING version_of
tt	UPDATE users SET password_hash = $2 WHERE id = $1
tt	UPDATE users SET password_hash = password_hash WHERE id = $1 AND password_hash = $2
tt	UPDATE users SET role = $2 WHERE id = $1
tt	WITH RECURSIVE below (id) AS (SELECT s.id FROM sessions s WHERE s.parent_id = $1 AND s.user_id = $2 AND s.kind <> 'own' UNION SELECT v.id FROM sessions s JOIN sessions v ON v.version_of = s.version_of WHERE s.id = $1 AND v.id <> $1 AND v.user_id = $2 UNION SELECT s.id FROM sessions s JOIN below b ON s.parent_id = b.id WHERE s.user_id = $2 AND s.kind <> 'own') SELECT id FROM below
ttb	UPDATE sessions SET name = $3 WHERE id = $1 AND user_id = $2
ttbb	UPDATE api_keys SET source = $3, source_index = $4 WHERE id = $1 AND user_id = $2 AND source_index IS NULL
ttbi	UPDATE approvals SET status = $2, reason = $3, settled_at = $4 WHERE id = $1 AND status = 'pending' AND ($2 <> 'approved' OR expires_at > $4)
ttbi	UPDATE questions SET status = $2, answer = $3, settled_at = $4 WHERE id = $1 AND status = 'pending'
ttbi	UPDATE sessions SET name = $3, updated_at = $4 WHERE id = $1 AND user_id = $2
ttbib	INSERT INTO logins (id, user_id, secret_hash, created_at, seen_at, body) VALUES ($1, $2, $3, $4, $4, $5)
ttbib	UPDATE abilities SET name_index = $3, updated_at = $4, body = $5 WHERE id = $1 AND user_id = $2
ttbib	UPDATE saved_prompts SET name_index = $3, updated_at = $4, body = $5 WHERE id = $1 AND user_id = $2
ttbiib	INSERT INTO abilities (id, user_id, name_index, created_at, updated_at, body) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
ttbiib	INSERT INTO saved_prompts (id, user_id, name_index, created_at, updated_at, body) VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
ttbiii	UPDATE uploads SET complete = 1, body = $3, created_at = $4 WHERE id = $1 AND user_id = $2 AND complete = 0 AND size = $5 AND pieces = $6
ttbiiib	INSERT INTO logins (id, user_id, secret_hash, created_at, seen_at, confirmed_at, body) VALUES ($1,$2,$3,$4,$5,$6,$7)
ttbiiiii	UPDATE sessions SET name = $3, title_tries = $4, last_seq = last_seq + 1, input_tokens = input_tokens + $5, output_tokens = output_tokens + $6, cached_tokens = cached_tokens + $7, cost_microusd = cost_microusd + $8 WHERE id = $1 AND user_id = $2 AND name IS NULL RETURNING last_seq
ttbtib	UPDATE agents SET name_index = $3, status = $4, updated_at = $5, body = $6 WHERE id = $1 AND user_id = $2
ttbtiib	INSERT INTO agents (id, user_id, name_index, status, created_at, updated_at, body) VALUES ($1,$2,$3,$4,$5,$6,$7)
ttbtiib	INSERT INTO api_keys (id, user_id, secret_hash, scope, expires_at, created_at, name) VALUES ($1, $2, $3, $4, $5, $6, $7)
ttbtiiibbb	INSERT INTO api_keys (id, user_id, secret_hash, scope, expires_at, revoked_at, created_at, name, source, source_index) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)
tti	INSERT INTO agent_acceptances (agent_id, user_id, accepted_at) SELECT a.id, $1, $3 FROM agents a WHERE a.id = $2 AND a.user_id <> $1 AND EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1)) ON CONFLICT (agent_id, user_id) DO UPDATE SET accepted_at = agent_acceptances.accepted_at
tti	SELECT a.id, a.session_id, a.turn_id, a.call_id, a.status, a.expires_at, a.created_at, a.body, a.reason FROM approvals a WHERE a.user_id = $1 AND a.status = 'pending' AND ($2 IS NULL OR a.id > $2) ORDER BY a.id LIMIT $3
tti	SELECT id, user_id, created_at, updated_at, body FROM abilities WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
tti	SELECT id, user_id, created_at, updated_at, body FROM saved_prompts WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
tti	SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE user_id = $1 AND ($2 IS NULL OR id > $2) UNION ALL SELECT id, user_id, subject, tool, action, scope, expires_at, created_at, arguments FROM rules WHERE user_id IS NULL AND ($2 IS NULL OR id > $2) ORDER BY 1 LIMIT $3
tti	SELECT id, user_id, version, created_at, updated_at, body FROM folders WHERE user_id = $1 AND id > $2 ORDER BY id LIMIT $3
tti	SELECT q.id, q.session_id, q.turn_id, q.call_id, q.status, q.mode, q.created_at, q.body, q.answer FROM questions q WHERE q.user_id = $1 AND q.status = 'pending' AND ($2 IS NULL OR q.id > $2) ORDER BY q.id LIMIT $3
tti	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.folder_id = $2) ORDER BY s.updated_at DESC, s.id DESC LIMIT $3
tti	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.kind = $2) ORDER BY s.updated_at DESC, s.id DESC LIMIT $3
tti	SELECT s.id, s.user_id, s.agent_id, s.parent_id, s.status, s.archived, s.message_count, s.last_seq, s.read_seq, s.input_tokens, s.output_tokens, s.cached_tokens, s.cost_microusd, s.label, s.trusted_seq, s.doubted_seq, s.own_files, s.created_at, s.updated_at, s.name, s.handler, s.model, s.kind, s.narrowing, s.pinned, s.folder_id, s.delete_at, s.version_of, s.hidden, (SELECT t.source FROM turns t WHERE t.session_id = s.id ORDER BY t.position LIMIT 1), m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM sessions s LEFT JOIN messages m ON m.session_id = s.id AND m.seq = (SELECT n.seq FROM messages n WHERE n.session_id = s.id AND n.role IN ('user', 'assistant') ORDER BY n.seq DESC LIMIT 1) WHERE s.user_id = $1 AND s.copying IS NULL AND s.delete_at IS NULL AND s.hidden = 0 AND ($2 IS NULL OR s.parent_id = $2) ORDER BY s.updated_at DESC, s.id DESC LIMIT $3
tti	SELECT u.id, u.size, u.pieces, u.body, o.label FROM folder_files o JOIN uploads u ON u.id = o.upload_id WHERE o.folder_id = $1 AND u.user_id = $2 AND u.complete = 1 ORDER BY o.added_at DESC, u.id DESC LIMIT $3
tti	UPDATE api_keys SET revoked_at = $3 WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL
tti	UPDATE sessions SET delete_at = $3 WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0 AND delete_at IS NULL
tti	UPDATE sessions SET delete_at = NULL WHERE id = $1 AND user_id = $2 AND delete_at > $3
tti	UPDATE sessions SET last_seq = last_seq + 1, steering = steering + 1, updated_at = $3 WHERE id = $1 AND user_id = $2 AND archived = 0 AND active_turn IS NOT NULL RETURNING last_seq, active_turn, steering
tti	UPDATE sessions SET own_files = $3 WHERE id = $1 AND user_id = $2
tti	UPDATE sessions SET pinned = $3 WHERE id IN (SELECT s.id FROM sessions s WHERE s.id = $1 UNION SELECT v.id FROM sessions s JOIN sessions v ON v.version_of = s.version_of WHERE s.id = $1) AND user_id = $2 AND delete_at IS NULL
tti	UPDATE sessions SET read_seq = CASE WHEN $3 > last_seq THEN last_seq ELSE $3 END WHERE id = $1 AND user_id = $2
tti	UPDATE sessions SET title_tries = title_tries + 1 WHERE id = $1 AND user_id = $2 AND name IS NULL AND title_tries < $3
tti	UPDATE turns SET cancel = 1, status = 'running', updated_at = $3 WHERE status IN ('running', 'parked') AND id = (SELECT active_turn FROM sessions WHERE id = $1 AND user_id = $2) RETURNING id
ttib	INSERT INTO uploads (id, user_id, size, pieces, complete, created_at, body) VALUES ($1, $2, 0, 0, 0, $3, $4)
ttii	SELECT a.id, a.user_id, a.status, a.created_at, a.updated_at, a.body, k.data_key, k.abilities_version, COALESCE((SELECT h.updated_at FROM house h WHERE h.name = 'models'), 0), c.position, c.capability_id, c.settings FROM (SELECT * FROM (SELECT b.*, SUM(LENGTH(b.body)) OVER (ORDER BY b.id) - LENGTH(b.body) AS bytes_before FROM (SELECT * FROM agents a WHERE ((a.user_id = $1 AND NOT EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND (h.audience IN ('*', $1) OR EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role IN ('owner', 'admin'))))) AND a.id > $2 ORDER BY a.id LIMIT $3) b) s WHERE s.bytes_before < $4) a JOIN users k ON k.id = a.user_id LEFT JOIN agent_capabilities c ON c.agent_id = a.id ORDER BY a.id, c.position
ttii	UPDATE sessions SET archived = $3, updated_at = $4 WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0
ttii	UPDATE sessions SET last_seq = last_seq + $3, updated_at = COALESCE($4, updated_at) WHERE id = $1 AND user_id = $2 RETURNING last_seq
ttii	UPDATE sessions SET trusted_seq = CASE WHEN trusted_seq > $3 THEN trusted_seq ELSE $3 END, label = label & $4 WHERE id = $1 AND user_id = $2 AND active_turn IS NULL AND pending = 0
ttii	UPDATE turns SET status = 'running', owner = $2, lease_until = $3, epoch = epoch + 1, updated_at = $4 WHERE id = $1 AND status = 'parked' RETURNING id, session_id, user_id, status, outcome, source, attempt, epoch, position, cancel, stalls, restored, state
ttii	UPDATE uploads SET size = size + $3, pieces = pieces + 1 WHERE id = $1 AND user_id = $2 AND complete = 0 AND pieces = $4
ttiib	UPDATE folders SET version = version + 1, updated_at = $4, body = $5 WHERE id = $1 AND user_id = $2 AND version = $3
ttiii	UPDATE calls SET status = $2, result_seq = $3, settled_at = $4, started_at = COALESCE($5, started_at) WHERE id = $1 AND status IN ('pending', 'waiting', 'running')
ttiii	UPDATE nodes SET seen_at = CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), lease_until = CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + $3, clock = $4 WHERE id = $1 AND boot = $2 RETURNING (SELECT COUNT(*) FROM nodes o WHERE o.id <> $1 AND o.lease_until >= CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)), (SELECT COUNT(*) FROM nodes o WHERE o.id <> $1 AND o.lease_until < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - $5 AND EXISTS (SELECT 1 FROM turns t WHERE t.owner = o.id AND t.status = 'running'))
ttiiib	INSERT INTO folders (id, user_id, version, created_at, updated_at, body) VALUES ($1, $2, $3, $4, $5, $6)
ttiiii	UPDATE sessions SET input_tokens = input_tokens + $3, output_tokens = output_tokens + $4, cached_tokens = cached_tokens + $5, cost_microusd = cost_microusd + $6, compaction_call = CASE WHEN compaction_call = $2 THEN NULL ELSE compaction_call END WHERE id = $1
ttiiiiiii	UPDATE model_calls SET status = $2, input_tokens = $3, output_tokens = $4, cached_tokens = $5, cost_microusd = $6, ended_at = $7, requests = $8, estimated = $9 WHERE id = $1 AND status = 'started'
ttiit	UPDATE turns SET status = 'running', owner = $2, lease_until = $3, epoch = epoch + 1, attempt = attempt + 1, updated_at = $4 WHERE status = 'queued' AND id = $5 AND id = (SELECT id FROM turns WHERE session_id = $1 AND status = 'queued' ORDER BY position LIMIT 1) RETURNING id, session_id, user_id, status, outcome, source, attempt, epoch, position, cancel, stalls, restored, state
ttit	UPDATE sessions SET pinned = $3, folder_id = $4 WHERE id = $1 AND user_id = $2
ttiti	SELECT CAST(COALESCE(SUM(CASE WHEN (turn_id = COALESCE((SELECT r.root_turn FROM errands r WHERE r.turn_id = $4), $4) OR turn_id IN (SELECT e.turn_id FROM errands e WHERE e.root_turn = COALESCE((SELECT r.root_turn FROM errands r WHERE r.turn_id = $4), $4))) AND started_at >= $5 THEN CASE WHEN cost_microusd IS NULL THEN COALESCE(reserved_microusd, 0) WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN started_at >= $3 THEN CASE WHEN cost_microusd IS NULL THEN COALESCE(reserved_microusd, 0) WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN agent_id = $2 AND started_at >= $3 THEN CASE WHEN cost_microusd IS NULL THEN COALESCE(reserved_microusd, 0) WHEN cost_microusd > 1000000000000 THEN 1000000000000 ELSE cost_microusd END ELSE 0 END), 0) AS BIGINT), CAST(COALESCE(SUM(CASE WHEN started_at >= $3 THEN CASE WHEN status = 'started' THEN COALESCE(reserved_microusd, 0) ELSE 0 END ELSE 0 END), 0) AS BIGINT) FROM model_calls WHERE user_id = $1 AND started_at >= CASE WHEN $5 < $3 THEN $5 ELSE $3 END
ttt	DELETE FROM folder_files WHERE folder_id = $1 AND upload_id = $2 AND EXISTS (SELECT 1 FROM folders f WHERE f.id = $1 AND f.user_id = $3)
ttt	SELECT id FROM sessions WHERE user_id = $1 AND parent_id = $2 AND agent_id = $3 AND kind = 'colleague' AND archived = 0 ORDER BY created_at LIMIT 1
ttt	SELECT id, COALESCE(version_base, 0) FROM sessions WHERE version_of = $1 AND user_id = $2 AND id <> $3 AND copying IS NULL AND delete_at IS NULL ORDER BY created_at DESC, id DESC
ttt	SELECT id, label, pinned, folder_id, name FROM sessions WHERE version_of = $1 AND user_id = $2 AND hidden = 0 AND id <> $3 ORDER BY updated_at DESC LIMIT 1
ttt	SELECT m.seq, m.id, m.turn_id, m.role, m.created_at, m.body, m.answers FROM messages m JOIN sessions s ON s.id = m.session_id WHERE m.session_id = $1 AND m.id = $2 AND s.user_id = $3
ttt	UPDATE chat_sessions SET session_id = $1 WHERE user_id = $3 AND session_id IN (SELECT id FROM sessions WHERE version_of = $2 AND user_id = $3)
ttt	UPDATE inbox SET turn_id = $2, mode = $3 WHERE id = $1
ttt	UPDATE sessions SET folder_id = $3 WHERE id IN (SELECT s.id FROM sessions s WHERE s.id = $1 UNION SELECT v.id FROM sessions s JOIN sessions v ON v.version_of = s.version_of WHERE s.id = $1) AND user_id = $2 AND delete_at IS NULL
ttt	UPDATE sessions SET hidden = CASE WHEN id = $1 THEN 0 ELSE 1 END WHERE version_of = $2 AND user_id = $3
tttbbtttibbbbit	INSERT INTO inbox (id, session_id, user_id, idem, digest, turn_id, mode, source, created_at, body, attachments, sender, asker, label, model) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (session_id, idem) DO NOTHING RETURNING id
tttbiibb	INSERT INTO session_links (id, session_id, user_id, secret_index, up_to_seq, created_at, secret, name) SELECT $1, s.id, s.user_id, $4, $5, $6, $7, $8 FROM sessions s WHERE s.id = $2 AND s.user_id = $3 AND s.delete_at IS NULL
tttbiibb	INSERT INTO session_links (id, session_id, user_id, secret_index, up_to_seq, created_at, secret, name) VALUES ($1,$2,$3,$4,$5,$6,$7,$8)
ttti	UPDATE sessions SET handler = $3, updated_at = $4 WHERE id = $1 AND user_id = $2
ttti	UPDATE sessions SET model = $3, updated_at = $4 WHERE id = $1 AND user_id = $2
tttibii	UPDATE turns SET status = 'running', outcome = NULL, cancel = 0, stalls = 0, restored = 0, epoch = epoch + 1, owner = $3, lease_until = $4, state = $5, attempt = $6, updated_at = $7 WHERE id = $1 AND status = $2 RETURNING epoch
tttii	INSERT INTO upload_uses (upload_id, session_id, label) SELECT u.id, $3, CAST($5 AS BIGINT) FROM uploads u WHERE u.id = $1 AND u.user_id = $2 AND u.complete = 1 AND (u.created_at > $4 OR EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = u.id) OR EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = u.id)) ON CONFLICT (upload_id, session_id) DO UPDATE SET label = upload_uses.label | excluded.label
tttiii	INSERT INTO folder_files (folder_id, upload_id, label, added_at) SELECT CAST($1 AS TEXT), u.id, CAST($4 AS BIGINT), CAST($5 AS BIGINT) FROM uploads u WHERE u.id = $2 AND u.user_id = $3 AND u.complete = 1 AND (u.created_at > $6 OR EXISTS (SELECT 1 FROM upload_uses o WHERE o.upload_id = u.id) OR EXISTS (SELECT 1 FROM folder_files o WHERE o.upload_id = u.id)) ON CONFLICT (folder_id, upload_id) DO UPDATE SET label = excluded.label
tttiii	UPDATE sessions SET last_seq = last_seq + CASE WHEN active_turn IS NULL AND pending = 0 THEN $4 ELSE $5 END, message_count = message_count + CASE WHEN active_turn IS NULL AND pending = 0 THEN 1 ELSE 0 END, pending = pending + CASE WHEN active_turn IS NULL AND pending = 0 THEN 0 ELSE 1 END, status = CASE WHEN active_turn IS NULL AND pending = 0 THEN 'working' ELSE status END, active_turn = CASE WHEN active_turn IS NULL AND pending = 0 THEN $3 ELSE active_turn END, updated_at = $6 WHERE id = $1 AND user_id = $2 AND archived = 0 RETURNING last_seq, CAST(CASE WHEN active_turn = $3 THEN 1 ELSE 0 END AS BIGINT), pending, CAST(CASE WHEN active_turn IS NULL THEN 1 ELSE 0 END AS BIGINT)
tttitttiiiib	INSERT INTO turns (id, session_id, user_id, position, source, status, owner, epoch, lease_until, attempt, stalls, cancel, created_at, updated_at, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $11, $11, $12)
tttittttiiiiiiibitttittttiiiiiiibitttittttiiiiiiibitttittttiiiiiiibi	INSERT INTO turns (id, session_id, user_id, position, source, status, outcome, owner, epoch, lease_until, attempt, stalls, cancel, created_at, updated_at, state, restored) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17),($18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31,$32,$33,$34),($35,$36,$37,$38,$39,$40,$41,$42,$43,$44,$45,$46,$47,$48,$49,$50,$51),($52,$53,$54,$55,$56,$57,$58,$59,$60,$61,$62,$63,$64,$65,$66,$67,$68)
ttttbii	INSERT INTO account_links (id, made_by, user_id, role, secret_hash, created_at, expires_at) VALUES ($1,$2,$3,$4,$5,$6,$7)
tttti	UPDATE sessions SET version_of = $3, version_from = $4, version_seq = $5, version_base = last_seq, hidden = 1 WHERE id = $1 AND user_id = $2
ttttii	INSERT INTO nodes (id, boot, name, version, clock, started_at, seen_at, lease_until) VALUES ($1, $2, $3, $4, $5, CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + $6) ON CONFLICT (id) DO UPDATE SET boot = $2, name = $3, version = $4, clock = $5, started_at = CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), seen_at = CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT), lease_until = CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + $6
tttttiiiiiiiiiiibttbiiiitti	INSERT INTO sessions (user_id, id, agent_id, parent_id, status, archived, message_count, last_seq, read_seq, pending, steering, input_tokens, output_tokens, cached_tokens, cost_microusd, label, created_at, updated_at, name, handler, kind, narrowing, trusted_seq, doubted_seq, own_files, pinned, folder_id, model, hidden) SELECT $1, $2, a.id, $4, $5, $6, $7, $8, $9, 0, 0, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27 FROM agents a WHERE a.id = $3 AND ((a.user_id = $1 AND NOT EXISTS (SELECT 1 FROM users g WHERE g.id = $1 AND g.role = 'guest')) OR EXISTS (SELECT 1 FROM agent_shares h WHERE h.agent_id = a.id AND h.audience IN ('*', $1) AND (EXISTS (SELECT 1 FROM agent_acceptances t WHERE t.agent_id = a.id AND t.user_id = $1) OR (h.audience = '*' AND EXISTS (SELECT 1 FROM users o WHERE o.id = a.user_id AND o.role IN ('owner', 'admin'))))))
tttttiiiitiiiiiiiiibittbtiiiiititttiii	INSERT INTO sessions (id, user_id, agent_id, parent_id, status, archived, message_count, last_seq, read_seq, active_turn, pending, steering, input_tokens, output_tokens, cached_tokens, cost_microusd, label, created_at, updated_at, name, title_tries, compaction_call, kind, narrowing, handler, trusted_seq, own_files, doubted_seq, copying, pinned, folder_id, delete_at, model, version_of, version_from, version_seq, version_base, hidden) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31,$32,$33,$34,$35,$36,$37,$38)
tttttiiti	INSERT INTO model_calls (id, session_id, turn_id, user_id, agent_id, step, attempt, model, status, input_tokens, output_tokens, cached_tokens, started_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'started', 0, 0, 0, $9)
tttttitttiib	INSERT INTO calls (id, session_id, turn_id, user_id, message_id, position, origin, class, status, attempt, created_at, body) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)
ttttttiib	INSERT INTO approvals (id, session_id, turn_id, call_id, user_id, status, expires_at, created_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
tttttttiib	INSERT INTO questions (id, session_id, turn_id, call_id, user_id, status, mode, expires_at, created_at, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ttttttttiib	INSERT INTO rules (id, user_id, subject, session_id, agent_id, tool, action, scope, expires_at, created_at, arguments) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ttttttttiiii	INSERT INTO errands (turn_id, session_id, user_id, root_turn, parent_session, parent_turn, parent_call, status, depth_left, hops_left, expires_at, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

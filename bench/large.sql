-- Rows as the service writes them: ids, digests and hashes of the real length, spread over ninety days.
\set ON_ERROR_STOP on
BEGIN;
TRUNCATE app_user, web_session, audit_event, login_token_use;
INSERT INTO app_user (subject, issuer, first_seen_at)
SELECT 'user-' || n, 'https://login.example.com', 1750000000000 FROM generate_series(1, :subjects) AS n;
COMMIT;

SELECT (extract(epoch FROM now()) * 1000)::bigint AS now \gset

BEGIN;
TRUNCATE web_session;
-- Half of them expired long ago: what the purge is for.
INSERT INTO web_session (id, secret_digest, subject, client_id, app_client_id, login_token_id, opening, created_at,
    expires_at, idle_lifetime, last_seen_at, login_token_issued_at)
SELECT 'session-' || lpad(n::text, 14, '0'),
    translate(rtrim(encode(sha256(('secret-' || n)::bytea), 'base64'), '='), '+/', '-_'),
    'user-' || (n % :subjects) + 1, 'www', 'phone-app', left(encode(sha256(n::text::bytea), 'hex'), 22), 'login_token',
    :now - 7200000, CASE WHEN n % 2 = 0 THEN :now - 3700000 - n % 1000 ELSE :now + 36000000 END, 1800000, :now,
    :now - 7200000 - :sessions + n
FROM generate_series(1, :sessions) AS n;
COMMIT;

BEGIN;
TRUNCATE login_token_use;
INSERT INTO login_token_use (token_id, subject, client_id, issued_at, expires_at, state, misses, used_at, session_id,
    address, agent_digest)
SELECT left(encode(sha256(n::text::bytea), 'hex'), 22), 'user-' || (n % :subjects) + 1, 'phone-app', :now - 7200000,
    :now - 3700000, 'redeemed', 0, :now - 7190000, 'session-' || lpad(n::text, 14, '0'), '203.0.113.7',
    left(encode(sha256('agent'), 'hex'), 43)
FROM generate_series(1, :sessions) AS n;
COMMIT;

-- The indexes are built behind the rows; row by row they would take an hour.
SELECT string_agg(format('DROP INDEX %I', indexname), '; ') AS drops, string_agg(indexdef, '; ') AS makes
FROM pg_indexes WHERE tablename = 'audit_event' AND indexname <> 'audit_event_pkey' \gset
:drops;
ALTER TABLE audit_event DROP CONSTRAINT audit_event_pkey;
BEGIN;
TRUNCATE audit_event;
INSERT INTO audit_event (node, sequence, at, type, outcome, reason, subject, client_id, target_client_id, session_id,
    token_id, address, user_agent, request_id, detail, previous_hash, hash)
SELECT 'filled', n, :now - (:events::bigint - n) * (7776000000 / :events),
    (ARRAY['login_token.issued', 'login_token.redeemed', 'web_session.opened', 'web_session.ended'])[n % 4 + 1], 'success',
    NULL, 'user-' || ((n / 4) * 7919 % :subjects) + 1, 'phone-app', 'www', 'session-' || lpad((n / 4)::text, 14, '0'),
    left(h, 22), '203.0.113.7', 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1',
    left(h, 16), NULL, left(h, 43), reverse(left(h, 43))
FROM (SELECT n, md5(n::text) || md5((-n)::text) AS h FROM generate_series(1, :events::bigint) AS n) AS rows;
ALTER TABLE audit_event ADD CONSTRAINT audit_event_pkey PRIMARY KEY (node, sequence);
:makes;
COMMIT;
VACUUM ANALYZE;
CHECKPOINT;

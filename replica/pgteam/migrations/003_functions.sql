-- Members use the tables through functions alone. A role that may use a table can lock
-- it, and learns from EXPLAIN how many rows of others match a condition, whatever the
-- policies say. The functions run with the rights of the tables' owner, whom no policy
-- holds, and decide by session_user, which cannot be forged.
--
-- A step runs with search_path = pg_catalog, pg_temp, so what stands here without a
-- schema is PostgreSQL's own.

-- The policies held the owner of the tables too, who changes rows of everybody below.
ALTER TABLE {schema}.log NO FORCE ROW LEVEL SECURITY;
ALTER TABLE {schema}.chunk NO FORCE ROW LEVEL SECURITY;

-- Expressions of earlier steps may name operators that a member had made. Every policy
-- is made again, and no other stays.
DO $$ DECLARE p record; BEGIN
	FOR p IN SELECT o.polname, o.polrelid::regclass AS of FROM pg_policy o JOIN pg_class c ON c.oid = o.polrelid
		JOIN pg_class l ON l.relnamespace = c.relnamespace WHERE l.oid = '{schema}.log'::regclass LOOP
		EXECUTE format('DROP POLICY %I ON %s', p.polname, p.of);
	END LOOP;
END $$;
DROP FUNCTION {schema}.readable();

-- A cache that nobody uses any more.
DROP TABLE {schema}.learnt;

ALTER TABLE {schema}.log ALTER COLUMN owner SET DEFAULT session_user;
ALTER TABLE {schema}.grants ALTER COLUMN owner SET DEFAULT session_user;

-- The session that a log belongs to: /OWNER/MACHINE/SESSION/GENERATION.
ALTER TABLE {schema}.log ADD COLUMN session text COLLATE "C" NOT NULL DEFAULT '';
UPDATE {schema}.log SET head = substr(name, 1, 512), session = CASE WHEN octet_length(name) <= 4096
	THEN left(split_part(encode(name, 'escape'), '/', 4), 200) ELSE '' END;
UPDATE {schema}.log SET key = NULL, gen = -1, since = now() WHERE key IS NOT NULL AND octet_length(name) > 4096;

-- A log is as long as the chunks that follow each other from its beginning. A member
-- could write another length.
UPDATE {schema}.log l SET len = greatest(0, least(l.len, w.len)), merged = greatest(0, least(l.merged, l.len, w.len))
	FROM (SELECT g.id, coalesce(sum(c.size) FILTER (WHERE c.off = c.before), 0)::bigint AS len FROM {schema}.log g
		LEFT JOIN (SELECT log, off, octet_length(data) AS size,
			coalesce(sum(octet_length(data)) OVER (PARTITION BY log ORDER BY off ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
			FROM {schema}.chunk) c ON c.log = g.id GROUP BY g.id) w
	WHERE w.id = l.id AND (l.len > w.len OR l.len < 0 OR l.merged > w.len OR l.merged < 0 OR l.merged > l.len);
ALTER TABLE {schema}.log ADD CONSTRAINT log_len CHECK (len >= 0 AND len < 1125899906842624 AND merged >= 0 AND merged <= len);

-- No statistics tell what others have. A column that gets a type, also its own, loses
-- those that it had.
ALTER TABLE {schema}.log
	ALTER COLUMN name TYPE bytea, ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN key TYPE bytea, ALTER COLUMN key SET STATISTICS 0,
	ALTER COLUMN head TYPE bytea, ALTER COLUMN head SET STATISTICS 0, ALTER COLUMN owner TYPE name, ALTER COLUMN owner SET STATISTICS 0,
	ALTER COLUMN session TYPE text COLLATE "C", ALTER COLUMN session SET STATISTICS 0,
	ALTER COLUMN len TYPE bigint, ALTER COLUMN len SET STATISTICS 0, ALTER COLUMN gen TYPE bigint, ALTER COLUMN gen SET STATISTICS 0,
	ALTER COLUMN merged TYPE bigint, ALTER COLUMN merged SET STATISTICS 0, ALTER COLUMN since TYPE timestamptz, ALTER COLUMN since SET STATISTICS 0;
ALTER TABLE {schema}.grants
	ALTER COLUMN owner TYPE name, ALTER COLUMN owner SET STATISTICS 0, ALTER COLUMN session TYPE text COLLATE "C", ALTER COLUMN session SET STATISTICS 0,
	ALTER COLUMN grantee TYPE name, ALTER COLUMN grantee SET STATISTICS 0;

-- Rows are found by their owner first, so that a statement of a member does not even
-- count rows of others.
ALTER TABLE {schema}.log DROP CONSTRAINT log_key_key;
CREATE UNIQUE INDEX log_key ON {schema}.log (key, owner);
DROP INDEX {schema}.log_head;
DROP INDEX {schema}.log_owner;
CREATE INDEX log_owner ON {schema}.log (owner, head) WHERE key IS NOT NULL;
CREATE INDEX log_session ON {schema}.log (owner, session) WHERE key IS NOT NULL;

-- What others let the one who asks read; session '' means all of the owner's.
CREATE FUNCTION {schema}.readable() RETURNS TABLE (owner name, session text) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY
	WITH RECURSIVE me AS (
		SELECT r.oid, r.rolname FROM pg_catalog.pg_roles r WHERE r.rolname = session_user
		UNION SELECT r.oid, r.rolname FROM pg_catalog.pg_auth_members m JOIN me ON m.member = me.oid
			JOIN pg_catalog.pg_roles r ON r.oid = m.roleid)
	SELECT DISTINCT g.owner, g.session FROM {schema}.grants g WHERE g.owner <> session_user
		AND g.grantee IN (SELECT 'public'::name UNION ALL SELECT me.rolname FROM me);
END $$;

-- Whether one session of an owner is among those.
CREATE FUNCTION {schema}.may_read(name, text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN EXISTS (SELECT FROM {schema}.readable() r WHERE r.owner = $1 AND r.session IN ('', $2)); END $$;

-- The functions below are named after the statements of package pgstore that they take
-- the place of. Each that changes something returns a row for each row that it changed.

CREATE FUNCTION {schema}.find(bytea) RETURNS TABLE (id bigint, gen bigint, len bigint, merged bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
	RETURN QUERY SELECT l.id, l.gen, l.len, l.merged FROM {schema}.log l WHERE l.key = sha256($1) AND l.owner = session_user;
	IF NOT FOUND AND substr($1, 1, octet_length(convert_to(session_user::text, 'UTF8')) + 2) <> convert_to('/' || session_user::text || '/', 'UTF8') THEN
		RETURN QUERY SELECT l.id, l.gen, l.len, l.merged FROM {schema}.log l WHERE l.key = sha256($1) AND l.owner = ANY (
			ARRAY(SELECT r.owner FROM {schema}.readable() r WHERE r.session IN ('', split_part(encode($1, 'escape'), '/', 4))));
	END IF;
END $$;

CREATE FUNCTION {schema}.size(bigint, bigint) RETURNS TABLE (len bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.len FROM {schema}.log l WHERE l.id = $1 AND l.gen = $2 AND l.key IS NOT NULL
	AND (l.owner = session_user OR {schema}.may_read(l.owner, l.session)); END $$;

-- Names begin with their owners, so the logs of one owner after the other are in order.
CREATE FUNCTION {schema}.list(bytea, bytea, integer) RETURNS TABLE (name bytea, len bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	o record;
	here bytea;
	behind bytea; -- the first name after all of an owner, or the end of the range
	many bigint;
	rest bigint := $3;
	own boolean := $1 >= convert_to('/' || session_user::text || '/', 'UTF8') AND $2 <= convert_to('/' || session_user::text || '0', 'UTF8'); -- no other owner is in the range
BEGIN
	FOR o IN SELECT r.owner, bool_or(r.session = '') AS whole, array_agg(r.session) AS sessions
		FROM (SELECT session_user AS owner, '' AS session UNION ALL SELECT owner, session FROM {schema}.readable() WHERE own IS NOT TRUE) r
		GROUP BY r.owner ORDER BY convert_to('/' || r.owner::text || '/', 'UTF8') LOOP
		here := convert_to('/' || o.owner::text || '/', 'UTF8');
		behind := convert_to('/' || o.owner::text || '0', 'UTF8');
		IF $2 < behind THEN
			behind := $2;
		END IF;
		CONTINUE WHEN here >= behind OR $1 >= behind;
		IF o.whole THEN
			RETURN QUERY SELECT l.name, l.len FROM {schema}.log l WHERE l.owner = o.owner AND l.key IS NOT NULL
				AND l.head >= substr($1, 1, 512) AND l.name >= $1 AND l.head <= substr(behind, 1, 512) AND l.name < behind
				ORDER BY l.head, l.name LIMIT rest;
		ELSE
			RETURN QUERY WITH g AS MATERIALIZED (
				SELECT l.name, l.len FROM {schema}.log l WHERE l.owner = o.owner AND l.session = ANY (o.sessions) AND l.key IS NOT NULL)
				SELECT g.name, g.len FROM g WHERE g.name >= $1 AND g.name < behind ORDER BY g.name LIMIT rest;
		END IF;
		GET DIAGNOSTICS many = ROW_COUNT;
		rest := rest - many;
		EXIT WHEN rest <= 0;
	END LOOP;
END $$;

CREATE FUNCTION {schema}.read(bigint, bigint, bigint) RETURNS TABLE (off bigint, data bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
	PERFORM FROM {schema}.log l WHERE l.id = $1 AND (l.owner = session_user OR l.key IS NOT NULL AND {schema}.may_read(l.owner, l.session));
	IF FOUND THEN
		RETURN QUERY SELECT c.off, c.data FROM {schema}.chunk c WHERE c.log = $1 AND c.off < $3 AND c.off >=
			coalesce((SELECT b.off FROM {schema}.chunk b WHERE b.log = $1 AND b.off <= $2 ORDER BY b.off DESC LIMIT 1), 0) ORDER BY c.off;
	END IF;
END $$;

CREATE FUNCTION {schema}.add(bigint, bigint, bigint, bytea) RETURNS SETOF bigint LANGUAGE plpgsql AS $$ BEGIN
	UPDATE {schema}.log SET len = len + octet_length($4)
		WHERE id = $1 AND gen = $2 AND len = $3 AND key IS NOT NULL AND owner = session_user AND octet_length($4) > 0;
	IF FOUND THEN
		IF octet_length($4) <= 524288 THEN
			INSERT INTO {schema}.chunk (log, off, data) VALUES ($1, $3, $4);
		ELSE
			INSERT INTO {schema}.chunk (log, off, data)
				SELECT $1, $3 + o, substr($4, o + 1, 262144) FROM generate_series(0, octet_length($4) - 1, 262144) o;
		END IF;
		RETURN NEXT $1;
	END IF;
END $$;

CREATE FUNCTION {schema}.touch(bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY UPDATE {schema}.log SET len = len WHERE id = $1 AND owner = session_user RETURNING id; END $$;

CREATE FUNCTION {schema}.stage(bytea) RETURNS TABLE (id bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
	IF octet_length($1) > 4096 OR session_user::text LIKE '%/%' OR substr($1, 1, octet_length(convert_to(session_user::text, 'UTF8')) + 2) <> convert_to('/' || session_user::text || '/', 'UTF8') THEN
		RAISE insufficient_privilege USING MESSAGE = 'the name of a log begins with /' || session_user::text || '/ and has at most 4096 bytes';
	END IF;
	RETURN QUERY INSERT INTO {schema}.log (name, head, session, owner)
		VALUES ($1, substr($1, 1, 512), left(split_part(encode($1, 'escape'), '/', 4), 200), session_user) RETURNING id;
END $$;

-- A draft is filled before it has a name. The lock keeps it one meanwhile.
CREATE FUNCTION {schema}.fill(bigint, bigint[], bytea[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$ BEGIN
	PERFORM FROM {schema}.log WHERE id = $1 AND key IS NULL AND gen = 0 AND owner = session_user FOR SHARE;
	IF NOT FOUND THEN
		RAISE insufficient_privilege USING MESSAGE = 'only a new log of one''s own is filled';
	END IF;
	RETURN QUERY INSERT INTO {schema}.chunk (log, off, data) SELECT $1, c.off, c.data FROM unnest($2, $3) c(off, data)
		WHERE octet_length(c.data) <= 524288 ON CONFLICT DO NOTHING RETURNING off;
END $$;

CREATE FUNCTION {schema}.take_over(bytea, bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY UPDATE {schema}.log SET key = NULL, gen = gen + 1, since = now()
	WHERE key = sha256($1) AND len = 0 AND id <> $2 AND owner = session_user RETURNING id; END $$;

-- A log is published with the length that its chunks have together.
CREATE FUNCTION {schema}.publish(bigint, bytea, bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$ BEGIN
	RETURN QUERY UPDATE {schema}.log SET key = sha256(name), len = $3, merged = $3, gen = 1, since = now()
		WHERE id = $1 AND name = $2 AND gen = 0 AND owner = session_user RETURNING id;
	IF FOUND AND (SELECT coalesce(sum(c.size) <> $3 OR NOT bool_and(c.off = c.before), $3 <> 0) FROM (SELECT off, octet_length(data) AS size,
		coalesce(sum(octet_length(data)) OVER (ORDER BY off ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
		FROM {schema}.chunk WHERE log = $1) c) THEN
		RAISE check_violation USING MESSAGE = 'the chunks of a log follow each other and are as long as the log';
	END IF;
END $$;

CREATE FUNCTION {schema}.state(bigint) RETURNS TABLE (gen bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.gen FROM {schema}.log l WHERE l.id = $1 AND l.owner = session_user; END $$;

CREATE FUNCTION {schema}.retire(bigint, bigint, bigint, bytea) RETURNS SETOF bigint LANGUAGE plpgsql AS $$ BEGIN
	IF octet_length($4) > 4096 OR substr($4, 1, octet_length(convert_to(session_user::text, 'UTF8')) + 2) <> convert_to('/' || session_user::text || '/', 'UTF8') THEN
		RAISE insufficient_privilege USING MESSAGE = 'the name of a log begins with /' || session_user::text || '/ and has at most 4096 bytes';
	END IF;
	RETURN QUERY UPDATE {schema}.log SET key = sha256($4), name = coalesce($4, name), head = coalesce(substr($4, 1, 512), head),
		session = coalesce(left(split_part(encode($4, 'escape'), '/', 4), 200), session), gen = gen + 1, since = now()
		WHERE id = $1 AND gen = $2 AND len = $3 AND key IS NOT NULL AND owner = session_user RETURNING id;
END $$;

CREATE FUNCTION {schema}.remove(bytea) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY UPDATE {schema}.log SET key = NULL, gen = gen + 1, since = now() WHERE key = sha256($1) AND owner = session_user RETURNING id; END $$;

CREATE FUNCTION {schema}.erase(bytea) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE many bigint; BEGIN
	WITH l AS (DELETE FROM {schema}.log WHERE key = sha256($1) AND owner = session_user RETURNING id),
		c AS (DELETE FROM {schema}.chunk c USING l WHERE c.log = l.id)
	SELECT count(*) INTO many FROM l;
	RETURN many;
END $$;

CREATE FUNCTION {schema}.drop(bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY WITH l AS (DELETE FROM {schema}.log WHERE id = $1 AND key IS NULL AND owner = session_user RETURNING id)
	DELETE FROM {schema}.chunk c USING l WHERE c.log = l.id RETURNING c.off; END $$;

CREATE FUNCTION {schema}.smalls(bigint) RETURNS TABLE (off bigint, size integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT c.off, octet_length(c.data) FROM {schema}.chunk c
	WHERE c.log = $1 AND c.off >= (SELECT l.merged FROM {schema}.log l WHERE l.id = $1 AND l.owner = session_user) ORDER BY c.off LIMIT 20000; END $$;

CREATE FUNCTION {schema}.merge(bigint, bigint, bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$ BEGIN
	IF $3 - $2 > 4194304 THEN
		RAISE check_violation USING MESSAGE = 'a chunk has at most 4 MiB';
	END IF;
	RETURN QUERY WITH d AS (DELETE FROM {schema}.chunk WHERE log = (SELECT id FROM {schema}.log WHERE id = $1 AND owner = session_user)
			AND off >= $2 AND off < $3 RETURNING off, data)
		INSERT INTO {schema}.chunk (log, off, data) SELECT $1, $2, string_agg(data, ''::bytea ORDER BY off) FROM d
		HAVING min(off) = $2 AND sum(octet_length(data)) = $3 - $2 RETURNING off;
	IF NOT FOUND THEN
		RAISE serialization_failure USING MESSAGE = 'the chunks were merged by another client';
	END IF;
END $$;

CREATE FUNCTION {schema}.move_merged(bigint, bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY UPDATE {schema}.log SET merged = $2 WHERE id = $1 AND merged < $2 AND $2 <= len AND owner = session_user RETURNING id; END $$;

CREATE FUNCTION {schema}.waiting(bigint) RETURNS TABLE (id bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.id FROM {schema}.log l WHERE l.owner = session_user AND l.len - l.merged >= $1; END $$;

CREATE FUNCTION {schema}.nameless(bigint) RETURNS TABLE (id bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.id FROM {schema}.log l
	WHERE l.owner = session_user AND l.key IS NULL AND l.since < now() - make_interval(secs => $1::double precision) LIMIT 100; END $$;

-- What the one who asks lets others read.

CREATE FUNCTION {schema}.given() RETURNS TABLE (session text, grantee name) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT g.session, g.grantee FROM {schema}.grants g WHERE g.owner = session_user ORDER BY g.session, g.grantee; END $$;

CREATE FUNCTION {schema}.give(text, name) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY INSERT INTO {schema}.grants (owner, session, grantee) SELECT session_user, $1, $2
	WHERE $2 = 'public'::name OR EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = $2)
	ON CONFLICT (owner, session, grantee) DO UPDATE SET session = excluded.session RETURNING session; END $$;

CREATE FUNCTION {schema}.take(text, name) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY DELETE FROM {schema}.grants WHERE owner = session_user AND session = $1 AND grantee = $2 RETURNING session; END $$;

-- The policies, for roles that are given rights to the tables by hand.

CREATE POLICY own ON {schema}.log USING (owner = session_user) WITH CHECK (
	owner = session_user
	AND substr(name, 1, octet_length(convert_to(session_user::text, 'UTF8')) + 2) = convert_to('/' || session_user::text || '/', 'UTF8')
	AND (key IS NULL OR key = sha256(name)));
CREATE POLICY granted ON {schema}.log FOR SELECT USING (key IS NOT NULL AND (
	owner = ANY (ARRAY(SELECT r.owner FROM {schema}.readable() r WHERE r.session = ''))
	OR owner = ANY (ARRAY(SELECT DISTINCT r.owner FROM {schema}.readable() r WHERE r.session <> ''))
		AND (owner, session) IN (SELECT r.owner, r.session FROM {schema}.readable() r)));
CREATE POLICY own ON {schema}.chunk USING (
	EXISTS (SELECT FROM {schema}.log l WHERE l.id = chunk.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.chunk FOR SELECT USING (
	EXISTS (SELECT FROM {schema}.log l WHERE l.id = chunk.log));
CREATE POLICY own ON {schema}.grants USING (owner = session_user);

-- Every function runs as its owner, with a search path that nobody else can put
-- something into, and is for members only. Members of an older version lose the tables
-- and get the functions.
DO $$ DECLARE
	space oid := (SELECT relnamespace FROM pg_class WHERE oid = '{schema}.log'::regclass);
	f record;
	m record;
BEGIN
	FOR f IN SELECT oid::regprocedure AS called FROM pg_proc WHERE pronamespace = space LOOP
		EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp', f.called);
		EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.called);
	END LOOP;
	FOR m IN SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS who
		FROM pg_namespace n CROSS JOIN LATERAL aclexplode(n.nspacl) a WHERE n.oid = space AND a.grantee <> n.nspowner AND a.privilege_type = 'CREATE' LOOP
		EXECUTE format('REVOKE CREATE ON SCHEMA {schema} FROM %s CASCADE', m.who);
	END LOOP;
	FOR m IN SELECT DISTINCT a.grantee, CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS who,
			bool_or(c.relname = 'log' AND a.privilege_type = 'SELECT') OVER (PARTITION BY a.grantee) AS member
		FROM pg_class c CROSS JOIN LATERAL (SELECT * FROM aclexplode(c.relacl)
			UNION ALL SELECT e.* FROM pg_attribute t CROSS JOIN LATERAL aclexplode(t.attacl) e WHERE t.attrelid = c.oid) a
		WHERE c.relnamespace = space AND a.grantee <> c.relowner LOOP
		EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM %s CASCADE', m.who);
		IF m.member THEN
			EXECUTE format('GRANT SELECT ON {schema}.version TO %s', m.who);
			EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO %s', m.who);
		END IF;
	END LOOP;
END $$;

-- Sessions of several people, and who may read them.
--
-- Members have no rights on the tables: a role that may use a table can lock it, and
-- learns from EXPLAIN how many rows of others match a condition. They call the functions
-- below, which run with the rights of the tables' owner and decide by session_user,
-- which cannot be forged. The policies hold roles that are given rights by hand.
--
-- This step runs with search_path = pg_catalog, pg_temp, and so does every function: a
-- name without a schema is PostgreSQL's own.

-- A person is a role. A role that is dropped and made again has another oid, and is
-- another person.
CREATE TABLE {schema}.person (
	id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	role oid NOT NULL,
	name name NOT NULL,
	UNIQUE (role, name)
);

-- What people let others read: one session, or all of theirs where it is ''. The grantee
-- is the role of a person or a group, or 0 and public for everybody.
CREATE TABLE {schema}.granted (
	person  bigint NOT NULL REFERENCES {schema}.person (id),
	session text COLLATE "C" NOT NULL,
	role    oid NOT NULL,
	name    name NOT NULL,
	PRIMARY KEY (person, session, role, name)
);
CREATE INDEX granted_role ON {schema}.granted (role);

-- Sessions that their owners deleted for all machines.
CREATE TABLE {schema}.deleted (
	person  bigint NOT NULL REFERENCES {schema}.person (id),
	session text COLLATE "C" NOT NULL,
	PRIMARY KEY (person, session)
);

-- One machine's copy of a session. len is the number of its bytes, and covered how many
-- of them the other columns and tables describe. about and facts are JSON that package
-- replica writes; used is when the session was last used, and never in the future.
CREATE TABLE {schema}.log (
	id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	person  bigint NOT NULL REFERENCES {schema}.person (id),
	machine text COLLATE "C" NOT NULL,
	session text COLLATE "C" NOT NULL,
	gen     integer NOT NULL CHECK (gen > 0),
	len     bigint NOT NULL DEFAULT 0,
	covered bigint NOT NULL DEFAULT 0,
	current boolean NOT NULL DEFAULT true, -- no newer generation
	used    timestamptz NOT NULL DEFAULT now(),
	about   bytea NOT NULL DEFAULT '' CHECK (octet_length(about) <= 65536),
	facts   bytea NOT NULL DEFAULT '' CHECK (octet_length(facts) <= 65536),
	CHECK (covered >= 0 AND covered <= len),
	UNIQUE (person, session, machine, gen)
) WITH (fillfactor = 50);
CREATE INDEX log_used ON {schema}.log (person, used DESC, id DESC) WHERE current AND covered > 0;

CREATE TABLE {schema}.chunk (
	log  bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	off  bigint NOT NULL,
	data bytea NOT NULL,
	PRIMARY KEY (log, off)
);

-- The words of each line, with their positions.
CREATE TABLE {schema}.line (
	log   bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	off   bigint NOT NULL,
	size  integer NOT NULL CHECK (size > 0),
	words tsvector NOT NULL,
	PRIMARY KEY (log, off)
);

-- The words of the lines of one push, and # with the number of their owner, so that a
-- search looks up both and reads no row of another.
CREATE TABLE {schema}.word (
	log   bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	off   bigint NOT NULL,
	part  integer NOT NULL,
	words tsvector NOT NULL,
	PRIMARY KEY (log, off, part)
);
CREATE INDEX word_words ON {schema}.word USING gin (words) WITH (fastupdate = off);

-- The responses of models. Copies of a response have the same key. Tokens and costs are
-- limited, so that nobody's sum overflows.
CREATE TABLE {schema}.response (
	log    bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	key    bytea NOT NULL CHECK (octet_length(key) = 16),
	at     timestamptz,
	model  text NOT NULL,
	tokens bigint NOT NULL,
	cost   bigint NOT NULL,
	PRIMARY KEY (log, key)
);

-- Faster both ways than the default, where the server has it (14, built with lz4).
DO $$ BEGIN
	EXECUTE 'ALTER TABLE {schema}.chunk ALTER COLUMN data SET COMPRESSION lz4';
EXCEPTION WHEN feature_not_supported OR syntax_error OR invalid_parameter_value THEN
	NULL;
END $$;

-- Without statistics, plans tell nothing about the rows of others.
DO $$ DECLARE c record; BEGIN
	FOR c IN SELECT a.attrelid::regclass AS of, a.attname FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid
		WHERE t.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '{schema}.log'::regclass) AND t.relkind = 'r' AND a.attnum > 0 LOOP
		EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', c.of, c.attname);
	END LOOP;
END $$;

-- The person that logged in; null before their first push.
CREATE FUNCTION {schema}.me() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN (SELECT p.id FROM pg_roles r JOIN {schema}.person p ON p.role = r.oid AND p.name = r.rolname WHERE r.rolname = session_user); END $$;

-- The same, who becomes known by this.
CREATE FUNCTION {schema}.enter() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	IF {schema}.me() IS NULL THEN
		INSERT INTO {schema}.person (role, name) SELECT r.oid, r.rolname FROM pg_roles r WHERE r.rolname = session_user ON CONFLICT DO NOTHING;
	END IF;
	RETURN {schema}.me();
END $$;

-- Of whom the one who asks may read something: everything, or some sessions. Someone
-- whose role is gone is not shown.
CREATE FUNCTION {schema}.visible() RETURNS TABLE (person bigint, name text, whole boolean, sessions text[]) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY WITH RECURSIVE mine AS (
		SELECT r.oid, r.rolname FROM pg_roles r WHERE r.rolname = session_user
		UNION SELECT r.oid, r.rolname FROM pg_auth_members m JOIN mine ON m.member = mine.oid JOIN pg_roles r ON r.oid = m.roleid),
	readable AS (SELECT {schema}.me() AS person, '' AS session
		UNION ALL SELECT g.person, g.session FROM {schema}.granted g WHERE (g.role, g.name) IN (SELECT 0::oid, 'public'::name UNION ALL SELECT mine.oid, mine.rolname FROM mine))
	SELECT p.id, p.name::text, bool_or(r.session = ''), array_agg(r.session) FROM readable r
		JOIN {schema}.person p ON p.id = r.person JOIN pg_roles o ON o.oid = p.role AND o.rolname = p.name GROUP BY p.id, p.name;
END $$;

-- Whether a log is readable.
CREATE FUNCTION {schema}.may_read(bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN RETURN EXISTS (SELECT FROM {schema}.log l JOIN {schema}.visible() v ON v.person = l.person WHERE l.id = $1 AND (v.whole OR l.session = ANY (v.sessions))); END $$;

-- copies(person, session) lists copies; '' stands for all people or sessions. A row
-- without a machine is a deleted session of one's own.
CREATE FUNCTION {schema}.copies(text, text) RETURNS TABLE (id bigint, person text, machine text, session text, gen integer, len bigint, about bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.id, v.name, l.machine, l.session, l.gen, l.len, l.about FROM {schema}.visible() v
	CROSS JOIN LATERAL (SELECT * FROM {schema}.log l WHERE l.person = v.person AND (v.whole OR l.session = ANY (v.sessions)) AND $2 IN ('', l.session) OFFSET 0) l
	WHERE $1 IN ('', v.name)
	UNION ALL SELECT 0, session_user::text, '', d.session, 0, 0, ''::bytea FROM {schema}.deleted d WHERE d.person = {schema}.me() AND $2 IN ('', d.session) AND $1 IN ('', session_user::text);
END $$;

-- append(machine, session, gen, at, data) adds bytes to a copy of one's own that is at
-- bytes long. It returns false if it has another length.
CREATE FUNCTION {schema}.append(text, text, integer, bigint, bytea) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	here bigint;
	n integer := octet_length($5);
BEGIN
	IF $1 !~ '^[A-Za-z0-9._@+][A-Za-z0-9._@+-]{0,99}$' OR $2 !~ '^[A-Za-z0-9._@+][A-Za-z0-9._@+-]{0,99}$' OR $1 ~ '^\.+$' OR $2 ~ '^\.+$' OR n = 0 OR n > 4194304 THEN
		RAISE invalid_parameter_value USING MESSAGE = 'not the name of a machine or session, or too many bytes';
	END IF;
	IF $4 = 0 THEN
		INSERT INTO {schema}.log (person, machine, session, gen) VALUES ({schema}.enter(), $1, $2, $3) ON CONFLICT DO NOTHING;
		UPDATE {schema}.log l SET current = false WHERE l.person = {schema}.me() AND l.machine = $1 AND l.session = $2 AND l.gen < $3 AND l.current;
	END IF;
	UPDATE {schema}.log l SET len = l.len + n WHERE l.person = {schema}.me() AND l.machine = $1 AND l.session = $2 AND l.gen = $3 AND l.len = $4 RETURNING l.id INTO here;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	UPDATE {schema}.chunk c SET data = c.data || $5 WHERE c.log = here AND octet_length(c.data) + n <= 65536
		AND c.off = (SELECT b.off FROM {schema}.chunk b WHERE b.log = here ORDER BY b.off DESC LIMIT 1);
	IF NOT FOUND THEN
		INSERT INTO {schema}.chunk (log, off, data) SELECT here, $4 + o, substr($5, o + 1, 262144) FROM generate_series(0, n - 1, 262144) o;
	END IF;
	RETURN true;
END $$;

-- describe(machine, session, gen, from, to, about, facts, used, offsets, sizes, words, keys,
-- times, models, tokens, costs) describes the bytes of a copy of one's own up to an offset,
-- after those up to another. The words of a line are separated by spaces and may have
-- positions, as in word:1,7; times are microseconds, or 0. It returns false if others were described before.
CREATE FUNCTION {schema}.describe(text, text, integer, bigint, bigint, bytea, bytea, timestamptz, bigint[], integer[], text[],
	bytea[], bigint[], text[], bigint[], bigint[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	here bigint;
	owner text := '#' || {schema}.me();
BEGIN
	IF EXISTS (SELECT FROM unnest($11) t(words) WHERE t.words ~ '#') THEN
		RAISE invalid_parameter_value USING MESSAGE = 'a word has no #';
	END IF;
	-- A search returns lines: together they are no more than what was pushed.
	IF EXISTS (SELECT FROM (SELECT t.off, lag(t.off + t.size) OVER (ORDER BY t.off) AS before FROM unnest($9, $10) t(off, size)) t WHERE t.off < t.before) THEN
		RAISE invalid_parameter_value USING MESSAGE = 'lines do not overlap';
	END IF;
	UPDATE {schema}.log l SET covered = $5, about = $6, facts = $7, used = least($8, now())
		WHERE l.person = {schema}.me() AND l.machine = $1 AND l.session = $2 AND l.gen = $3 AND l.covered = $4 AND $5 >= $4 AND $5 <= l.len RETURNING l.id INTO here;
	IF NOT FOUND THEN
		RETURN false;
	END IF;
	INSERT INTO {schema}.line (log, off, size, words) SELECT here, t.off, t.size, t.words::tsvector
		FROM unnest($9, $10, $11) t(off, size, words) WHERE t.off >= $4 AND t.off + t.size <= $5;
	INSERT INTO {schema}.response (log, key, at, model, tokens, cost) SELECT here, r.key, CASE WHEN r.at > 0 THEN to_timestamp(r.at / 1e6) END, r.model, least(greatest(r.tokens, 0), 10000000000), least(greatest(r.cost, 0), 10000000000)
		FROM unnest($12, $13, $14, $15, $16) r(key, at, model, tokens, cost) ON CONFLICT DO NOTHING;
	INSERT INTO {schema}.word (log, off, part, words) SELECT here, $4, w.part, array_to_tsvector(array_agg(w.word) || owner)
		FROM (SELECT u.lexeme AS word, (sum(octet_length(u.lexeme) + 16) OVER (ORDER BY u.lexeme) / 524288)::integer AS part FROM (SELECT DISTINCT u.lexeme
			FROM {schema}.line t CROSS JOIN LATERAL unnest(t.words) u WHERE t.log = here AND t.off >= $4) u) w GROUP BY w.part;
	-- Many small pushes become one.
	IF (SELECT count(*) > 64 FROM {schema}.word w WHERE w.log = here AND length(w.words) < 1024) THEN
		WITH small AS (DELETE FROM {schema}.word w WHERE w.log = here AND length(w.words) < 1024 RETURNING w.words)
			INSERT INTO {schema}.word (log, off, part, words) SELECT here, $4, -1 - w.part, array_to_tsvector(array_agg(w.word) || owner)
				FROM (SELECT u.lexeme AS word, (sum(octet_length(u.lexeme) + 16) OVER (ORDER BY u.lexeme) / 524288)::integer AS part
					FROM (SELECT DISTINCT u.lexeme FROM small CROSS JOIN LATERAL unnest(small.words) u WHERE u.lexeme <> owner) u) w GROUP BY w.part;
	END IF;
	RETURN true;
END $$;

-- The bytes of a copy between two offsets, in pieces that may be longer.
CREATE FUNCTION {schema}.read(bigint, bigint, bigint) RETURNS TABLE (off bigint, data bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
	IF {schema}.may_read($1) THEN
		RETURN QUERY SELECT c.off, c.data FROM {schema}.chunk c WHERE c.log = $1 AND c.off < $3 AND c.off >=
			coalesce((SELECT b.off FROM {schema}.chunk b WHERE b.log = $1 AND b.off <= $2 ORDER BY b.off DESC LIMIT 1), 0) ORDER BY c.off;
	END IF;
END $$;

-- purge(session) deletes all copies of a session of one's own, which no machine pushes
-- again until restore(session); purge('') deletes only old generations. It returns the
-- number of copies and their bytes.
CREATE FUNCTION {schema}.purge(text) RETURNS TABLE (copies bigint, bytes bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
	IF $1 <> '' THEN
		INSERT INTO {schema}.deleted (person, session) SELECT {schema}.me(), $1 WHERE EXISTS
			(SELECT FROM {schema}.log l WHERE l.person = {schema}.me() AND l.session = $1) ON CONFLICT DO NOTHING;
	END IF;
	RETURN QUERY WITH d AS (DELETE FROM {schema}.log l WHERE l.person = {schema}.me() AND CASE WHEN $1 = '' THEN NOT l.current ELSE l.session = $1 END RETURNING l.len)
		SELECT count(*), coalesce(sum(d.len), 0)::bigint FROM d;
END $$;

CREATE FUNCTION {schema}.restore(text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM {schema}.deleted d WHERE d.person = {schema}.me() AND d.session = $1;
	RETURN FOUND;
END $$;

-- sessions(most, used, id) returns what a list needs of the most recently used sessions,
-- after the one with that time and number.
CREATE FUNCTION {schema}.sessions(integer, timestamptz, bigint)
	RETURNS TABLE (id bigint, person text, machine text, session text, used timestamptz, len bigint, facts bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.id, v.name, l.machine, l.session, l.used, l.covered, l.facts FROM {schema}.visible() v
	CROSS JOIN LATERAL (SELECT * FROM {schema}.log l WHERE l.person = v.person AND l.current AND l.covered > 0
		AND (v.whole OR l.session = ANY (v.sessions)) AND (l.used, l.id) < ($2, $3) ORDER BY l.used DESC, l.id DESC LIMIT $1) l
	ORDER BY l.used DESC, l.id DESC LIMIT $1; END $$;

-- query(terms, prefixes) returns the text of a tsquery. A term is one or more words,
-- separated by spaces, that follow each other, except in a line with the lexeme -, which
-- has too many words for positions; the last word of each prefix is the beginning of one.
CREATE FUNCTION {schema}.query(text[], text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN (SELECT string_agg(CASE WHEN cardinality(t.words) = 1 THEN t.words[1] || t.ending
		ELSE '(' || array_to_string(t.words, ' <-> ') || t.ending || ' | ''-'' & ' || array_to_string(t.words, ' & ') || t.ending || ')' END, ' & ')
	FROM (SELECT ARRAY(SELECT '''' || replace(replace(w.word, chr(92), chr(92) || chr(92)), '''', '''''') || ''''
			FROM unnest(string_to_array(p.term, ' ')) WITH ORDINALITY w(word, nr) ORDER BY w.nr) AS words, p.ending
		FROM (SELECT unnest($1) AS term, '' AS ending UNION ALL SELECT unnest($2), ':*') p) t); END $$;

-- search(terms, prefixes, most) finds lines that have all terms: the most recently used
-- session first, and in it the last line first. Who may be read is decided first. Unless
-- these are many people, the index is asked for their words only.
CREATE FUNCTION {schema}.search(text[], text[], integer)
	RETURNS TABLE (id bigint, person text, machine text, session text, used timestamptz, len bigint, facts bytea, off bigint, line bytea) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
DECLARE
	l record;
	exact tsquery := {schema}.query($1, $2)::tsquery;
	people text := (SELECT CASE WHEN count(*) <= 64 THEN ' & (' || string_agg('''#' || v.person || '''', ' | ') || ')' ELSE '' END FROM {schema}.visible() v);
	looked tsquery[];
	rest integer := $3;
	many bigint;
BEGIN
	looked := ARRAY(SELECT ({schema}.query(ARRAY[w], NULL) || people)::tsquery FROM (SELECT unnest($1) UNION ALL SELECT substring(unnest($2) FROM '^(.*) ')) t(term)
			CROSS JOIN LATERAL unnest(string_to_array(t.term, ' ')) w
		UNION SELECT ({schema}.query(NULL, ARRAY[substring(w FROM '[^ ]*$')]) || people)::tsquery FROM unnest($2) w);
	FOR l IN SELECT l.*, v.name FROM (SELECT f.log FROM unnest(looked) WITH ORDINALITY q(query, nr)
				CROSS JOIN LATERAL (SELECT DISTINCT w.log FROM {schema}.word w WHERE w.words @@ q.query OFFSET 0) f GROUP BY f.log HAVING count(*) = cardinality(looked)) f
			CROSS JOIN LATERAL (SELECT * FROM {schema}.log l WHERE l.id = f.log AND l.current OFFSET 0) l
			JOIN {schema}.visible() v ON v.person = l.person AND (v.whole OR l.session = ANY (v.sessions)) ORDER BY l.used DESC, l.id DESC LOOP
		RETURN QUERY SELECT l.id, l.name::text, l.machine, l.session, l.used, l.covered, l.facts, t.off, b.data
			FROM (SELECT * FROM {schema}.line t WHERE t.log = l.id AND t.words @@ exact ORDER BY t.off DESC LIMIT rest) t
			CROSS JOIN LATERAL (SELECT string_agg(substr(c.data, greatest(t.off - c.off, 0)::integer + 1, (least(t.off + t.size - c.off, octet_length(c.data)) - greatest(t.off - c.off, 0))::integer),
					''::bytea ORDER BY c.off) AS data FROM {schema}.chunk c WHERE c.log = l.id AND c.off < t.off + t.size AND c.off >=
					(SELECT b.off FROM {schema}.chunk b WHERE b.log = l.id AND b.off <= t.off ORDER BY b.off DESC LIMIT 1)) b;
		GET DIAGNOSTICS many = ROW_COUNT;
		rest := rest - many;
		EXIT WHEN rest <= 0;
	END LOOP;
END $$;

-- usage(by, from, to) adds up responses by day, month (both in UTC), model, person, session
-- or project. A response that a person has in several sessions counts once.
CREATE FUNCTION {schema}.usage(text, timestamptz, timestamptz) RETURNS TABLE (key text, responses bigint, tokens bigint, cost bigint) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT k.key, count(*), sum(r.tokens)::bigint, sum(r.cost)::bigint FROM (SELECT DISTINCT ON (v.person, r.key) r.*, v.name, l.session, l.facts FROM {schema}.visible() v
		JOIN {schema}.log l ON l.person = v.person AND (v.whole OR l.session = ANY (v.sessions)) JOIN {schema}.response r ON r.log = l.id
		WHERE ($2 IS NULL OR r.at >= $2) AND ($3 IS NULL OR r.at < $3) ORDER BY v.person, r.key, l.id) r
	CROSS JOIN LATERAL (SELECT CASE $1 WHEN 'day' THEN coalesce(to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM-DD'), '') WHEN 'month' THEN coalesce(to_char(r.at AT TIME ZONE 'UTC', 'YYYY-MM'), '')
		WHEN 'model' THEN r.model WHEN 'person' THEN r.name ELSE r.name || '/' || r.session END AS key) k GROUP BY k.key; END $$;

-- What the one who asks lets others read.
CREATE FUNCTION {schema}.given() RETURNS TABLE (session text, grantee text) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT g.session, g.name::text FROM {schema}.granted g LEFT JOIN pg_roles r ON r.oid = g.role AND r.rolname = g.name
	WHERE g.person = {schema}.me() AND (g.role = 0 OR r.oid IS NOT NULL) ORDER BY 1, 2; END $$;

CREATE FUNCTION {schema}.give(text, name) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE whom oid := CASE WHEN $2 = 'public' THEN 0 ELSE (SELECT r.oid FROM pg_roles r WHERE r.rolname = $2) END;
BEGIN
	IF whom IS NULL OR octet_length($1) > 100 THEN
		RETURN false;
	END IF;
	INSERT INTO {schema}.granted (person, session, role, name) VALUES ({schema}.enter(), $1, whom, $2) ON CONFLICT DO NOTHING;
	RETURN true;
END $$;

CREATE FUNCTION {schema}.take(text, name) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM {schema}.granted g WHERE g.person = {schema}.me() AND g.session = $1 AND g.name = $2;
	RETURN FOUND;
END $$;

-- The policies, for roles that are given rights to the tables by hand.
DO $$ DECLARE t text; BEGIN
	FOREACH t IN ARRAY ARRAY['person', 'granted', 'deleted', 'log', 'chunk', 'line', 'word', 'response'] LOOP
		EXECUTE format('ALTER TABLE {schema}.%I ENABLE ROW LEVEL SECURITY', t);
		CASE
		WHEN t = 'person' THEN
			EXECUTE 'CREATE POLICY own ON {schema}.person FOR SELECT USING (id = {schema}.me())';
		WHEN t IN ('granted', 'deleted', 'log') THEN
			EXECUTE format('CREATE POLICY own ON {schema}.%I USING (person = {schema}.me())', t);
		ELSE
			EXECUTE format('CREATE POLICY own ON {schema}.%I USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = log AND l.person = {schema}.me()))', t);
			EXECUTE format('CREATE POLICY readable ON {schema}.%I FOR SELECT USING ({schema}.may_read(log))', t);
		END CASE;
	END LOOP;
	CREATE POLICY readable ON {schema}.log FOR SELECT USING ({schema}.may_read(id));
END $$;

-- Every function runs as its owner, with a search path into which nobody else can put
-- something, and is for members only. Without statistics the planner takes every query
-- for long and would compile it, or read small tables as a whole.
DO $$ DECLARE f record; BEGIN
	FOR f IN SELECT p.oid::regprocedure AS called FROM pg_proc p WHERE p.pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = '{schema}.log'::regclass) LOOP
		EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off SET enable_seqscan = off SET enable_mergejoin = off SET work_mem = ''64MB''', f.called);
		EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.called);
	END LOOP;
END $$;

-- The facts of a copy, so that readers can list, count and search sessions without their
-- bytes. The machine that pushes a copy writes them. They cover a prefix of its log; what
-- they do not cover is read from the log.
--
-- As in the step before, members use functions that decide by session_user. Names without
-- a schema are those of PostgreSQL.

-- covered is the length of the prefix, and data the facts that a list needs, which package
-- replica encodes. It is empty if they are unknown.
CREATE TABLE {schema}.fact (
	log     bigint PRIMARY KEY REFERENCES {schema}.log (id) ON DELETE CASCADE,
	covered bigint NOT NULL CHECK (covered >= 0),
	data    bytea NOT NULL CHECK (octet_length(data) <= 65536)
);

-- The cost of the models, one piece for each push, encoded by package cost.
CREATE TABLE {schema}.spent (
	log  bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	off  bigint NOT NULL,
	data bytea NOT NULL CHECK (octet_length(data) <= 16777216),
	PRIMARY KEY (log, off)
);

-- The words of each line. Each lexeme starts with the scope of its owner: an index of the
-- plain words would read rows of others before a policy decides about them, and
-- pg_stat_xact_user_tables shows everybody how many rows were read.
CREATE TABLE {schema}.turn (
	log   bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	off   bigint NOT NULL,
	size  integer NOT NULL CHECK (size > 0),
	words tsvector NOT NULL,
	PRIMARY KEY (log, off)
);
CREATE INDEX turn_words ON {schema}.turn USING gin (words);

-- Without statistics, plans reveal nothing about the rows of others.
ALTER TABLE {schema}.fact ALTER COLUMN log SET STATISTICS 0, ALTER COLUMN covered SET STATISTICS 0, ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE {schema}.spent ALTER COLUMN log SET STATISTICS 0, ALTER COLUMN off SET STATISTICS 0, ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE {schema}.turn ALTER COLUMN log SET STATISTICS 0, ALTER COLUMN off SET STATISTICS 0, ALTER COLUMN size SET STATISTICS 0,
	ALTER COLUMN words SET STATISTICS 0;

-- The start of a person's lexemes. Two people may have the same scope, so every reader
-- checks the owner too.
CREATE FUNCTION {schema}.scope(name) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN encode(substr(sha256(convert_to($1::text, 'UTF8')), 1, 3), 'base64'); END $$;

-- The query for words, and for prefixes of words, in the scope of an owner.
CREATE FUNCTION {schema}.query(name, text[], text[]) RETURNS tsquery LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN (SELECT string_agg('''' || replace(replace({schema}.scope($1) || w.word, chr(92), chr(92) || chr(92)), '''', '''''') || '''' || w.ending, ' & ')
	FROM (SELECT unnest($2) AS word, '' AS ending UNION ALL SELECT unnest($3), ':*') w)::tsquery; END $$;

-- How much of a log of one's own its facts cover; no row means nothing.
CREATE FUNCTION {schema}.facts_covered(bytea) RETURNS TABLE (covered bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT f.covered FROM {schema}.log l JOIN {schema}.fact f ON f.log = l.id WHERE l.key = sha256($1) AND l.owner = session_user; END $$;

-- The names of one's own logs whose facts are missing or behind.
CREATE FUNCTION {schema}.facts_missing() RETURNS TABLE (name bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.name FROM {schema}.log l LEFT JOIN {schema}.fact f ON f.log = l.id
	WHERE l.owner = session_user AND l.key IS NOT NULL AND f.covered IS DISTINCT FROM l.len; END $$;

-- add_facts(name, from, to, facts, spent, offsets, sizes, words) adds the facts of the bytes
-- between two offsets. It changes nothing unless the facts cover exactly those before.
-- The words of a line are separated by spaces.
CREATE FUNCTION {schema}.add_facts(bytea, bigint, bigint, bytea, bytea, bigint[], integer[], text[]) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
	here bigint;
	mine text := {schema}.scope(session_user);
BEGIN
	SELECT l.id INTO here FROM {schema}.log l WHERE l.key = sha256($1) AND l.owner = session_user AND $2 >= 0 AND $2 <= $3 AND $3 <= l.len;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	IF $2 = 0 THEN
		INSERT INTO {schema}.fact (log, covered, data) VALUES (here, 0, '') ON CONFLICT (log) DO NOTHING;
	END IF;
	UPDATE {schema}.fact SET covered = $3, data = $4 WHERE log = here AND covered = $2;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	INSERT INTO {schema}.spent (log, off, data) SELECT here, $2, $5 WHERE octet_length($5) > 0;
	INSERT INTO {schema}.turn (log, off, size, words)
		SELECT here, t.off, t.size, array_to_tsvector(ARRAY(SELECT mine || w.word FROM unnest(string_to_array(t.words, ' ')) w(word) WHERE w.word <> ''))
		FROM unnest($6, $7, $8) t(off, size, words) WHERE t.off >= $2 AND t.off + t.size <= $3;
	RETURN NEXT $3;
END $$;

-- All logs that the caller may read, with their facts; covered is null for a log without.
CREATE FUNCTION {schema}.facts() RETURNS TABLE (id bigint, name bytea, len bigint, covered bigint, data bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE o record; BEGIN
	FOR o IN SELECT r.owner, bool_or(r.session = '') AS whole, array_agg(r.session) AS sessions
		FROM (SELECT session_user AS owner, '' AS session UNION ALL SELECT owner, session FROM {schema}.readable()) r GROUP BY r.owner LOOP
		IF o.whole THEN
			RETURN QUERY SELECT l.id, l.name, l.len, f.covered, f.data FROM {schema}.log l LEFT JOIN {schema}.fact f ON f.log = l.id
				WHERE l.owner = o.owner AND l.key IS NOT NULL;
		ELSE
			RETURN QUERY SELECT l.id, l.name, l.len, f.covered, f.data FROM {schema}.log l LEFT JOIN {schema}.fact f ON f.log = l.id
				WHERE l.owner = o.owner AND l.session = ANY (o.sessions) AND l.key IS NOT NULL;
		END IF;
	END LOOP;
END $$;

-- Those of the given logs that the caller may read, with their places among them.
CREATE FUNCTION {schema}.allowed(bigint[]) RETURNS TABLE (id bigint, owner name, whole boolean, nr bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY WITH r AS MATERIALIZED (SELECT a.owner, bool_or(a.session = '') AS whole, array_agg(a.session) AS sessions
		FROM (SELECT session_user AS owner, '' AS session UNION ALL SELECT owner, session FROM {schema}.readable()) a GROUP BY a.owner)
	SELECT l.id, l.owner, r.whole, i.nr FROM unnest($1) WITH ORDINALITY i(id, nr) JOIN {schema}.log l ON l.id = i.id
		JOIN r ON r.owner = l.owner AND (r.whole OR l.session = ANY (r.sessions)) WHERE l.key IS NOT NULL; END $$;

CREATE FUNCTION {schema}.costs(bigint[]) RETURNS TABLE (log bigint, off bigint, data bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT s.log, s.off, s.data FROM {schema}.allowed($1) a JOIN {schema}.spent s ON s.log = a.id ORDER BY s.log, s.off; END $$;

-- walk(logs, words, beginnings, most) finds lines with all words in the given logs, the
-- last line of the first log first, by reading the words of their lines. It is for few
-- logs; coalesce keeps the index of all words out of it.
CREATE FUNCTION {schema}.walk(bigint[], text[], text[], bigint) RETURNS TABLE (log bigint, off bigint, size integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	a record;
	many bigint;
	rest bigint := $4;
BEGIN
	FOR a IN SELECT c.id, {schema}.query(c.owner, $2, $3) AS query FROM {schema}.allowed($1) c ORDER BY c.nr LOOP
		EXIT WHEN rest <= 0;
		RETURN QUERY SELECT t.log, t.off, t.size FROM {schema}.turn t WHERE t.log = a.id AND coalesce(t.words @@ a.query, false) ORDER BY t.off DESC LIMIT rest;
		GET DIAGNOSTICS many = ROW_COUNT;
		rest := rest - many;
	END LOOP;
END $$;

-- seek does the same for many logs. Owners who let the caller read everything are asked
-- by the index, each in their scope, so that no row of another is read. Of those who let
-- single sessions be read, these are walked through.
CREATE FUNCTION {schema}.seek(bigint[], text[], text[], bigint) RETURNS TABLE (log bigint, off bigint, size integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY
	WITH a AS MATERIALIZED (SELECT * FROM {schema}.allowed($1)),
		o AS MATERIALIZED (SELECT a.owner, {schema}.query(a.owner, $2, $3) AS query FROM a WHERE a.whole GROUP BY a.owner),
		found AS MATERIALIZED (
			SELECT t.log, t.off, t.size FROM o CROSS JOIN LATERAL (SELECT t.log, t.off, t.size FROM {schema}.turn t WHERE t.words @@ o.query OFFSET 0) t
			UNION ALL SELECT w.log, w.off, w.size FROM {schema}.walk(ARRAY(SELECT a.id FROM a WHERE NOT a.whole ORDER BY a.nr), $2, $3, $4) w)
	SELECT f.log, f.off, f.size FROM found f JOIN a ON a.id = f.log ORDER BY a.nr, f.off DESC LIMIT $4; END $$;

-- The bytes of lines in logs.
CREATE FUNCTION {schema}.lines(bigint[], bigint[], integer[]) RETURNS TABLE (nr bigint, data bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY
	WITH a AS MATERIALIZED (SELECT * FROM {schema}.allowed(ARRAY(SELECT DISTINCT unnest($1))))
	SELECT w.nr, (SELECT string_agg(substr(c.data, greatest(w.off - c.off, 0)::integer + 1, (least(w.off + w.size - c.off, octet_length(c.data)) - greatest(w.off - c.off, 0))::integer), ''::bytea ORDER BY c.off)
		FROM {schema}.chunk c WHERE c.log = w.log AND c.off < w.off + w.size AND c.off + octet_length(c.data) > w.off AND c.off >=
			coalesce((SELECT b.off FROM {schema}.chunk b WHERE b.log = w.log AND b.off <= w.off ORDER BY b.off DESC LIMIT 1), 0))
	FROM unnest($1, $2, $3) WITH ORDINALITY w(log, off, size, nr) JOIN a ON a.id = w.log WHERE w.size BETWEEN 1 AND 16777216; END $$;

-- The policies, for roles that are given rights to the tables by hand.
ALTER TABLE {schema}.fact ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.spent ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.turn ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON {schema}.fact USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = fact.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.fact FOR SELECT USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = fact.log));
CREATE POLICY own ON {schema}.spent USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = spent.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.spent FOR SELECT USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = spent.log));
CREATE POLICY own ON {schema}.turn USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = turn.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.turn FOR SELECT USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = turn.log));

-- The new functions run as the others do, and are for the same members.
DO $$ DECLARE
	space oid := (SELECT relnamespace FROM pg_class WHERE oid = '{schema}.log'::regclass);
	f record;
	m record;
BEGIN
	FOR f IN SELECT p.oid::regprocedure AS called FROM pg_proc p WHERE p.pronamespace = space
		AND p.proname IN ('scope', 'query', 'facts_covered', 'facts_missing', 'add_facts', 'facts', 'allowed', 'costs', 'walk', 'seek', 'lines') LOOP
		EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp', f.called);
		EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.called);
		FOR m IN SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS who
			FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a WHERE p.pronamespace = space AND p.proname = 'find' AND a.grantee <> p.proowner LOOP
			EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', f.called, m.who);
		END LOOP;
	END LOOP;
END $$;

-- Without statistics the planner takes a search for long and would compile it, which takes
-- longer than the search.
ALTER FUNCTION {schema}.seek(bigint[], text[], text[], bigint) SET jit = off;

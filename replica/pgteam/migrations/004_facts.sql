-- The facts of a copy, so that readers can list, count and search sessions without their
-- bytes. The machine that pushes a copy writes them. They cover a prefix of its log; what
-- they do not cover is read from the log.
--
-- As in the step before, members use functions that decide by session_user. Names without
-- a schema are those of PostgreSQL.

-- covered is the length of the prefix. used sorts a list; it is 0 for a session that a list
-- leaves out, and null if the facts do not suffice for lists and searches. Both are in the
-- row of the log, because a list looks at those of all logs.
ALTER TABLE {schema}.log ADD COLUMN covered bigint CHECK (covered >= 0), ADD COLUMN used bigint;
ALTER TABLE {schema}.log ALTER COLUMN covered SET STATISTICS 0, ALTER COLUMN used SET STATISTICS 0;

-- data are the facts that a list needs, which package replica encodes. It is empty if they
-- are unknown. sums are what the models cost, as package cost adds them up. The table part
-- has the words of lines before the offset merged, which is null if there are too many.
CREATE TABLE {schema}.fact (
	log    bigint PRIMARY KEY REFERENCES {schema}.log (id) ON DELETE CASCADE,
	data   bytea NOT NULL CHECK (octet_length(data) <= 65536),
	sums   bytea NOT NULL CHECK (octet_length(sums) <= 65536),
	merged bigint
);

-- The words of the lines of a log, divided into 64 parts by the function part_of, so that
-- the words of a query can be looked up without reading all others.
CREATE TABLE {schema}.part (
	log   bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	nr    integer NOT NULL,
	words tsvector NOT NULL,
	PRIMARY KEY (log, nr)
);

-- The cost of the models, one piece for each push, encoded by package cost.
CREATE TABLE {schema}.spent (
	log  bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	off  bigint NOT NULL,
	data bytea NOT NULL CHECK (octet_length(data) <= 16777216),
	PRIMARY KEY (log, off)
);

-- The words of each line with their positions, and # with the log and the number of the
-- block of 1 MB in which the line begins. Each lexeme starts with the scope of its owner: an
-- index of the plain words would read rows of others before a policy decides about them, and
-- pg_stat_xact_user_tables shows everybody how many rows were read.
CREATE TABLE {schema}.line (
	log   bigint NOT NULL REFERENCES {schema}.log (id) ON DELETE CASCADE,
	off   bigint NOT NULL,
	size  integer NOT NULL CHECK (size > 0),
	words tsvector NOT NULL,
	PRIMARY KEY (log, off)
);

-- A push updates the index at once. Otherwise each search would compare each of its words
-- with all rows that wait to be indexed.
CREATE INDEX line_words ON {schema}.line USING gin (words) WITH (fastupdate = off);

-- Without statistics, plans reveal nothing about the rows of others.
ALTER TABLE {schema}.fact ALTER COLUMN log SET STATISTICS 0, ALTER COLUMN data SET STATISTICS 0, ALTER COLUMN sums SET STATISTICS 0,
	ALTER COLUMN merged SET STATISTICS 0;
ALTER TABLE {schema}.part ALTER COLUMN log SET STATISTICS 0, ALTER COLUMN nr SET STATISTICS 0, ALTER COLUMN words SET STATISTICS 0;
ALTER TABLE {schema}.spent ALTER COLUMN log SET STATISTICS 0, ALTER COLUMN off SET STATISTICS 0, ALTER COLUMN data SET STATISTICS 0;
ALTER TABLE {schema}.line ALTER COLUMN log SET STATISTICS 0, ALTER COLUMN off SET STATISTICS 0, ALTER COLUMN size SET STATISTICS 0,
	ALTER COLUMN words SET STATISTICS 0;

-- The start of a person's lexemes. Two people may have the same scope, so every reader
-- checks the owner too.
CREATE FUNCTION {schema}.scope(name) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN encode(substr(sha256(convert_to($1::text, 'UTF8')), 1, 3), 'base64'); END $$;

-- The part of the words of a log in which a word is.
CREATE FUNCTION {schema}.part_of(text) RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN get_byte(sha256(convert_to($1, 'UTF8')), 0) & 63; END $$;

-- query(terms, prefixes, near) returns the text of a tsquery. A term is one or more words,
-- separated by spaces; the last word of each of prefixes is the beginning of a word. chr(1)
-- stands for a scope. If near is true, the words of a term must follow each other, except in
-- a line with the lexeme -, which has too many words for positions.
CREATE FUNCTION {schema}.query(text[], text[], boolean) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN RETURN (SELECT string_agg(CASE WHEN $3 AND cardinality(t.words) > 1
		THEN '(' || array_to_string(t.words, ' <-> ') || t.ending || ' | ''' || chr(1) || '-'' & ' || array_to_string(t.words, ' & ') || t.ending || ')'
		ELSE array_to_string(t.words, ' & ') || t.ending END, ' & ')
	FROM (SELECT ARRAY(SELECT '''' || chr(1) || replace(replace(w.word, chr(92), chr(92) || chr(92)), '''', '''''') || ''''
			FROM unnest(string_to_array(p.term, ' ')) WITH ORDINALITY w(word, nr) ORDER BY w.nr) AS words, p.ending
		FROM (SELECT unnest($1) AS term, '' AS ending UNION ALL SELECT unnest($2), ':*') p) t); END $$;

-- How much of a log of one's own its facts cover; no row means nothing.
CREATE FUNCTION {schema}.facts_covered(bytea) RETURNS TABLE (covered bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.covered FROM {schema}.log l WHERE l.key = sha256($1) AND l.owner = session_user AND l.covered IS NOT NULL; END $$;

-- prepare(names, from, behind) returns what a push needs to know of one's own logs: those with
-- the given names, with their bytes if they are short, and those with names in a range.
CREATE FUNCTION {schema}.prepare(bytea[], bytea, bytea)
	RETURNS TABLE (name bytea, id bigint, gen bigint, len bigint, merged bigint, covered bigint, start bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.name, l.id, l.gen, l.len, l.merged, l.covered, CASE WHEN l.len <= 65536 THEN
			(SELECT string_agg(c.data, ''::bytea ORDER BY c.off) FROM {schema}.chunk c WHERE c.log = l.id) END
		FROM unnest($1) n(name) CROSS JOIN LATERAL (SELECT * FROM {schema}.log l WHERE l.key = sha256(n.name) AND l.owner = session_user OFFSET 0) l
	UNION ALL (SELECT l.name, l.id, l.gen, l.len, l.merged, l.covered, NULL FROM {schema}.log l WHERE l.owner = session_user AND l.key IS NOT NULL
		AND l.head >= substr($2, 1, 512) AND l.head <= substr($3, 1, 512) AND l.name >= $2 AND l.name < $3 ORDER BY l.head, l.name); END $$;

-- The names of one's own logs whose facts are missing or behind.
CREATE FUNCTION {schema}.facts_missing() RETURNS TABLE (name bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT l.name FROM {schema}.log l WHERE l.owner = session_user AND l.key IS NOT NULL AND l.covered IS DISTINCT FROM l.len; END $$;

-- add_facts(name, from, to, facts, spent, offsets, sizes, words, used, sums) adds the facts of the bytes
-- between two offsets. It changes nothing unless the facts cover exactly those before.
-- The words of a line are separated by spaces and may have positions, as in word:1,7.
CREATE FUNCTION {schema}.add_facts(bytea, bigint, bigint, bytea, bytea, bigint[], integer[], text[], bigint, bytea) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
DECLARE
	here bigint;
	mine text := {schema}.scope(session_user);
	done bigint; -- lines before this offset are in the words of the log
BEGIN
	-- Each word gets the scope, so only a space may separate two. None is that of a block.
	IF EXISTS (SELECT FROM unnest($8) t(words) WHERE replace(t.words, ' ', '-') ~ '\s|#') THEN
		RAISE invalid_parameter_value USING MESSAGE = 'only spaces separate words, which have no #';
	END IF;
	UPDATE {schema}.log l SET covered = $3, used = CASE WHEN octet_length($4) > 1 AND get_byte($4, 1) & 1 = 1 THEN $9 END
		WHERE l.key = sha256($1) AND l.owner = session_user AND $2 >= 0 AND $2 <= $3 AND $3 <= l.len AND coalesce(l.covered, 0) = $2 RETURNING l.id INTO here;
	IF NOT FOUND THEN
		RETURN;
	END IF;
	INSERT INTO {schema}.fact AS f (log, data, sums, merged) VALUES (here, $4, $10, 0)
		ON CONFLICT (log) DO UPDATE SET data = excluded.data, sums = excluded.sums RETURNING f.merged INTO done;
	INSERT INTO {schema}.spent (log, off, data) SELECT here, $2, $5 WHERE octet_length($5) > 0;
	INSERT INTO {schema}.line (log, off, size, words)
		SELECT here, t.off, t.size, (mine || '#' || here || '.' || (t.off >> 20) || ' ' || mine || replace(t.words, ' ', ' ' || mine))::tsvector
		FROM unnest($6, $7, $8) t(off, size, words) WHERE t.off >= $2 AND t.off + t.size <= $3;
	-- Few lines are not added to the words of the log.
	IF (SELECT count(*) < 64 FROM (SELECT FROM {schema}.line t WHERE t.log = here AND t.off >= done LIMIT 64) t) THEN
		RETURN NEXT $3;
		RETURN;
	END IF;
	BEGIN
		INSERT INTO {schema}.part AS p (log, nr, words)
			SELECT here, {schema}.part_of(w.word), array_to_tsvector(array_agg(w.word)) FROM (SELECT DISTINCT substr(u.lexeme, 5) AS word
				FROM {schema}.line t CROSS JOIN LATERAL unnest(t.words) u WHERE t.log = here AND t.off >= done) w WHERE w.word !~ '^(#|$)' GROUP BY 2
			ON CONFLICT (log, nr) DO UPDATE SET words = p.words || excluded.words;
		UPDATE {schema}.fact f SET merged = $3 WHERE f.log = here;
	EXCEPTION WHEN program_limit_exceeded THEN
		UPDATE {schema}.fact SET merged = NULL WHERE log = here;
	END;
	RETURN NEXT $3;
END $$;

-- The owners of whom the caller may read something: everything, or some sessions.
CREATE FUNCTION {schema}.owners() RETURNS TABLE (owner name, whole boolean, sessions text[]) LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT r.owner, bool_or(r.session = ''), array_agg(r.session)
	FROM (SELECT session_user AS owner, '' AS session UNION ALL SELECT owner, session FROM {schema}.readable()) r GROUP BY r.owner; END $$;

-- All logs that the caller may read, with their facts; covered is null for a log without.
-- OFFSET 0 keeps the planner from joining with all rows of a table.
CREATE FUNCTION {schema}.facts() RETURNS TABLE (id bigint, name bytea, len bigint, covered bigint, data bytea, sums bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY WITH o AS MATERIALIZED (SELECT * FROM {schema}.owners())
	SELECT l.*, f.data, f.sums FROM (SELECT l.id, l.name, l.len, l.covered FROM {schema}.log l
			WHERE l.owner = ANY (ARRAY(SELECT o.owner FROM o WHERE o.whole)) AND l.key IS NOT NULL
			UNION ALL SELECT l.* FROM o CROSS JOIN unnest(o.sessions) s CROSS JOIN LATERAL (SELECT l.id, l.name, l.len, l.covered FROM {schema}.log l
				WHERE l.owner = o.owner AND l.session = s AND l.key IS NOT NULL OFFSET 0) l WHERE NOT o.whole) l
		LEFT JOIN LATERAL (SELECT f.data, f.sums FROM {schema}.fact f WHERE f.log = l.id OFFSET 0) f ON true; END $$;

-- newest(most, sessions) returns what a list of the most recently used sessions needs: the
-- logs of that many sessions with their facts, and always those of the given sessions and
-- of sessions with several logs or incomplete facts. The last row has no id; its name are
-- the IDs of the other sessions, and its len is the number of those that a list counts. For
-- a search, which needs none of the newest, it has the logs of these and when each was used.
CREATE FUNCTION {schema}.newest(bigint, text[])
	RETURNS TABLE (id bigint, name bytea, len bigint, covered bigint, data bytea, used bigint, logs bigint[], uses bigint[]) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY WITH o AS MATERIALIZED (SELECT * FROM {schema}.owners()),
		s AS MATERIALIZED (SELECT l.owner, l.session, min(l.id) AS id, min(l.used) AS used,
				count(*) > 1 OR bool_or(l.used IS NULL OR l.covered IS DISTINCT FROM l.len) OR l.session = ANY ($2) AS always FROM {schema}.log l
				WHERE l.owner = ANY (ARRAY(SELECT o.owner FROM o WHERE o.whole)) AND l.key IS NOT NULL AND left(l.session, 8) <> '-journal' GROUP BY l.owner, l.session
			UNION ALL SELECT o.owner, s, min(l.id), min(l.used), count(*) > 1 OR bool_or(l.used IS NULL OR l.covered IS DISTINCT FROM l.len) OR s = ANY ($2)
				FROM o CROSS JOIN unnest(o.sessions) s CROSS JOIN LATERAL (SELECT l.id, l.used, l.covered, l.len FROM {schema}.log l
					WHERE l.owner = o.owner AND l.session = s AND l.key IS NOT NULL OFFSET 0) l WHERE NOT o.whole AND left(s, 8) <> '-journal' GROUP BY o.owner, s),
		top AS MATERIALIZED (SELECT s.id FROM s WHERE NOT s.always AND s.used <> 0 ORDER BY s.used DESC, s.session LIMIT $1)
	SELECT l.id, l.name, l.len, l.covered, f.data, CASE WHEN s.always THEN 0 ELSE s.used END, NULL::bigint[], NULL::bigint[] FROM s
		CROSS JOIN LATERAL (SELECT l.* FROM {schema}.log l WHERE l.owner = s.owner AND l.session = s.session AND l.key IS NOT NULL OFFSET 0) l
		LEFT JOIN LATERAL (SELECT f.data FROM {schema}.fact f WHERE f.log = l.id OFFSET 0) f ON true
		WHERE s.always OR s.id IN (SELECT t.id FROM top t)
	UNION ALL SELECT NULL, convert_to(coalesce(string_agg(s.session, ' '), ''), 'UTF8'), count(nullif(s.used, 0)), NULL, NULL, NULL,
			array_agg(s.id) FILTER (WHERE $1 = 0 AND s.used <> 0), array_agg(s.used) FILTER (WHERE $1 = 0 AND s.used <> 0)
		FROM s WHERE NOT s.always AND s.id NOT IN (SELECT t.id FROM top t); END $$;

-- Those of the given logs that the caller may read, with their places among them.
CREATE FUNCTION {schema}.allowed(bigint[]) RETURNS TABLE (id bigint, owner name, covered bigint, nr bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY WITH o AS MATERIALIZED (SELECT * FROM {schema}.owners())
	SELECT l.id, l.owner, l.covered, i.nr FROM unnest($1) WITH ORDINALITY i(id, nr)
		CROSS JOIN LATERAL (SELECT l.id, l.owner, l.covered, l.session FROM {schema}.log l WHERE l.id = i.id AND l.key IS NOT NULL OFFSET 0) l
		JOIN o ON o.owner = l.owner AND (o.whole OR l.session = ANY (o.sessions)); END $$;

CREATE FUNCTION {schema}.costs(bigint[]) RETURNS TABLE (log bigint, off bigint, data bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY SELECT s.log, s.off, s.data FROM {schema}.allowed($1) a
	CROSS JOIN LATERAL (SELECT s.log, s.off, s.data FROM {schema}.spent s WHERE s.log = a.id OFFSET 0) s ORDER BY s.log, s.off; END $$;

-- walk(logs, terms, prefixes, most) finds lines with all terms in the given logs, the last
-- line of the first log first, by reading the words of the lines of logs that have all
-- words somewhere, and of the last lines of others. It is for few logs; coalesce keeps the
-- index of all words out of it.
CREATE FUNCTION {schema}.walk(bigint[], text[], text[], bigint) RETURNS TABLE (log bigint, off bigint, size integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	a record;
	asked tsquery; -- in the scope of a's owner
	pattern text := {schema}.query($2, $3, true);
	whole text[] := ARRAY(SELECT DISTINCT w FROM (SELECT unnest($2) UNION ALL SELECT substring(unnest($3) FROM '^(.*) ')) t(term) CROSS JOIN unnest(string_to_array(t.term, ' ')) w);
	many bigint;
	rest bigint := $4;
BEGIN
	FOR a IN WITH w AS MATERIALIZED (SELECT {schema}.part_of(w) AS nr, replace({schema}.query(ARRAY[w], NULL, false), chr(1), '')::tsquery AS query FROM unnest(whole) w),
			p AS MATERIALIZED (SELECT replace({schema}.query(NULL, ARRAY[substring(w FROM '[^ ]*$')], false), chr(1), '')::tsquery AS query FROM unnest($3) w)
		SELECT s.* FROM (SELECT c.id, {schema}.scope(c.owner) AS scope, c.nr, c.covered, CASE WHEN f.merged IS NULL
				OR NOT EXISTS (SELECT FROM w WHERE NOT EXISTS (SELECT FROM {schema}.part t WHERE t.log = c.id AND t.nr = w.nr AND t.words @@ w.query))
				AND NOT EXISTS (SELECT FROM p WHERE NOT EXISTS (SELECT FROM {schema}.part t WHERE t.log = c.id AND t.words @@ p.query))
				THEN 0 ELSE f.merged END AS start
			FROM {schema}.allowed($1) c CROSS JOIN LATERAL (SELECT f.merged FROM {schema}.fact f WHERE f.log = c.id OFFSET 0) f OFFSET 0) s
		WHERE s.start < s.covered ORDER BY s.nr LOOP
		asked := replace(pattern, chr(1), a.scope)::tsquery;
		RETURN QUERY SELECT t.log, t.off, t.size FROM {schema}.line t WHERE t.log = a.id AND t.off >= a.start
			AND coalesce(t.words @@ asked, false) ORDER BY t.off DESC LIMIT rest;
		GET DIAGNOSTICS many = ROW_COUNT;
		rest := rest - many;
		EXIT WHEN rest <= 0;
	END LOOP;
END $$;

-- hits(logs, people, terms, prefixes, most, blocks) does the same for many logs, except those
-- of the given people. For owners who let the caller read everything, it uses the index, with
-- words in their scopes, so that no row of another is read. It starts with the given number of
-- blocks, the last block of the first log first, since frequent words have enough matches
-- there. Then it searches as many more as the missing lines are likely to need, or everything
-- that remains if that costs less. A block takes 70 µs, a line with all words 15, an owner 8,
-- and a walk through a session that has the words 500. With blocks = 0, all is searched at
-- once. Sessions that were shared one by one are walked through if they may have some of the
-- first lines.
CREATE FUNCTION {schema}.hits(bigint[], text[], text[], text[], bigint, bigint) RETURNS TABLE (log bigint, off bigint, size integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	pattern text := {schema}.query($3, $4, false);
	nearby text := {schema}.query($3, $4, true);
	people name[];
	scopes text[];
	lone bigint[]; -- single sessions
	queries tsquery[];
	start bigint := 1; -- the first log that is not done
	below bigint := 1::bigint << 43; -- its lines from this offset on are done
	batch bigint[]; -- the logs that are searched next
	b record;
	f record;
	many bigint := $6; -- how many blocks are searched next, 0 for all
	done bigint := 0; -- blocks
	looked bigint := 0; -- lines in them that have all words
	rest bigint := $5;
BEGIN
	WITH o AS MATERIALIZED (SELECT o.* FROM {schema}.owners() o WHERE o.owner::text <> ALL ($2))
		SELECT ARRAY(SELECT o.owner FROM o WHERE o.whole), ARRAY(SELECT encode(substr(sha256(convert_to(o.owner::text, 'UTF8')), 1, 3), 'base64') FROM o WHERE o.whole),
			ARRAY(SELECT l.id FROM o CROSS JOIN unnest(o.sessions) s
				CROSS JOIN LATERAL (SELECT l.id FROM {schema}.log l WHERE l.owner = o.owner AND l.session = s AND l.key IS NOT NULL OFFSET 0) l WHERE NOT o.whole)
		INTO people, scopes, lone;
	WHILE rest > 0 AND start <= cardinality($1) LOOP
		IF many = 0 THEN
			batch := $1[start:];
			queries := ARRAY(SELECT replace(pattern, chr(1), s)::tsquery FROM unnest(scopes) s);
		ELSE
			batch := $1[start:start + many - 1];
			WITH i AS MATERIALIZED (SELECT i.nr, i.id, l.owner, l.covered FROM unnest(batch) WITH ORDINALITY i(id, nr)
					CROSS JOIN LATERAL (SELECT l.owner, l.covered FROM {schema}.log l WHERE l.id = i.id AND l.key IS NOT NULL OFFSET 0) l)
				SELECT array_agg(replace(pattern, chr(1), b.scope) || ' & ' || b.scope || '#' || b.id || '.' || b.block) FILTER (WHERE b.scope IS NOT NULL) AS queries,
					count(*) AS many, max(b.nr) AS last, (array_agg(b.block ORDER BY b.nr DESC, b.block))[1] AS block INTO b
				FROM (SELECT i.nr, i.id, p.scope, s.block FROM i LEFT JOIN unnest(people, scopes) p(owner, scope) ON p.owner = i.owner
					CROSS JOIN LATERAL generate_series(CASE WHEN p.scope IS NULL THEN 0 WHEN i.nr = 1 THEN least(i.covered, below - 1) >> 20 ELSE i.covered >> 20 END, 0, -1) s(block)
					WHERE p.scope IS NOT NULL OR i.id = ANY (lone) ORDER BY i.nr, s.block DESC LIMIT many) b;
			queries := coalesce(b.queries::tsquery[], '{}');
			batch := batch[:CASE WHEN b.many < many THEN many ELSE b.last END];
		END IF;
		FOR f IN WITH i AS MATERIALIZED (SELECT * FROM unnest(batch) WITH ORDINALITY i(id, nr)),
				found AS MATERIALIZED (SELECT t.log, t.off, t.size, CASE WHEN pattern <> nearby THEN t.words END AS words FROM {schema}.line t WHERE t.words @@ ANY (queries)),
				near AS MATERIALIZED (SELECT l.id, l.owner FROM (SELECT DISTINCT f.log FROM found f WHERE pattern <> nearby) f
					CROSS JOIN LATERAL (SELECT l.id, l.owner FROM {schema}.log l WHERE l.id = f.log OFFSET 0) l),
				asked AS MATERIALIZED (SELECT p.owner, replace(nearby, chr(1), p.scope)::tsquery AS query FROM unnest(people, scopes) p(owner, scope)
					WHERE p.owner IN (SELECT n.owner FROM near n)),
				first AS MATERIALIZED (SELECT f.log, f.off, f.size, i.nr FROM (SELECT f.log, f.off, f.size FROM found f WHERE pattern = nearby
						UNION ALL SELECT f.log, f.off, f.size FROM found f JOIN near n ON n.id = f.log JOIN asked a ON a.owner = n.owner WHERE f.words @@ a.query) f
					JOIN i ON i.id = f.log WHERE i.nr > 1 OR f.off < below ORDER BY i.nr, f.off DESC LIMIT rest),
				whole AS MATERIALIZED (SELECT l.id FROM (SELECT DISTINCT f.log FROM first f) f
					CROSS JOIN LATERAL (SELECT l.id, l.owner FROM {schema}.log l WHERE l.id = f.log AND l.key IS NOT NULL OFFSET 0) l WHERE l.owner = ANY (people)),
				single AS MATERIALIZED (SELECT w.log, w.off, w.size FROM {schema}.walk(ARRAY(SELECT i.id FROM unnest(lone) n(id) JOIN i ON i.id = n.id
					WHERE i.nr <= (SELECT CASE WHEN count(*) < rest THEN cardinality(batch) ELSE max(f.nr) END FROM first f) ORDER BY i.nr), $3, $4, rest) w)
			SELECT f.* FROM (SELECT f.log, f.off, f.size, f.nr FROM first f JOIN whole w ON w.id = f.log UNION ALL SELECT s.log, s.off, s.size, i.nr FROM single s JOIN i ON i.id = s.log
				UNION ALL SELECT NULL, count(*), NULL, NULL FROM found) f ORDER BY f.nr, f.off DESC LOOP
			IF f.log IS NULL THEN
				looked := looked + f.off;
			ELSIF rest > 0 THEN
				log := f.log;
				off := f.off;
				size := f.size;
				rest := rest - 1;
				RETURN NEXT;
			END IF;
		END LOOP;
		EXIT WHEN many = 0;
		done := done + b.many;
		IF b.many < many OR b.block = 0 THEN
			start := start + cardinality(batch);
			below := 1::bigint << 43;
		ELSE
			start := start + cardinality(batch) - 1;
			below := b.block << 20;
		END IF;
		many := least(greatest(1.25 * rest * greatest(done, 1) / greatest($5 - rest, 0.5), 8), 16 * many, cardinality($1))::bigint;
		IF 70 * many + 15 * many * looked / greatest(done, 1) >= 8 * cardinality(scopes) + 500 * cardinality(lone) * least(looked, 1)
				+ 15 * (cardinality($1) - start + 1) * looked / greatest(done, 1) THEN
			many := 0;
		END IF;
	END LOOP;
END $$;

-- search does the same as hits. The first line of each log has the facts of that log.
CREATE FUNCTION {schema}.search(bigint[], text[], text[], text[], bigint)
	RETURNS TABLE (log bigint, off bigint, size integer, name bytea, len bigint, covered bigint, data bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN RETURN QUERY WITH h AS MATERIALIZED (SELECT h.*, lag(h.log) OVER (ORDER BY h.nr) IS DISTINCT FROM h.log AS first
		FROM {schema}.hits($1, $2, $3, $4, $5, 1) WITH ORDINALITY h(log, off, size, nr))
	SELECT h.log, h.off, h.size, f.name, f.len, f.covered, f.data FROM h LEFT JOIN LATERAL (SELECT l.name, l.len, l.covered, f.data
		FROM {schema}.log l JOIN {schema}.fact f ON f.log = l.id WHERE h.first AND l.id = h.log OFFSET 0) f ON true ORDER BY h.nr; END $$;

-- The bytes of lines in logs, in pieces. Each chunk is decompressed once.
CREATE FUNCTION {schema}.lines(bigint[], bigint[], integer[]) RETURNS TABLE (nr bigint, data bytea) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
	c record;
	bytes bytea;
BEGIN
	FOR c IN WITH a AS MATERIALIZED (SELECT * FROM {schema}.allowed(ARRAY(SELECT DISTINCT unnest($1))))
		SELECT w.log, c.off, array_agg(w.nr) AS nrs, array_agg(w.off) AS offs, array_agg(w.size) AS sizes, max(w.off + w.size) AS last
			FROM unnest($1, $2, $3) WITH ORDINALITY w(log, off, size, nr) JOIN a ON a.id = w.log
			CROSS JOIN LATERAL (SELECT c.off FROM {schema}.chunk c WHERE c.log = w.log AND c.off < w.off + w.size AND c.off + octet_length(c.data) > w.off AND c.off >=
				coalesce((SELECT b.off FROM {schema}.chunk b WHERE b.log = w.log AND b.off <= w.off ORDER BY b.off DESC LIMIT 1), 0) OFFSET 0) c
			WHERE w.size BETWEEN 1 AND 16777216 GROUP BY w.log, c.off ORDER BY w.log, c.off LOOP
		SELECT substr(b.data, 1, least(c.last - c.off, octet_length(b.data))::integer) INTO bytes FROM {schema}.chunk b WHERE b.log = c.log AND b.off = c.off;
		RETURN QUERY SELECT w.nr, substr(bytes, greatest(w.off - c.off, 0)::integer + 1, (least(w.off + w.size - c.off, octet_length(bytes)) - greatest(w.off - c.off, 0))::integer)
			FROM unnest(c.nrs, c.offs, c.sizes) w(nr, off, size);
	END LOOP;
END $$;

-- The policies, for roles that are given rights to the tables by hand.
ALTER TABLE {schema}.fact ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.part ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.spent ENABLE ROW LEVEL SECURITY;
ALTER TABLE {schema}.line ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON {schema}.fact USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = fact.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.fact FOR SELECT USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = fact.log));
CREATE POLICY own ON {schema}.part USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = part.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.part FOR SELECT USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = part.log));
CREATE POLICY own ON {schema}.spent USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = spent.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.spent FOR SELECT USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = spent.log));
CREATE POLICY own ON {schema}.line USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = line.log AND l.owner = session_user));
CREATE POLICY granted ON {schema}.line FOR SELECT USING (EXISTS (SELECT FROM {schema}.log l WHERE l.id = line.log));

-- The new functions run as the others do, and are for the same members.
DO $$ DECLARE
	space oid := (SELECT relnamespace FROM pg_class WHERE oid = '{schema}.log'::regclass);
	f record;
	m record;
BEGIN
	FOR f IN SELECT p.oid::regprocedure AS called FROM pg_proc p WHERE p.pronamespace = space
		AND p.proname IN ('scope', 'part_of', 'query', 'facts_covered', 'prepare', 'facts_missing', 'add_facts', 'owners', 'facts', 'newest', 'allowed', 'costs', 'walk', 'hits', 'search', 'lines') LOOP
		EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp', f.called);
		EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f.called);
		FOR m IN SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS who
			FROM pg_proc p CROSS JOIN LATERAL aclexplode(p.proacl) a WHERE p.pronamespace = space AND p.proname = 'find' AND a.grantee <> p.proowner LOOP
			EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', f.called, m.who);
		END LOOP;
	END LOOP;
END $$;

-- Without statistics the planner takes a search for long and would compile it, which takes
-- longer than the search. It would also read small tables as a whole, with the rows of
-- others, read the logs of many people by a bitmap, which takes twice as long, and sort
-- lines to join them. A bitmap of lines that does not fit into memory would be compared
-- with the queries of all owners. The batches of a search share a plan, since making one
-- takes as long as a small batch, and so do the walks that it starts.
DO $$ DECLARE f record; BEGIN
	FOR f IN SELECT p.oid::regprocedure AS called, p.proname AS name FROM pg_proc p WHERE p.pronamespace = (SELECT relnamespace FROM pg_class WHERE oid = '{schema}.log'::regclass)
		AND p.proname IN ('facts', 'newest', 'costs', 'walk', 'hits', 'search') LOOP
		EXECUTE format('ALTER FUNCTION %s SET jit = off', f.called);
		EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off', f.called);
		EXECUTE format('ALTER FUNCTION %s SET enable_mergejoin = off', f.called);
		IF f.name IN ('facts', 'newest') THEN
			EXECUTE format('ALTER FUNCTION %s SET enable_bitmapscan = off', f.called);
		ELSIF f.name = 'hits' THEN
			EXECUTE format('ALTER FUNCTION %s SET work_mem = %L', f.called, '64MB');
			EXECUTE format('ALTER FUNCTION %s SET max_parallel_workers_per_gather = 0', f.called);
			EXECUTE format('ALTER FUNCTION %s SET plan_cache_mode = force_generic_plan', f.called);
		END IF;
	END LOOP;
END $$;

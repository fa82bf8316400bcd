package pgstore

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// statements holds the SQL that a store sends, with the names of its schema
// filled in.
//
// Another user of the database may be able to create objects in a schema on the
// search path. So each function and type is qualified with its schema, and an
// operator is used only between operands for which pg_catalog has exactly that
// operator. TestStatements checks both.
type statements struct {
	find, size, erase, list, listRest string
	read, add, addLarge, merge, touch string
	stage, fill, takeOver, publish    string
	state, retire, drop, sweep        string
}

const listed = `SELECT name, len FROM LOG WHERE key IS NOT NULL AND head >= pg_catalog.substr($1::pg_catalog.bytea, 1, 512) AND name >= $1 %s
	ORDER BY head, name LIMIT %d`

// statementsOf returns the statements for the tables of a schema.
func statementsOf(schema string) statements {
	in := func(sql string) string {
		return strings.NewReplacer("LOG", pgx.Identifier{schema, "log"}.Sanitize(), "CHUNK", pgx.Identifier{schema, "chunk"}.Sanitize()).Replace(sql)
	}
	return statements{
		find: in(`SELECT id, gen, len, merged FROM LOG WHERE key = pg_catalog.sha256($1)`),
		size: in(`SELECT len FROM LOG WHERE id = $1 AND gen = $2 AND key IS NOT NULL`),
		erase: in(`WITH l AS (DELETE FROM LOG WHERE key = pg_catalog.sha256($1) RETURNING id),
			c AS (DELETE FROM CHUNK USING l WHERE CHUNK.log = l.id)
			SELECT pg_catalog.count(*) FROM l`),
		// The index contains only the first bytes of names, so the bounds
		// compare these first.
		list:     in(fmt.Sprintf(listed, "AND head <= pg_catalog.substr($2::pg_catalog.bytea, 1, 512) AND name < $2", pageLength)),
		listRest: in(fmt.Sprintf(listed, "", pageLength)),

		read: in(`SELECT off, data FROM CHUNK WHERE log = $1 AND off < $3 AND off >=
			COALESCE((SELECT off FROM CHUNK WHERE log = $1 AND off <= $2 ORDER BY off DESC LIMIT 1), 0) ORDER BY off`),
		add: in(`WITH l AS (UPDATE LOG SET len = len + pg_catalog.octet_length($4::pg_catalog.bytea)
				WHERE id = $1 AND gen = $2 AND len = $3 AND key IS NOT NULL RETURNING id)
			INSERT INTO CHUNK (log, off, data) SELECT id, $3, $4 FROM l`),
		addLarge: in(fmt.Sprintf(`WITH l AS (UPDATE LOG SET len = len + pg_catalog.octet_length($4::pg_catalog.bytea)
				WHERE id = $1 AND gen = $2 AND len = $3 AND key IS NOT NULL RETURNING id)
			INSERT INTO CHUNK (log, off, data) SELECT id, $3 + o, pg_catalog.substr($4, o + 1, %[1]d)
			FROM l, pg_catalog.generate_series(0, pg_catalog.octet_length($4) - 1, %[1]d) o`, pieceSize)),
		// The row of the log is locked first, so that one client merges at a time.
		merge: in(fmt.Sprintf(`WITH l AS (SELECT id, merged FROM LOG WHERE id = $1 AND merged <= $2 - %[2]d FOR UPDATE),
				m AS (UPDATE LOG SET merged = $2 FROM l WHERE LOG.id = l.id),
				d AS (DELETE FROM CHUNK USING l WHERE CHUNK.log = l.id AND off >= l.merged AND off < $2 RETURNING off, data)
			INSERT INTO CHUNK (log, off, data) SELECT $1, pg_catalog.min(off), pg_catalog.string_agg(data, ''::pg_catalog.bytea ORDER BY off)
				FROM d GROUP BY off / %[1]d`, pieceSize, 2*pieceSize)),
		touch: in(`UPDATE LOG SET len = len WHERE id = $1`),

		stage: in(`INSERT INTO LOG (name, head) VALUES ($1, pg_catalog.substr($1::pg_catalog.bytea, 1, 512)) RETURNING id`),
		fill: in(`INSERT INTO CHUNK (log, off, data) SELECT $1, c.off, c.data FROM ROWS FROM (pg_catalog.unnest($2::bigint[]), pg_catalog.unnest($3::pg_catalog.bytea[])) c(off, data)
			ON CONFLICT DO NOTHING`),
		takeOver: in(`UPDATE LOG SET key = NULL, gen = gen + 1, since = pg_catalog.now() WHERE key = pg_catalog.sha256($1) AND len = 0 AND id <> $2`),
		publish: in(`UPDATE LOG SET key = pg_catalog.sha256($2), len = $3, merged = $3, gen = 1, since = pg_catalog.now()
			WHERE id = $1 AND gen = 0`),
		state: in(`SELECT gen FROM LOG WHERE id = $1`),
		retire: in(`UPDATE LOG SET key = pg_catalog.sha256($4), name = COALESCE($4, name), head = COALESCE(pg_catalog.substr($4, 1, 512), head),
			gen = gen + 1, since = pg_catalog.now() WHERE id = $1 AND gen = $2 AND len = $3 AND key IS NOT NULL`),
		drop: in(`WITH l AS (DELETE FROM LOG WHERE id = $1 AND key IS NULL RETURNING id)
			DELETE FROM CHUNK USING l WHERE CHUNK.log = l.id`),
		sweep: in(`WITH l AS (DELETE FROM LOG WHERE id IN (SELECT id FROM LOG
				WHERE key IS NULL AND since < pg_catalog.now() - pg_catalog.make_interval(secs => $1::bigint::double precision) LIMIT 1000) RETURNING id)
			DELETE FROM CHUNK USING l WHERE CHUNK.log = l.id`),
	}
}

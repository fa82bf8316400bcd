package index

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Texts records which documents contain which words. A document is identified
// by a number. The documents of one source have consecutive numbers, in
// segments, and each segment stores the data that its owner needs to find the
// documents again, and to rule out texts that they do not contain. The texts
// are not stored.
//
// It is safe for concurrent use.
type Texts struct{ db *database }

// A Source is an origin of documents, usually a file.
type Source struct {
	Path     string
	State    []byte    // how far it was read, in the owner's encoding
	Segments []Segment // in the order in which they were added
}

// A Segment is a run of documents of a source.
type Segment struct {
	First int64 // number of its first document
	Count int
}

// An Addition contains the new documents of one source.
type Addition struct {
	Path string
	// Before is the state that the source had when the documents were made, or
	// nil for a new source.
	Before []byte
	// State is the new state.
	State []byte
	// Afresh removes all earlier documents of the source.
	Afresh bool
	// Documents are texts of folded words, separated by spaces. A word has no
	// ASCII character except lower-case letters and digits.
	Documents [][]byte
	// Places are the bytes that Places returns for the new segment, and Grams
	// those that Grams returns.
	Places, Grams []byte
}

// Words are separated by spaces only: callers fold and split the text, so that
// the index and a search without it agree. The table is contentless, because
// the text is in the sessions. Pages are not larger than the unit in which a
// disk loses data: a page that is lost completely is noticed, a half page is
// not.
const textTables = `
	CREATE TABLE source (id INTEGER PRIMARY KEY, path BLOB NOT NULL UNIQUE, state BLOB NOT NULL);
	CREATE TABLE segment (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, source INTEGER NOT NULL, grams BLOB NOT NULL, places BLOB NOT NULL);
	CREATE INDEX segment_source ON segment (source, first, count);
	CREATE TABLE removal (n INTEGER NOT NULL);
	INSERT INTO removal (n) VALUES (0);
	CREATE VIRTUAL TABLE doc USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
	CREATE VIRTUAL TABLE word USING fts5vocab(doc, instance);
`

// OpenTexts opens the database at path. version is the version of the callers'
// documents; it must not be 0.
func OpenTexts(path string, version int) (*Texts, error) {
	db, err := openDatabase(path, shape{version: version, tables: textTables, pragmas: []string{"cache_size(-4000)"}})
	if err != nil {
		return nil, err
	}
	return &Texts{db}, nil
}

// Replaced is like Files.Replaced.
func (t *Texts) Replaced() error { return t.db.whyReplaced() }

// Reset is like Files.Reset.
func (t *Texts) Reset(because error) error { return t.db.replace(because) }

// Clear removes all sources and their documents.
func (t *Texts) Clear(ctx context.Context) error {
	return t.db.clear(ctx, `DELETE FROM source; DELETE FROM segment; UPDATE removal SET n = n + 1;
		INSERT INTO doc (doc) VALUES ('delete-all');`)
}

// Close closes the database.
func (t *Texts) Close() error { return t.db.close() }

// A Version shows whether the documents have changed.
type Version struct {
	// Removals counts the removals of documents by any process.
	Removals int64
	// Writes changes when another process has written anything.
	Writes int64
}

// Version returns the current version.
func (t *Texts) Version(ctx context.Context) (v Version, err error) {
	db := t.db.conn()
	if err := db.QueryRowContext(ctx, "PRAGMA data_version").Scan(&v.Writes); err != nil {
		return v, verdict(err)
	}
	return v, verdict(db.QueryRowContext(ctx, "SELECT n FROM removal").Scan(&v.Removals))
}

// Sources returns all sources. A damaged database is replaced by an empty one.
func (t *Texts) Sources(ctx context.Context) ([]Source, error) {
	sources, err := t.sources(ctx)
	if errors.Is(err, ErrDamaged) {
		return nil, t.db.replace(err)
	}
	return sources, err
}

// sources reads all sources from the database.
func (t *Texts) sources(ctx context.Context) ([]Source, error) {
	// A single statement reads both tables at the same moment. The rows of
	// segments are large, but the index contains the required columns.
	rows, err := t.db.conn().QueryContext(ctx, `SELECT id, path, state, 0, 0 FROM source
		UNION ALL SELECT source, NULL, NULL, first, count FROM segment INDEXED BY segment_source`)
	if err != nil {
		return nil, verdict(err)
	}
	defer rows.Close()
	var out []Source
	byID := map[int64]int{}
	for rows.Next() {
		var id int64
		var path, state sql.RawBytes
		var s Segment
		if err := rows.Scan(&id, &path, &state, &s.First, &s.Count); err != nil {
			return nil, verdict(err)
		}
		if path != nil {
			byID[id] = len(out)
			out = append(out, Source{Path: string(path), State: append([]byte(nil), state...)})
		} else if n, ok := byID[id]; ok {
			out[n].Segments = append(out[n].Segments, s)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, verdict(err)
	}
	for i := range out {
		s := &out[i]
		slices.SortFunc(s.Segments, func(a, b Segment) int { return cmp.Compare(a.First, b.First) })
		state, ok := checked(s.name(), s.State)
		if s.State = state; !ok {
			return nil, errDamagedValue
		}
	}
	return out, nil
}

// name returns the name of the state of a source. It covers everything that
// leads to its documents.
func (s *Source) name() string {
	b := binary.AppendUvarint(nil, uint64(len(s.Segments)))
	for _, segment := range s.Segments {
		b = binary.AppendUvarint(b, uint64(segment.First))
		b = binary.AppendUvarint(b, uint64(segment.Count))
	}
	return string(b) + s.Path
}

var errDamagedValue = fmt.Errorf("%w: a value does not have its checksum", ErrDamaged)

// Places returns the places of the segments that start with these documents, as
// given in their Additions. The error is sql.ErrNoRows if one does not exist.
func (t *Texts) Places(ctx context.Context, firsts ...int64) ([][]byte, error) {
	list, err := json.Marshal(firsts)
	if err != nil {
		return nil, err
	}
	rows, err := t.db.conn().QueryContext(ctx, "SELECT first, places FROM json_each(?) n CROSS JOIN segment ON first = n.value ORDER BY n.key", string(list))
	if err != nil {
		return nil, verdict(err)
	}
	defer rows.Close()
	out := make([][]byte, 0, len(firsts))
	for rows.Next() {
		var first int64
		var b []byte
		if err := rows.Scan(&first, &b); err != nil {
			return nil, verdict(err)
		}
		places, ok := checked(placesOf(first), b)
		if !ok {
			return nil, errDamagedValue
		}
		out = append(out, places)
	}
	if err := rows.Err(); err != nil {
		return nil, verdict(err)
	}
	if len(out) != len(firsts) {
		return nil, sql.ErrNoRows
	}
	return out, nil
}

// Grams calls each with the grams of every segment, as given in its Addition,
// and the number of its first document. The bytes are valid until each returns.
func (t *Texts) Grams(ctx context.Context, each func(first int64, grams []byte)) error {
	rows, err := t.db.conn().QueryContext(ctx, "SELECT first, grams FROM segment")
	if err != nil {
		return verdict(err)
	}
	defer rows.Close()
	for rows.Next() {
		var first int64
		var b sql.RawBytes
		if err := rows.Scan(&first, &b); err != nil {
			return verdict(err)
		}
		grams, ok := checked(gramsOf(first), b)
		if !ok {
			return errDamagedValue
		}
		each(first, grams)
	}
	return verdict(rows.Err())
}

// ErrOutdated means that a source has changed since the addition to it was made,
// because another process was faster.
var ErrOutdated = errors.New("a source of the index has changed")

// Add stores additions in one transaction. If it returns an error, such as
// ErrOutdated, nothing was stored.
func (t *Texts) Add(ctx context.Context, additions ...Addition) error {
	return t.db.write(ctx, func(tx *sql.Tx) error {
		var next int64
		if err := tx.QueryRowContext(ctx, "SELECT ifnull(max(first + count), 1) FROM segment").Scan(&next); err != nil {
			return err
		}
		put, err := tx.PrepareContext(ctx, "INSERT INTO doc (rowid, text) VALUES (?, ?)")
		if err != nil {
			return err
		}
		defer put.Close()
		for i := range additions {
			a := &additions[i]
			if err := t.add(ctx, tx, a, next); err != nil {
				return fmt.Errorf("index %s: %w", a.Path, err)
			}
			for _, text := range a.Documents {
				if _, err := put.ExecContext(ctx, next, text); err != nil {
					return fmt.Errorf("index %s: %w", a.Path, err)
				}
				next++
			}
		}
		return nil
	})
}

// add stores an addition, except the words of its documents, which have the
// numbers from first on.
func (t *Texts) add(ctx context.Context, tx *sql.Tx, a *Addition, first int64) error {
	id, err := t.claim(ctx, tx, a)
	if err != nil {
		return err
	}
	if a.Afresh {
		if err := forget(ctx, tx, id); err != nil {
			return err
		}
	}
	if count := len(a.Documents); count > 0 {
		if _, err := tx.ExecContext(ctx, "INSERT INTO segment (first, count, source, grams, places) VALUES (?, ?, ?, ?, ?)",
			first, count, id, withSum(gramsOf(first), a.Grams), withSum(placesOf(first), a.Places)); err != nil {
			return err
		}
	}
	s := Source{Path: a.Path}
	if s.Segments, err = segmentsOf(ctx, tx, id); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE source SET state = ? WHERE id = ?", withSum(s.name(), a.State), id)
	return err
}

func placesOf(first int64) string { return fmt.Sprint("places ", first) }

func gramsOf(first int64) string { return fmt.Sprint("grams ", first) }

func segmentsOf(ctx context.Context, tx *sql.Tx, id int64) (out []Segment, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT first, count FROM segment WHERE source = ? ORDER BY first", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var s Segment
		if err := rows.Scan(&s.First, &s.Count); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// claim finds or creates the row of a source. The error is ErrOutdated if its
// state is not the one on which the addition is based.
func (t *Texts) claim(ctx context.Context, tx *sql.Tx, a *Addition) (id int64, err error) {
	id, state, err := t.stateOf(ctx, tx, a.Path)
	switch {
	case errors.Is(err, sql.ErrNoRows) && a.Before == nil:
		result, err := tx.ExecContext(ctx, "INSERT INTO source (path, state) VALUES (?, x'')", []byte(a.Path))
		if err != nil {
			return 0, err
		}
		return result.LastInsertId()
	case errors.Is(err, sql.ErrNoRows):
		return 0, ErrOutdated
	case err != nil:
		return 0, err
	case a.Before == nil || string(state) != string(a.Before):
		return 0, ErrOutdated
	}
	return id, nil
}

// stateOf returns the row id and the state of a source. The error matches
// sql.ErrNoRows if there is none.
func (t *Texts) stateOf(ctx context.Context, tx *sql.Tx, path string) (id int64, state []byte, err error) {
	if err := tx.QueryRowContext(ctx, "SELECT id, state FROM source WHERE path = ?", []byte(path)).Scan(&id, &state); err != nil {
		return 0, nil, err
	}
	s := Source{Path: path}
	if s.Segments, err = segmentsOf(ctx, tx, id); err != nil {
		return 0, nil, err
	}
	state, ok := checked(s.name(), state)
	if !ok {
		return 0, nil, errDamagedValue
	}
	return id, state, nil
}

// forget removes the documents of a source.
func forget(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, "UPDATE removal SET n = n + 1"); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, `DELETE FROM doc WHERE rowid IN (
		WITH RECURSIVE n (id, stop) AS (
			SELECT first, first + count FROM segment WHERE source = ?1
			UNION ALL SELECT id + 1, stop FROM n WHERE id + 1 < stop)
		SELECT id FROM n)`, id); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM segment WHERE source = ?", id)
	return err
}

// Rename changes the path of a source. It does nothing if the new path exists.
func (t *Texts) Rename(ctx context.Context, from, to string) error {
	return t.db.write(ctx, func(tx *sql.Tx) error {
		id, state, err := t.stateOf(ctx, tx, from)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		s := Source{Path: to}
		if s.Segments, err = segmentsOf(ctx, tx, id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE OR IGNORE source SET path = ?, state = ? WHERE id = ?", []byte(to), withSum(s.name(), state), id)
		return err
	})
}

// Forget removes sources and their documents.
func (t *Texts) Forget(ctx context.Context, paths []string) error {
	return t.db.write(ctx, func(tx *sql.Tx) error {
		for _, path := range paths {
			var id int64
			err := tx.QueryRowContext(ctx, "SELECT id FROM source WHERE path = ?", []byte(path)).Scan(&id)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err != nil {
				return err
			}
			if err := forget(ctx, tx, id); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM source WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
}

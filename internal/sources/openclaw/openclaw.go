// Package openclaw presents the sessions that OpenClaw stores in a database as
// files: one for each session, with the records of the database as its lines.
// OpenClaw has used the database since release 2026.9.
//
// The database is only read. The files are a copy that can be made again; they
// must not be written to, and their headers have a version that pith does not
// write.
//
// # Invariants
//
//	M1  A line is a record of the database, byte for byte, except for line breaks
//	    between the members of a record.
//	M2  A file is replaced atomically or not at all. A session that is gone from
//	    the database has no file.
//	M3  An unchanged database is not opened.
//
// Stability: outside the core. Its exported names may still change.
package openclaw

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/lazyregexp"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store/filestore"
)

// largest is the maximum size of an unpacked record.
const largest = 256 << 20

// stateName is the file that records what the others were made from.
const stateName = ".state.json"

// ArchiveName is the directory next to those of an agent into which OpenClaw
// moves the files that it has imported into its database.
const ArchiveName = "session-sqlite-import-archive"

// ArchivedID returns the id of the session in an archived file, and false for
// any other file.
func ArchivedID(path string) (id string, ok bool) {
	const mark = format.FileSuffix + ".imported-"
	if !strings.Contains(path, mark) || filepath.Base(filepath.Dir(path)) != ArchiveName {
		return "", false
	}
	id, _, ok = strings.Cut(filepath.Base(path), mark)
	return id, ok
}

// A state records what a directory was made from.
type state struct {
	Database stamp            `json:"database"`
	Log      stamp            `json:"log"` // the write-ahead log of SQLite
	Sessions map[string]share `json:"sessions"`
}

// A stamp shows whether a file has changed.
type stamp struct {
	Size int64     `json:"size"`
	Time time.Time `json:"time"`
}

// A share is the part of a database that belongs to one session.
type share struct {
	Records int64 `json:"records"`
	Last    int64 `json:"last"` // number of the last one
	Bytes   int64 `json:"bytes"`
}

// Refresh updates a directory from a database: one file <session id>.jsonl for
// each session, with the time of its last record. A session that cannot be read
// is named by the error; the others are updated.
func Refresh(ctx context.Context, database, dir string) error {
	now := state{Database: stampOf(database), Log: stampOf(database + "-wal")}
	was := readState(dir)
	if was.Database == now.Database && was.Log == now.Log && was.Sessions != nil {
		return nil
	}
	db, err := open(ctx, database)
	if err != nil {
		return fmt.Errorf("open %s: %w", database, err)
	}
	defer db.Close()
	if err := filestore.MakeFolders(dir); err != nil {
		return err
	}
	if now.Sessions, err = shares(ctx, db); err != nil {
		return fmt.Errorf("read %s: %w", database, err)
	}
	var failed []error
	unread := map[string]bool{}
	for id, n := range now.Sessions {
		path := filepath.Join(dir, fileName(id))
		if _, err := os.Stat(path); err == nil && was.Sessions[id] == n {
			continue
		}
		if err := copySession(ctx, db, id, path); err != nil {
			failed = append(failed, fmt.Errorf("read session %s of %s: %w", id, database, err))
			unread[id] = true
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for id := range was.Sessions {
		if _, there := now.Sessions[id]; !there {
			_ = os.Remove(filepath.Join(dir, fileName(id))) // tried again at the next change
		}
	}
	if len(failed) > 0 { // they are tried again
		now.Database = stamp{}
		maps.DeleteFunc(now.Sessions, func(id string, _ share) bool { return unread[id] })
	}
	return errors.Join(append(failed, writeState(dir, now))...)
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime().UTC()}
}

// readState returns the recorded state of the directory, or the zero state if
// it is unknown.
func readState(dir string) (s state) {
	data, err := os.ReadFile(filepath.Join(dir, stateName))
	if err != nil || json.Unmarshal(data, &s) != nil {
		return state{}
	}
	return s
}

func writeState(dir string, s state) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, stateName), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// replaceFile replaces a file by the output of fill. The file is not made
// durable, because it can be made again.
func replaceFile(path string, fill func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".pith-tmp-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // does nothing after the rename
	w := bufio.NewWriterSize(f, 64<<10)
	if err := fill(w); err != nil {
		f.Close()
		return err
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// open opens the database for one reader.
func open(ctx context.Context, path string) (*sql.DB, error) {
	db, err := sources.OpenSQLite(ctx, path, "transcript_events")
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return db, err
}

// shares returns the sessions of a database.
func shares(ctx context.Context, db *sql.DB) (map[string]share, error) {
	rows, err := db.QueryContext(ctx, `SELECT session_id, COUNT(*), MAX(seq), SUM(COALESCE(event_utf8_bytes, 0)) FROM transcript_events GROUP BY session_id`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	out := map[string]share{}
	for rows.Next() {
		var id string
		var n share
		if err := rows.Scan(&id, &n.Records, &n.Last, &n.Bytes); err != nil {
			return nil, err
		}
		out[id] = n
	}
	return out, rows.Err()
}

// plainName is compiled on first use, because most commands do not need it.
var plainName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// fileName returns the name of a session's file: its id, or an equally unique
// name if the id cannot be a file name.
func fileName(id string) string {
	switch {
	case plainName().MatchString(id):
	case len(id) <= 100:
		id = "x" + hex.EncodeToString([]byte(id))
	default:
		sum := sha256.Sum256([]byte(id))
		id = "x" + hex.EncodeToString(sum[:])
	}
	return id + format.FileSuffix
}

// copySession writes the file of one session.
func copySession(ctx context.Context, db *sql.DB, id, path string) error {
	rows, err := db.QueryContext(ctx, `SELECT event_json, event_zstd, created_at FROM transcript_events WHERE session_id = ? ORDER BY seq`, id)
	if err != nil {
		return err
	}
	defer rows.Close()
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(largest), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer unpack.Close()
	c := copier{id: id, rows: rows, unpack: unpack}
	if err := replaceFile(path, c.fill); err != nil {
		return err
	}
	if c.last == 0 {
		return c.damaged
	}
	at := time.UnixMilli(c.last)
	return errors.Join(c.damaged, os.Chtimes(path, at, at))
}

// A copier writes the records of a session as lines.
type copier struct {
	id      string
	rows    *sql.Rows
	unpack  *zstd.Decoder
	last    int64 // time of the last record, in milliseconds
	started bool
	// damaged is the reason why a record was left out; the others are there.
	damaged error
}

func (c *copier) fill(w io.Writer) error {
	for c.rows.Next() {
		var text sql.NullString
		var packed []byte
		var at sql.NullInt64
		if err := c.rows.Scan(&text, &packed, &at); err != nil {
			return err
		}
		line := []byte(text.String)
		if !text.Valid {
			var err error
			if line, err = c.unpack.DecodeAll(packed, nil); err != nil {
				c.damaged = fmt.Errorf("unpack a record: %w", err)
				continue
			}
		}
		if err := c.line(w, line, at.Int64); err != nil {
			return err
		}
	}
	return c.rows.Err()
}

// line writes a record. A session without a header gets one, so that it is
// found.
func (c *copier) line(w io.Writer, line []byte, at int64) error {
	if !jsonl.Valid(line) || jsonl.KindOf(line) != '{' {
		return nil // not a record, and not a line of a session
	}
	if bytes.ContainsAny(line, "\r\n") {
		line = jsonl.AppendCompact(nil, line)
	}
	if !c.started && jsonl.LookupString(line, "type") != string(format.TypeSession) {
		head := format.AppendHeader(nil, &format.Header{Version: format.Version + 1, ID: c.id, Timestamp: format.FormatTime(time.UnixMilli(at))})
		if _, err := w.Write(append(head, '\n')); err != nil {
			return err
		}
	}
	c.started, c.last = true, max(c.last, at)
	_, err := w.Write(append(line, '\n'))
	return err
}

// Package openclaw reads the sessions that OpenClaw stores in a database, with
// its records as their lines. OpenClaw has used the database since release
// 2026.9.
//
// The database is only read. A line is a record, byte for byte, except for line
// breaks between its members. The headers have a version that pith does not
// write.
package openclaw

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// largest is the maximum size of an unpacked record.
const largest = 256 << 20

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

// Program is OpenClaw. A root is the database of one of its agents.
type Program struct{}

func (Program) Name() string  { return "openclaw" }
func (Program) Title() string { return "OpenClaw" }

// Roots implements [sources.Program]. Package catalog finds the databases
// together with the session files of the agents.
func (Program) Roots(sources.Environment) []string { return nil }

// table is the table that is read: a row for each record of a session.
const table = "transcript_events"

func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	db, err := sources.OpenSQLite(ctx, root, table)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", root, err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT session_id, COUNT(*) || ' ' || MAX(seq), SUM(COALESCE(event_utf8_bytes, 0)), COALESCE(CAST(MAX(created_at) AS INTEGER), 0)
		FROM `+table+` GROUP BY session_id`)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", root, err)
	}
	defer rows.Close()
	var out []sources.Session
	for rows.Next() {
		s := sources.Session{Path: root}
		var last int64
		if err := rows.Scan(&s.ID, &s.Stamp.Mark, &s.Stamp.Size, &last); err != nil {
			return nil, fmt.Errorf("read %s: %w", root, err)
		}
		if last > 0 {
			s.Modified = time.UnixMilli(last)
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// Translate implements [sources.Program]. A record that cannot be unpacked is
// left out and reported.
func (Program) Translate(ctx context.Context, s sources.Session, w *sources.Writer) error {
	db, err := sources.OpenSQLite(ctx, s.Path, table)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT event_json, event_zstd, created_at FROM `+table+` WHERE session_id = ? ORDER BY seq`, s.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	unpack, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(largest), zstd.WithDecoderConcurrency(1))
	if err != nil {
		return err
	}
	defer unpack.Close()
	started := false
	for rows.Next() {
		var text sql.NullString
		var packed []byte
		var at sql.NullInt64
		if err := rows.Scan(&text, &packed, &at); err != nil {
			return err
		}
		line := []byte(text.String)
		if !text.Valid {
			if line, err = unpack.DecodeAll(packed, nil); err != nil {
				w.Damaged(fmt.Errorf("unpack a record: %w", err))
				continue
			}
		}
		if !jsonl.Valid(line) || jsonl.KindOf(line) != '{' {
			continue // not a line of a session
		}
		if bytes.ContainsAny(line, "\r\n") {
			line = jsonl.AppendCompact(nil, line)
		}
		if !started && jsonl.LookupString(line, "type") != string(format.TypeSession) {
			// A session without a header would not be found.
			w.Line(format.AppendHeader(nil, &format.Header{Version: format.Version + 1, ID: s.ID, Timestamp: format.FormatTime(time.UnixMilli(at.Int64))}))
		}
		started = true
		w.Line(line)
	}
	return rows.Err()
}

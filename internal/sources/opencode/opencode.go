// Package opencode reads the sessions of OpenCode, which keeps them in a SQLite
// database: a row for each session, message and part of a message.
package opencode

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"time"

	"github.com/pith-sessions/pith/internal/sources"
)

// Program is OpenCode.
type Program struct{}

func (Program) Name() string  { return "opencode" }
func (Program) Title() string { return "OpenCode" }

// Roots implements [sources.Program]. The root is the database.
func (Program) Roots(e sources.Environment) []string {
	return e.Root("XDG_DATA_HOME", filepath.Join(".local", "share"), "opencode", "opencode.db")
}

func (Program) Sessions(ctx context.Context, root string) ([]sources.Session, error) {
	db, err := sources.OpenSQLite(ctx, root, tables...)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT s.id, `+text("s.parent_id")+`, `+text("s.title")+` || char(0) || `+text("s.revert")+`, `+number("s.time_updated")+`,
		(SELECT COUNT(*) FROM message m WHERE m.session_id = s.id), (SELECT `+number("MAX(p.time_updated)")+` FROM part p WHERE p.session_id = s.id)
		FROM session s WHERE typeof(s.id) = 'text'`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []sources.Session
	for rows.Next() {
		s := sources.Session{Path: root}
		var updated, parts int64
		if err := rows.Scan(&s.ID, &s.Parent, &s.Stamp.Mark, &updated, &s.Stamp.Size, &parts); err != nil {
			return nil, err
		}
		s.Modified = time.UnixMilli(max(updated, parts))
		s.Stamp.Time = s.Modified.UnixNano()
		out = append(out, s)
	}
	return out, rows.Err()
}

// tables are the tables that are read.
var tables = []string{"session", "message", "part"}

// text and number return SQL for a column whose rows may contain anything: a
// row of another type must not hide the others.
func text(column string) string {
	return `COALESCE(substr(CAST(` + column + ` AS TEXT), 1, 65536), '')`
}
func number(column string) string { return `COALESCE(CAST(` + column + ` AS INTEGER), 0)` }

// data is SQL for the column data of a row. As with the lines of files, a value
// that is too long is replaced by one that tells its size.
var data = fmt.Sprintf(`CASE WHEN octet_length(data) > %d THEN '{"type":"%s","size":' || octet_length(data) || '}' ELSE CAST(data AS BLOB) END`, sources.MostLine, sources.LongKind)

// A row is a message or a part of one.
type row struct {
	id, message string // message is the one that a part belongs to
	data        []byte
}

// A cursor reads rows in order and gives access to the next one.
type cursor struct {
	rows *sql.Rows
	next *row
	err  error
}

func query(ctx context.Context, db *sql.DB, text, session string) (*cursor, error) {
	rows, err := db.QueryContext(ctx, text, session)
	if err != nil {
		return nil, err
	}
	c := &cursor{rows: rows}
	c.advance()
	return c, nil
}

// advance reads the next row; next is nil at the end.
func (c *cursor) advance() {
	c.next = nil
	if c.err == nil && c.rows.Next() {
		var r row
		if c.err = c.rows.Scan(&r.id, &r.message, &r.data); c.err == nil {
			c.next = &r
		}
	} else if c.err == nil {
		c.err = c.rows.Err()
	}
}

package sources

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// patience is the time that a reader waits for a writer.
const patience = 2 * time.Second

// OpenSQLite opens a database that another program may be writing to. It is
// only read, together with its write-ahead log.
func OpenSQLite(path string) (*sql.DB, error) {
	q := url.Values{"mode": {"ro"}, "_busy_timeout": {fmt.Sprint(patience.Milliseconds())}}
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
}

// A RootStamper is a Program that can detect cheaply whether a root changed at
// all.
type RootStamper interface {
	// RootStamp returns a value that changes with anything under the root.
	RootStamp(root string) string
}

// SQLiteStamp returns a value that changes with a database or its write-ahead
// log.
func SQLiteStamp(path string) string {
	stamp := ""
	for _, file := range []string{path, path + "-wal"} {
		if info, err := os.Stat(file); err == nil {
			stamp += fmt.Sprintf("%d %d;", info.Size(), info.ModTime().UnixNano())
		}
	}
	return stamp
}

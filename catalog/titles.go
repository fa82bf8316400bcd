package catalog

import (
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/sources"
)

// titlesOfOhMyPi caches titles by the paths of the databases. Each read checks
// whether its database has changed.
var titlesOfOhMyPi struct {
	sync.Mutex
	known map[string]storedTitles
}

type storedTitles struct {
	stamp string            // of the database
	byID  map[string]string // empty if it could not be read
}

// storedTitle returns the title of a session of oh-my-pi in the database that
// oh-my-pi keeps next to the directory of its sessions, the first line of its
// newest recap there if it has no title, or "".
func storedTitle(path, id string) string {
	dir := filepath.Dir(filepath.Dir(filepath.Dir(path))) // of sessions/PROJECT/FILE
	database := filepath.Join(dir, "history.db")
	stamp, err := foreign.StampOf(database)
	if err != nil {
		return ""
	}
	titlesOfOhMyPi.Lock()
	defer titlesOfOhMyPi.Unlock()
	stored := titlesOfOhMyPi.known[database]
	if stored.stamp != stamp {
		titles, _ := readTitles(context.Background(), database) // a name is not worth an error
		stored = storedTitles{stamp, titles}
		if titlesOfOhMyPi.known == nil {
			titlesOfOhMyPi.known = map[string]storedTitles{}
		}
		titlesOfOhMyPi.known[database] = stored
	}
	return stored.byID[id]
}

// readTitles returns the titles of sessions in a database, by id.
func readTitles(ctx context.Context, database string) (map[string]string, error) {
	db, err := sources.OpenSQLiteAlone(ctx, database, "session_titles")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	titles := map[string]string{}
	for _, query := range []string{
		"SELECT session_id, substr(recap, 1, 1000) FROM session_recaps WHERE typeof(recap) = 'text' ORDER BY id",
		"SELECT session_id, substr(title, 1, 1000) FROM session_titles WHERE typeof(title) = 'text'",
	} {
		err = addTitles(ctx, db, query, titles) // older releases have no recaps
	}
	return titles, err
}

// addTitles reads rows of a session's id and a title, of which later ones win.
func addTitles(ctx context.Context, db *sql.DB, query string, titles map[string]string) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return err
		}
		first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if title := format.TrimName(first); title != "" {
			titles[id] = title
		}
	}
	return rows.Err()
}

package catalog

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/pith-sessions/pith/format"
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
// oh-my-pi keeps next to the directory of its sessions, or "".
func storedTitle(path, id string) string {
	dir := filepath.Dir(filepath.Dir(filepath.Dir(path))) // of sessions/PROJECT/FILE
	database := filepath.Join(dir, "history.db")
	stamp := sources.SQLiteStamp(database)
	if stamp == "" {
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
	rows, err := db.QueryContext(ctx, "SELECT session_id, substr(title, 1, 1000) FROM session_titles WHERE typeof(title) = 'text'")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	titles := map[string]string{}
	for rows.Next() {
		var id, title string
		if err := rows.Scan(&id, &title); err != nil {
			return nil, err
		}
		titles[id] = format.TrimName(title)
	}
	return titles, rows.Err()
}

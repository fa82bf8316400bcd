package catalog_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache"
)

// A process that holds the index for long costs lists some time and nothing else.
func TestIndexIsLocked(t *testing.T) {
	o := isolated(t, nil)
	for n := range 3 {
		write(t, filepath.Join(piFolder(o.Home, "/p"), fmt.Sprintf("%d.jsonl", n)), simple(fmt.Sprintf("id%d", n), "/p", n+2))
	}
	dir := t.TempDir()
	o.Index = openIndex(t, dir)
	db, err := sql.Open("sqlite", catalog.IndexFiles(dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	var read atomic.Int64
	catalog.CountReads(&o, &read)
	list := func(what string, fromFiles bool) {
		t.Helper()
		read.Store(0)
		infos, err := catalog.Sorted(catalog.ListAll(t.Context(), o))
		if err != nil || len(infos) != 3 || (read.Load() > 0) != fromFiles {
			t.Errorf("%s: ListAll = %d sessions, %v, with %d bytes read; want 3, read from files: %t", what, len(infos), err, read.Load(), fromFiles)
		}
	}
	if _, err := db.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	list("locked", true)
	if err := o.Index.Err(); !errors.Is(err, cache.ErrBusy) {
		t.Errorf("Err after a list with a locked index = %v, want ErrBusy", err)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	list("free again", true)
	list("kept", false)
}

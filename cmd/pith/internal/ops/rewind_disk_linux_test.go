package ops_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store/storetest"
)

// On a full disk a file is restored or stays, and the conversation stays.
func TestRewindOnAFullDisk(t *testing.T) {
	for _, full := range []string{"project", "trash"} {
		t.Run(full, func(t *testing.T) {
			w := newWorkbench(t)
			long := strings.Repeat("line of the earlier content\n", 2000)
			w.session("one", 0, write("a.go", "small\n"), write("b.go", long), write("a.go", "tiny\n"), write("b.go", long[1:]))
			switch disk := storetest.Disk(t, "72k"); full {
			case "project":
				w.project = disk
				w.session("one", 0, write("a.go", "small\n"), write("b.go", long), write("a.go", "tiny\n"), write("b.go", long[1:]))
			default:
				w.trash.Dir = filepath.Join(disk, "trash")
				w.put("../fill", "")
				if err := os.WriteFile(filepath.Join(disk, "fill"), []byte(long[:30<<10]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			w.put("a.go", "tiny\n")
			w.put("b.go", long[1:])
			p := w.params("one", "r2")
			r, err := ops.Rewind(t.Context(), p)
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("Rewind = %+v, %v; want no space", r, err)
			}
			w.has("a.go", "small\n")
			w.has("b.go", long[1:])
			if id, err := catalog.ResolveEntry(p.Session, "@leaf"); id != "r4" || err != nil {
				t.Errorf("leaf = %s, %v; want r4", id, err)
			}
			left, err := os.ReadDir(w.project)
			if err != nil || len(left) > 3 {
				t.Errorf("project has %v, %v; want two files and maybe .git", left, err)
			}
			if items, err := trash.List(w.trash); len(items) != 1 || err != nil {
				t.Errorf("trash has %v, %v; want a.go", items, err)
			}
		})
	}
}

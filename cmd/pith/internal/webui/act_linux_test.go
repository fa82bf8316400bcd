package webui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store/storetest"
)

// A session that its agent has open is not changed or moved. Copies and marks do not
// touch it.
func TestActionsOnOpenSession(t *testing.T) {
	h := newHome(t)
	_, c := h.serve(h.config())
	path := h.path(h.omp())
	quit := storetest.HoldOpen(t, path)
	before := h.files()
	for _, action := range changing {
		code, out := c.do(action, h.order(c, action, ompID), nil)
		if text, _ := out["error"].(string); code != 409 || !strings.Contains(text, "oh-my-pi has it open") || !strings.HasSuffix(text, "; quit oh-my-pi first, or pass --ignore-open") {
			t.Errorf("%s = %d, %v; want 409 and who has it open", action, code, out)
		}
	}
	h.unchanged("all", before)
	for _, action := range []string{"fork", "clone", "pin", "archive", "snooze", "tag"} {
		if code, out := c.do(action, h.order(c, action, ompID), nil); code != 200 {
			t.Errorf("%s = %d, %v; want 200", action, code, out)
		}
	}
	if h.files()[path] != before[path] {
		t.Error("the file of the agent changed")
	}
	quit()
	config := h.config()
	config.Engine.Force = true // it wrote a moment ago
	_, c = h.serve(config)
	for _, action := range changing {
		if code, out := c.do(action, h.order(c, action, ompID), nil); code != 200 {
			t.Errorf("%s after the agent has ended = %d, %v; want 200", action, code, out)
		}
	}
}

// On a read-only disk every action says so.
func TestActionsOnReadOnlyDisk(t *testing.T) {
	disk := storetest.Disk(t, "1m")
	h := newHome(t)
	if err := os.CopyFS(filepath.Join(disk, "home"), os.DirFS(h.dir)); err != nil {
		t.Fatal(err)
	}
	storetest.MakeReadOnly(t, disk)
	h.dir = filepath.Join(disk, "home")
	config := h.config()
	config.Catalog = catalog.Options{Dir: h.path(".pi/agent/sessions")}
	config.Write.Marks = func() (*marks.Collection, error) { return marks.Open(h.path("state")) }
	config.Write.Trash = func() (trash.Options, error) { return trash.Options{Dir: h.path("trash")}, nil }
	_, c := h.serve(config)
	before := h.files()
	for _, action := range actionNames {
		code, out := c.do(action, h.order(c, action, ownID), nil)
		if text, _ := out["error"].(string); code != 403 || !strings.Contains(text, "read-only") {
			t.Errorf("%s = %d, %v; want 403 and that the disk is read-only", action, code, out)
		}
	}
	h.unchanged("all", before)
}

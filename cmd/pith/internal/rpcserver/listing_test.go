package rpcserver_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
)

// Lists are the same with the index and without it, and while a file grows.
func TestListWithIndex(t *testing.T) {
	dir, cwd := t.TempDir(), t.TempDir()
	cache := filepath.Join(t.TempDir(), "cache")
	index, err := catalog.OpenIndex(cache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	opened := 0
	indexed := dial(t, rpcserver.Options{App: ops.App{Dir: dir, Index: func() *catalog.Index { opened++; return index }}})
	without := dial(t, rpcserver.Options{App: ops.App{Dir: dir, Index: func() *catalog.Index { return nil }}})
	for range 3 {
		h := without.open("create", with{"cwd": cwd})
		for range 2 {
			without.call("appendMessage", with{"session": h, "message": user("a word of the text")})
			for _, params := range []with{{"cwd": cwd}, {"cwd": cwd, "text": false}, {"cwd": cwd, "text": nil}} {
				for _, method := range []string{"list", "listAll"} {
					got, want := string(indexed.call(method, params)), string(without.call(method, params))
					if got != want || strings.Contains(got, "allMessagesText") != (params["text"] == nil) {
						t.Errorf("%s(%v) with an index = %s\nwant %s", method, params, got, want)
					}
				}
			}
		}
	}
	if err := index.Err(); err != nil || opened != 1 {
		t.Errorf("the index was opened %d times, and kept what it should: %v", opened, err)
	}
	if failed := without.fail("listAll", with{"text": "no"}); failed.Code != -32602 {
		t.Errorf("listAll with a text for text = %v; want -32602", failed)
	}
}

// Each row says how its session is marked, as it is at that moment. Marks change
// neither the order of a list nor what is in it.
func TestListWithMarks(t *testing.T) {
	dir, cwd, state := t.TempDir(), t.TempDir(), t.TempDir()
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir, Marks: func() (*marks.Collection, error) { return marks.Open(state) }}})
	for _, id := range []string{"one", "two", "three"} {
		h := c.open("create", with{"cwd": cwd, "options": with{"id": id}})
		c.call("appendMessage", with{"session": h, "message": user("a word")})
	}
	type row struct {
		ID, Path         string
		Pinned, Archived *bool
		Tags             []string
	}
	rows := func(method string) (out []row) {
		if err := json.Unmarshal(c.call(method, with{"cwd": cwd}), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	before := rows("list")
	for _, r := range before {
		if r.Pinned == nil || *r.Pinned || r.Archived == nil || *r.Archived || r.Tags == nil || len(r.Tags) > 0 {
			t.Errorf("%s, which nobody marked, is %+v; want false, false and no tags", r.ID, r)
		}
	}
	last := before[len(before)-1]
	kept, err := marks.Open(state)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Update(last.ID, last.Path, func(m *marks.Marks) { m.Pinned, m.Archived, m.Tags = true, true, []string{"b", "a"} }); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"list", "listAll"} {
		after := rows(method)
		if len(after) != len(before) {
			t.Fatalf("%s has %d sessions; want %d", method, len(after), len(before))
		}
		for i, r := range after {
			marked := i == len(after)-1
			if r.ID != before[i].ID || *r.Pinned != marked || *r.Archived != marked || (strings.Join(r.Tags, " ") == "a b") != marked {
				t.Errorf("%s: session %d is %s, pinned %t, archived %t, tags %q; want %s, marked %t", method, i, r.ID, *r.Pinned, *r.Archived, r.Tags, before[i].ID, marked)
			}
		}
	}
	var found row
	if err := json.Unmarshal(c.call("resolve", with{"reference": last.ID, "cwd": cwd}), &found); err != nil {
		t.Fatal(err)
	}
	if found.ID != last.ID || found.Pinned == nil || !*found.Pinned {
		t.Errorf("resolve(%s) = %+v; want it pinned", last.ID, found)
	}
}

// stream tells of each session in a notification of its own and holds none: pinned and
// archived ones, of a project or of all, those that a query chooses, up to a limit.
func TestStream(t *testing.T) {
	dir, cwd, other, state := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	c := dial(t, rpcserver.Options{App: ops.App{Dir: dir, Marks: func() (*marks.Collection, error) { return marks.Open(state) }}})
	for id, at := range map[string]string{"one": cwd, "two": cwd, "three": other} {
		h := c.open("create", with{"cwd": at, "options": with{"id": id}})
		c.call("appendMessage", with{"session": h, "message": user("the title of " + id)})
	}
	kept, err := marks.Open(state)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.Update("two", "", func(m *marks.Marks) { m.Pinned = true }); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		params with
		want   []string
	}{
		{with{}, []string{"one false the title of one", "three false the title of three", "two true the title of two"}},
		{with{"cwd": cwd}, []string{"one false the title of one", "two true the title of two"}},
		{with{"query": "three"}, []string{"three false the title of three"}},
		{with{"cwd": other, "limit": 5}, []string{"three false the title of three"}},
	} {
		c.told = nil
		count := string(c.call("stream", tt.params))
		var got []string
		for _, line := range c.told {
			var told struct {
				Method string
				Params struct {
					Request int
					Session struct {
						ID, Title string
						Pinned    bool
					}
				}
			}
			if err := json.Unmarshal([]byte(line), &told); err != nil {
				t.Fatal(err)
			}
			if s := told.Params.Session; told.Method == "session" && told.Params.Request == c.lastID {
				got = append(got, fmt.Sprintf("%s %t %s", s.ID, s.Pinned, s.Title))
			}
		}
		slices.Sort(got)
		if want := fmt.Sprintf(`{"sessions":%d}`, len(tt.want)); !slices.Equal(got, tt.want) || count != want {
			t.Errorf("stream(%v) told %q and returned %s; want %q and %s", tt.params, got, count, tt.want, want)
		}
	}
	c.told = nil
	if got := string(c.call("stream", with{"limit": 2})); got != `{"sessions":2}` {
		t.Errorf("stream with a limit of 2 = %s", got)
	}
	if failed := c.fail("stream", with{"query": "role:user"}); failed.Code != -32602 {
		t.Errorf("stream of entries = %v; want -32602", failed)
	}
}

package rpcserver_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
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
	indexed := dial(t, rpcserver.Options{Dir: dir, Index: func() *catalog.Index { opened++; return index }})
	without := dial(t, rpcserver.Options{Dir: dir, Index: func() *catalog.Index { return nil }})
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
	c := dial(t, rpcserver.Options{Dir: dir, Marks: func() func(string) marks.Marks {
		s, err := marks.Open(state)
		if err != nil {
			t.Error(err)
			return func(string) marks.Marks { return marks.Marks{} }
		}
		return s.Of
	}})
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

package rpc_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/rpc"
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
	indexed := dial(t, rpc.Options{Dir: dir, Index: func() *catalog.Index { opened++; return index }})
	without := dial(t, rpc.Options{Dir: dir, Index: func() *catalog.Index { return nil }})
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

package search_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pith-sessions/pith/catalog/search"
)

func TestQueries(t *testing.T) {
	dir := sample(t)
	tests := map[string]string{
		"error":                   "a/e4 a/e1",
		"ERROR":                   "a/e4 a/e1",
		"isError":                 "",
		"role":                    "",
		"content":                 "",
		"err":                     "",
		"err*":                    "a/e4 a/e1",
		"parse_config.go":         "a/e1",
		`"config go"`:             "a/e1",
		`"go config"`:             "",
		"config where":            "a/e1",
		"pondered":                "a/e2",
		"treasure":                "a/e2",
		"needle":                  "a/e2",
		`"grep -n needle"`:        "a/e2",
		`re:"-n "`:                "a/e2",
		`re:-n\s"needle`:          "a/e2",
		"command":                 "",
		`re:found\s.it.\nline`:    "a/e3",
		`re:(?i)ERROR`:            "a/e4 a/e1",
		`re:ERROR`:                "a/e1",
		`re:(where|pondered|кот)`: "a/e2 a/e1",
		`re:(WHERE|pondered|кот)`: "a/e2",
		`re:[A-Z]{5}`:             "a/e1",
		"café":                    "a/e4",
		"cafe":                    "a/e4",
		"CAFE\u0301":              "a/e4",
		"re:cafe":                 "",
		`"Café GROSSE"`:           "",
		"grosse":                  "",
		"große":                   "a/e4",
		"größe":                   "a/e4",
		"GRÖSSE":                  "",
		"GRÖßE":                   "a/e4",
		"parser":                  "a/e5",
		"rootcause":               "a/e6",
		"ärger":                   "a/e7",
		"ÄRGER":                   "a/e7",
		"テキスト":                    "b/e21",
		"本語":                      "b/e21",
		"本の":                      "",
		"extension":               "b/e22",
		"invisible":               "",
		"bmVlZGxl":                "",
		"make":                    "b/e24",
		"привет мир":              "b/e25",
		"linker":                  "a/e7 a/e2",
		"linker role:name":        "a/e7",
		"role:user":               "b/e25 b/e21 a/e1",
		"role:summary":            "a/e5",
		"role:label":              "a/e6",
		"role:bash":               "b/e24",
		"role:custom":             "b/e22",
		"tool:bash":               "a/e3 a/e2",
		"tool:bash found":         "a/e3",
		"file:main.go":            "a/e2",
		"file:src/Main look":      "a/e2",
		"file:nothing.go":         "",
		"file:main.go found":      "a/e3", // the result of a call that names it
		"file:main.go role:tool":  "a/e3",
		"file:main.go tool:bash":  "a/e2",
		"file:main.go error":      "",
		"file:nothing.go found":   "",
		"error project:w/app":     "a/e4 a/e1",
		"error project:lib":       "",
		"error since:2026-02-04":  "",
		"error until:2026-02-03":  "a/e4 a/e1",
		"error until:2026-02-02":  "",
		"error since:3mo":         "a/e4 a/e1",
		"42":                      "a/e3",
		"?":                       "a/e1",
		`"?" where`:               "a/e1",
		"error -role:user":        "a/e4",
		"role:label,bash":         "b/e24 a/e6",
		"-role:user,tool file:x":  "",
		"error -since:2026-02-04": "a/e4 a/e1",
	}
	plain := inDir(t, dir)
	indexed := plain
	indexed.Index = openIndex(t, t.TempDir())
	fill(t, indexed.Index, indexed)
	for query, want := range tests {
		for how, o := range map[string]search.Options{"scan": plain, "index": indexed} {
			if got := entries(ask(t, query, o)); got != want {
				t.Errorf("%s: Search(%s) = %q, want %q", how, query, got, want)
			}
			o.Order = search.Best
			if got, want := sortedWords(entries(ask(t, query, o))), sortedWords(want); got != want {
				t.Errorf("%s, best: Search(%s) = %q, want %q", how, query, got, want)
			}
		}
	}
	if r := ask(t, "error", indexed); r.Scanned != 0 || r.Unindexed != 0 || r.Sessions != 2 {
		t.Errorf("Search with a full index: %d bytes read, %d not indexed, %d sessions; want 0, 0, 2", r.Scanned, r.Unindexed, r.Sessions)
	}
}

// The marks of a snippet are where the terms are.
func TestSnippets(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("filler words ", 40) + "the  Needle\n\tis here, needle*again " + strings.Repeat("and more ", 60)
	text, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "a.jsonl"), session("a", "/w", message(1, "user", string(text))))
	for _, query := range []string{"needle", `"needle is"`, "re:[Nn]eedle"} {
		o := inDir(t, dir)
		r := ask(t, query, o)
		if len(r.Hits) != 1 {
			t.Fatalf("Search(%s) = %d hits", query, len(r.Hits))
		}
		o.Order = search.Best
		if diff := cmp.Diff(snippets(r), snippets(ask(t, query, o))); diff != "" {
			t.Errorf("Search(%s): snippets (-newest first, +best first)\n%s", query, diff)
		}
		s := r.Hits[0].Snippet
		if !s.Before || !s.After || len(s.Marks) == 0 || len(s.Text) > 400 || strings.Contains(s.Text, "  ") {
			t.Errorf("Search(%s): snippet %+v", query, s)
		}
		for _, m := range s.Marks {
			if !strings.HasPrefix(strings.ToLower(s.Text[m.Start:m.End]), "needle") {
				t.Errorf("Search(%s): mark %q in %q", query, s.Text[m.Start:m.End], s.Text)
			}
		}
	}
}

// The titles that oh-my-pi gives a session are found, in any position.
func TestTitles(t *testing.T) {
	dir := t.TempDir()
	one := message(1, "user", `"hello"`)
	slot := `{"type":"title","v":1,"title":"zebra slot","source":"auto","updatedAt":"2026-02-03T10:00:00.000Z","pad":"`
	slot += strings.Repeat(" ", 256-len(slot)-len("\"}\n")) + "\"}\n"
	plainHead := session("head", "/w/app", one)
	write(t, filepath.Join(dir, "head.jsonl"), strings.Replace(plainHead, `"cwd"`, `"title":"zebra head","cwd"`, 1))
	write(t, filepath.Join(dir, "slot.jsonl"), slot+session("slot", "/w/app", one))
	write(t, filepath.Join(dir, "change.jsonl"), session("change", "/w/app", one, line("title_change", 2, `"title":"zebra change"`)))
	plain := inDir(t, dir)
	indexed := plain
	indexed.Index = openIndex(t, t.TempDir())
	fill(t, indexed.Index, indexed)
	for how, o := range map[string]search.Options{"scan": plain, "index": indexed} {
		for query, want := range map[string]string{
			"zebra": "change/e2 head/ slot/", "zebra head": "head/", "zebra slot role:name": "slot/", "zebra branch:active": "change/e2 head/ slot/", "pad": "",
		} {
			if got := sortedWords(entries(ask(t, query, o))); got != want {
				t.Errorf("%s: Search(%s) = %q, want %q", how, query, got, want)
			}
		}
	}
}

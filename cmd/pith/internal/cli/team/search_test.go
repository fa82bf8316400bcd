package team_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// words are what random sessions and queries are made of.
var words = []string{
	"error", "ERRORS", "err", "parse_config.go", "a/b-c.go", "größe", "GRÖSSE", "Straße", "日本", "本語", "检索", "ไทย", "👩‍👩‍👧", "é", "e\u0301", "İstanbul",
	"\"quoted\"", "back\\slash", "new\nline", "null\x00byte", "role:user", "(", ".*", "%s", "';DROP TABLE log;--", "AND", "OR", strings.Repeat("long", 40), "the", "café",
}

// A talker makes random sessions on a machine.
type talker struct {
	*rand.Rand
	*desk
	ids map[string][]string // of the entries, by file
}

func (r *talker) text() string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(words[r.IntN(len(words))] + []string{" ", "", "\n", ", "}[r.IntN(4)])
	}
	return b.String()
}

func (r *talker) literal() string {
	text, _ := json.Marshal(r.text()) // a string can be encoded
	return string(text)
}

// say adds entries to a session, below any of those that it has.
func (r *talker) say(path string) {
	r.t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	for range 1 + r.IntN(8) {
		parent, ids := "null", r.ids[path]
		if len(ids) > 0 {
			parent = `"` + ids[r.IntN(len(ids))] + `"`
		}
		id := fmt.Sprintf("%08x", r.Uint32())
		r.ids[path] = append(ids, id)
		head := fmt.Sprintf(`"id":"%s","parentId":%s,"timestamp":"2026-02-03T10:%02d:%02d.000Z"`, id, parent, len(ids)%60, r.IntN(60))
		body := []string{
			`{"type":"message",%s,"message":{"role":"user","content":%s}}`,
			`{"type":"message",%s,"message":{"role":"assistant","content":[{"type":"text","text":%s}]}}`,
			`{"type":"message",%s,"message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":%s}}]}}`,
			`{"type":"session_info",%s,"name":%s}`,
			`{"type":"custom_message",%s,"customType":"x","display":true,"content":%s}`,
		}[r.IntN(5)]
		if _, err := fmt.Fprintf(f, body+"\n", head, r.literal()); err != nil {
			r.t.Fatal(err)
		}
	}
}

// begin makes a session.
func (r *talker) begin() string {
	r.t.Helper()
	dir := filepath.Join(r.home, ".pi", "agent", "sessions", "--samples--")
	id := fmt.Sprintf("0199a1b2-c3d4-7e5f-8a9b-%012x", r.Uint32())
	path := filepath.Join(dir, id+".jsonl")
	head := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/w/%d"}`+"\n", id, r.IntN(3))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
		r.t.Fatal(err)
	}
	r.say(path)
	return path
}

func (r *talker) query() string {
	word := words[r.IntN(len(words))]
	switch r.IntN(6) {
	case 0:
		return `"` + strings.ReplaceAll(r.text(), `"`, "") + `"`
	case 1:
		return string([]rune(word)[:1+r.IntN(len([]rune(word)))]) + "*"
	case 2:
		return "re:" + []string{`(?i)err\w+`, `ß`, `日.`, `(?s)new.line`, `error|größe`}[r.IntN(5)]
	case 3:
		return word + " " + []string{"role:user", "role:assistant", "tool:bash", "project:w/1", "branch:active", "since:2026-02-03"}[r.IntN(6)]
	}
	return word + " " + words[r.IntN(len(words))]
}

// Whatever the sessions contain and however they grow, a search in the database
// finds the same as a search on the machine that has them.
func TestSearchIsTheSameInTheStore(t *testing.T) {
	ana, _ := newTeam(t)
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			laptop, reader := newDesk(t, ana, fmt.Sprint("laptop", seed)), newDesk(t, ana, "reader")
			r := &talker{rand.New(rand.NewPCG(seed, 16)), laptop, map[string][]string{}}
			var files []string
			found := 0
			for range 8 {
				if len(files) < 3 || r.IntN(4) == 0 {
					files = append(files, r.begin())
				}
				r.say(files[r.IntN(len(files))])
				laptop.do("sync")
				for range 6 {
					query := r.query()
					code, here, told := laptop.locally("search", query, "--json", "--limit", "10000")
					there, out, _ := reader.run("search", query, "--json", "--limit", "10000")
					if code != there {
						t.Fatalf("search %q = %d in the store; want %d: %s", query, there, code, told)
					}
					if code > 1 { // 1: nothing matches
						continue
					}
					want, got := sorted(hits(t, here)), sorted(hits(t, out))
					if got != want {
						t.Fatalf("search %q in the store:\n%s\nwant\n%s", query, got, want)
					}
					found += strings.Count(want, "\n")
				}
			}
			if found < 50 {
				t.Errorf("only %d hits: this test tests little", found)
			}
		})
	}
}

// T3: what is beyond the limits of PostgreSQL's own index of words is found: a text of more
// than a megabyte with more than 16,383 words, a word of more than 2 KB, a phrase at the end.
func TestLargeTextIsFoundInTheStore(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, reader := newDesk(t, ana, "laptop"), newDesk(t, ana, "reader")
	var text strings.Builder
	for i := range 150_000 {
		fmt.Fprintf(&text, "word%06d ", i)
	}
	long := strings.Repeat("abcdefghij", 300)
	text.WriteString(long + " at the very end")
	laptop.begin(oneID, "/w", text.String())
	laptop.do("push", "--all")
	for query, want := range map[string]int{"word000003": 1, "word149999": 1, `"word149998 word149999"`: 1, `"word149999 word149998"`: 0, long: 1, `"the very end"`: 1} {
		_, ours, _ := laptop.locally("search", query, "--json")
		_, theirs, _ := reader.run("search", query, "--json")
		here, there := hits(t, ours), hits(t, theirs)
		if here != there || strings.Count(there, "\n") != want {
			t.Errorf("search %.30s found %d in the store and %d here; want %d", query, strings.Count(there, "\n"), strings.Count(here, "\n"), want)
		}
	}
}

func sorted(lines string) string {
	all := strings.SplitAfter(lines, "\n")
	slices.Sort(all)
	return strings.Join(all, "")
}

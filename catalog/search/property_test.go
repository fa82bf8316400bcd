package search_test

import (
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
)

// pieces are what texts and queries of random stores are made of.
var pieces = []string{
	"error", "Error", "ERRORS", "err", "e", "x", "42", "parse_config.go", "a/b-c.go", "größe", "GRÖSSE", "Straße", "ẞ", "ǅ", "Ωmega", "K", "ſs",
	"日本", "本語", "語", "检索", "한글", "ไทย", "👩‍👩‍👧", "🎉", "é", "e\u0301", "İstanbul", "\"quoted\"", "back\\slash", "tab\there", "new\nline", "null\x00byte",
	"\u2028", "\u007f", "\ufffd", "*", "re:", "role:user", "(", "[a-z", ".*", "$", "^", "%s", "--", "';DROP TABLE doc;--", "NEAR(a b)", "AND", "OR", "NOT",
	strings.Repeat("long", 40), strings.Repeat("ж", 50), "</script>", "\\u0065rror", "a", "the", "content", "isError",
	"cafe", "café", "CAFE\u0301S", "Việt", "viet", "мой", "мои", "ά", "α", "x\u0308\u0301y", "xy",
}

// A randomStore changes a directory of sessions as programs and people do.
type randomStore struct {
	*rand.Rand
	t    *testing.T
	dir  string
	next int
	// other is the index as another process has it open.
	other *search.Index
	// shared means that others look at the files at any moment: then none is changed
	// in its middle, which is not noticed if it is appended to before they look.
	shared bool
}

func (r *randomStore) text() string {
	var b strings.Builder
	for range 1 + r.IntN(6) {
		b.WriteString(pieces[r.IntN(len(pieces))])
		b.WriteString([]string{" ", "", "\n", ", "}[r.IntN(4)])
	}
	return b.String()
}

// literal is a text in JSON, escaped in one of the ways that writers have.
func (r *randomStore) literal() string {
	text := r.text()
	plain, err := json.Marshal(text)
	if err != nil {
		r.t.Fatal(err)
	}
	if r.IntN(3) > 0 {
		return string(plain)
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, u := range utf16Of(text) {
		fmt.Fprintf(&b, `\u%04x`, u)
	}
	b.WriteByte('"')
	return b.String()
}

func utf16Of(text string) []uint16 {
	var out []uint16
	for _, c := range text {
		if c > 0xffff {
			c -= 0x10000
			out = append(out, uint16(0xd800+c>>10), uint16(0xdc00+c&0x3ff))
			continue
		}
		out = append(out, uint16(c))
	}
	return out
}

func (r *randomStore) line() string {
	r.next++
	n := r.next
	switch r.IntN(8) {
	case 0:
		return line("label", n, `"targetId":"e1","label":`+r.literal())
	case 1:
		return line("session_info", n, `"name":`+r.literal())
	case 2:
		return line("compaction", n, `"firstKeptEntryId":"e1","tokensBefore":1,"summary":`+r.literal())
	case 3:
		return message(n, "assistant", `[{"type":"thinking","thinking":`+r.literal()+`},{"type":"toolCall","id":"`+r.call()+`","name":"bash","arguments":{"command":`+
			r.literal()+`,"path":"/w/src/main.go"}}]`)
	case 4:
		return line("message", n, `"message":{"role":"toolResult","toolCallId":"`+r.call()+`","toolName":"bash","content":`+r.literal()+`}`)
	case 5:
		return line("custom", n, `"customType":"x","data":`+r.literal())
	}
	return message(n, []string{"user", "assistant", "toolResult"}[r.IntN(3)], r.literal())
}

// call is the id of a tool call, which others may have too.
func (r *randomStore) call() string { return fmt.Sprintf("c%d", r.IntN(8)) }

func (r *randomStore) lines() string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(r.line() + "\n")
	}
	return b.String()
}

func (r *randomStore) files() []string {
	all, err := filepath.Glob(filepath.Join(r.dir, "*.jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	return all
}

func (r *randomStore) add() string {
	r.next++
	id := fmt.Sprintf("s%d", r.next)
	return write(r.t, filepath.Join(r.dir, id+".jsonl"), session(id, fmt.Sprintf("/w/%d", r.IntN(3)))+r.lines())
}

// change does one thing to one file.
func (r *randomStore) change() string {
	all := r.files()
	if len(all) < 3 {
		return "add " + r.add()
	}
	path := all[r.IntN(len(all))]
	data, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	put := func(text string) {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.WriteString(text)
			f.Close()
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
	away := filepath.Join(r.t.TempDir(), "gone")
	what := r.IntN(16)
	if what == 14 && r.shared {
		what = 0
	}
	switch what {
	case 15:
		r.next++
		return fmt.Sprint("link ", path, os.Link(path, fmt.Sprintf("%s/l%d.jsonl", r.dir, r.next)))
	case 14: // other words, the same size
		write(r.t, path, strings.NewReplacer("AND", "err", "NOT", "the", "ERRORS", "config", "Error", "42 42").Replace(string(data)))
		at := now.Add(time.Duration(r.next) * time.Second)
		r.next++
		return fmt.Sprint("exchange words ", path, os.Chtimes(path, at, at))
	case 12, 13: // into the trash and back, and the index forgets it meanwhile
		if err := os.Rename(path, away); err != nil {
			r.t.Fatal(err)
		}
		fill(r.t, r.other, inDir(r.t, r.dir))
		return fmt.Sprint("away and back ", path, os.Rename(away, path))
	case 0:
		return "add " + r.add()
	case 1:
		return fmt.Sprint("remove ", path, os.Remove(path))
	case 2:
		return fmt.Sprint("rename ", path, os.Rename(path, strings.TrimSuffix(path, ".jsonl")+"r.jsonl"))
	case 3:
		return fmt.Sprint("truncate ", path, os.Truncate(path, int64(r.IntN(len(data)+1))))
	case 4:
		write(r.t, path, session("again", "/w/1")+r.lines())
		return "rewrite " + path
	case 5:
		r.next++
		return fmt.Sprint("replace ", path, os.Rename(write(r.t, path+".tmp", session(fmt.Sprintf("t%d", r.next), "/w/2")+r.lines()), path))
	case 6:
		put(r.line()[:30])
		return "tear " + path
	case 7:
		at := now.Add(-time.Duration(r.IntN(1000)) * time.Hour)
		return fmt.Sprint("touch ", path, os.Chtimes(path, at, at))
	}
	put(r.lines())
	return "append " + path
}

func (r *randomStore) query() string {
	var out []string
	for range 1 + r.IntN(2) {
		p := pieces[r.IntN(len(pieces))]
		switch r.IntN(8) {
		case 0:
			p = `"` + strings.ReplaceAll(r.text(), `"`, "") + `"`
		case 1:
			p = string([]rune(p)[:1+r.IntN(len([]rune(p)))]) + "*"
		case 2:
			p = `re:` + []string{`(?i)err\w+`, `\bgo\b`, `ß`, `(?i)GRÖ`, `日.`, `[0-9]+`, `long{4}`, `(?s)new.line`, `^e`, `error|größe`}[r.IntN(10)]
		case 3:
			p += " " + []string{"role:user", "role:assistant", "tool:bash", "file:main", "project:w/1", "branch:active", "since:2026-02-03", "until:2026-02-04",
				"-error", "-\"42\"", "-re:ß", "-role:user", "role:user,tool", "-tool:bash", "file:main,go", "-file:main", "-branch:active", "-project:w/1"}[r.IntN(18)]
		}
		out = append(out, p)
	}
	return strings.Join(out, " ")
}

// snippets are those of hits, by where their entries are.
func snippets(r search.Results) map[string]search.Snippet {
	out := map[string]search.Snippet{}
	for _, h := range r.Hits {
		out[fmt.Sprint(h.Session.Path, h.Offset)] = h.Snippet
	}
	return out
}

// A first is the first hit of a session.
type first struct {
	Path    string
	Offset  int64
	Matches int
}

// firstsOf are the first hits of each session, with the number of its hits.
func firstsOf(r search.Results) (out []first) {
	for _, h := range r.Hits {
		if n := len(out) - 1; n >= 0 && out[n].Path == h.Session.Path {
			out[n].Offset = h.Offset
			out[n].Matches++
		} else {
			out = append(out, first{h.Session.Path, h.Offset, max(1, h.Matches)})
		}
	}
	return out
}

// S1: whatever the files contain and however they change, a search finds the
// same with an index, with an outdated one, with one that another process
// changes, and without one. The same holds with a veil.
func TestSearchIsTheSameOnRandomStores(t *testing.T) {
	const steps = 40 // enough in each store to find and to count something
	stores := uint64(8)
	if testing.Short() {
		stores = 1
	}
	for seed := range stores {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { sameWithIndex(t, seed, steps, nil) })
		t.Run(fmt.Sprint(seed, " behind a veil"), func(t *testing.T) { sameWithIndex(t, seed, steps/2, someVeil()) })
	}
}

// someVeil hides some of the pieces that texts are made of, also inside words.
func someVeil() *search.Veil {
	const placeholder = "<error>"
	hide := strings.NewReplacer("rro", placeholder, "42", placeholder, "größe", placeholder, "本", placeholder, "\u0301", placeholder, "long", placeholder)
	return &search.Veil{
		Line: func(line []byte) []byte { return line },
		Text: hide.Replace,
		Visible: func(text string) iter.Seq2[int, string] {
			return func(yield func(int, string) bool) {
				at := 0
				for part := range strings.SplitSeq(text, placeholder) {
					if !yield(at, part) {
						return
					}
					at += len(part) + len(placeholder)
				}
			}
		},
	}
}

func sameWithIndex(t *testing.T, seed uint64, steps int, veil *search.Veil) {
	r := &randomStore{Rand: rand.New(rand.NewPCG(seed, 7)), t: t, dir: t.TempDir()}
	cache := t.TempDir()
	r.other = openIndex(t, cache)
	for range 5 {
		r.add()
	}
	plain := inDir(t, r.dir)
	plain.Limit, plain.Veil = 10_000, veil
	kept := plain // by a process that runs all the time
	kept.Index = openIndex(t, cache)
	facts, err := catalog.OpenIndex(cache)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { facts.Close() })
	kept.Catalog.Index = facts
	found, counted, history := 0, 0, ""
	for range steps {
		history += r.change() + "\n"
		if r.IntN(3) == 0 {
			fill(t, []*search.Index{kept.Index, r.other}[r.IntN(2)], plain)
			history += "fill\n"
		}
		query := r.query()
		if _, err := parse(query); err != nil {
			continue
		}
		want, got := ask(t, query, plain), ask(t, query, kept)
		if entries(got) != entries(want) {
			t.Fatalf("Search(%q)\nwith index    %s\nwithout index %s\nafter\n%s", query, entries(got), entries(want), history)
		}
		kept.First = true
		for _, kept.Limit = range []int{0, plain.Limit} {
			if diff := cmp.Diff(firstsOf(want), firstsOf(ask(t, query, kept))); diff != "" {
				t.Fatalf("Search(%q): first hits of sessions, limit %d (-without index, +with index)\n%s\nafter\n%s", query, kept.Limit, diff, history)
			}
		}
		kept.Limit = 1
		if got := firstsOf(ask(t, query, kept)); len(got) > 1 { // the index counts
			all := firstsOf(want)
			for i := range min(len(all), len(got)) {
				if i > 0 && got[i].Offset == 0 { // not read
					all[i].Offset = 0
					counted++
				}
			}
			if diff := cmp.Diff(all, got); diff != "" {
				t.Fatalf("Search(%q): the first session, and matches of the others (-want +got)\n%s\nafter\n%s", query, diff, history)
			}
		}
		kept.Limit = plain.Limit
		kept.First, kept.Order = false, search.Best
		best := ask(t, query, kept)
		if sortedWords(entries(best)) != sortedWords(entries(want)) {
			t.Fatalf("Search(%q), best first\nwith index    %s\nwithout index %s\nafter\n%s", query, entries(best), entries(want), history)
		}
		if diff := cmp.Diff(snippets(want), snippets(best)); diff != "" {
			t.Fatalf("Search(%q): snippets (-newest first, +best first)\n%s", query, diff)
		}
		kept.Order = ""
		found += len(want.Hits)
	}
	if found == 0 || counted == 0 && veil == nil {
		t.Errorf("found %d, counted %d: this test tests nothing", found, counted)
	}
}

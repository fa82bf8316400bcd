package conformance_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
)

// Every odd file opens, or is refused, as its description says. Each names the
// pitfalls that it is about.
func TestOddFiles(t *testing.T) {
	for _, f := range corpus.Odd() {
		t.Run(f.Name, func(t *testing.T) {
			// A walk around a circle that is not seen would never end.
			watch := time.AfterFunc(time.Minute, func() { panic(f.Name + ": still at it after a minute") })
			defer watch.Stop()
			oddCase{f, sessionFile(t, string(f.Bytes))}.run(t)
		})
	}
}

type oddCase struct {
	corpus.OddFile
	path string
}

func (o oddCase) run(t *testing.T) {
	switch o.Opening {
	case corpus.Refused:
		o.refused(t)
	case corpus.Fresh:
		o.fresh(t)
	case corpus.ReadOnly:
		o.read(t)
		o.notWritten(t)
		if strings.HasPrefix(o.Name, "oh-my-pi") {
			o.forked(t)
		}
	default:
		o.read(t)
		o.forked(t)
		o.written(t)
	}
}

func (o oddCase) unchanged(t *testing.T, by string) {
	t.Helper()
	if got := readFile(t, o.path); got != string(o.Bytes) {
		t.Errorf("%s changed the file: %s; want %s", by, lastPart(got), lastPart(string(o.Bytes)))
	}
}

func (o oddCase) refused(t *testing.T) {
	for name, open := range map[string]func(context.Context, string, pith.Options) (*pith.Session, error){"Open": pith.Open, "OpenOrCreate": pith.OpenOrCreate} {
		s, err := open(t.Context(), o.path, pith.Options{})
		if err == nil {
			s.Close()
		}
		if !errors.Is(err, pith.ErrNotSession) && !errors.Is(err, pith.ErrTooNew) {
			t.Errorf("%s = %v; want ErrNotSession or ErrTooNew", name, err)
		}
		o.unchanged(t, name)
	}
}

// fresh is for a file with nothing in it: it becomes a session with the first
// message, not before (pitfalls 12, 29, 30).
func (o oddCase) fresh(t *testing.T) {
	s := openPith(t, o.path, pith.Options{})
	if s.View().Len() != 0 || s.LeafID() != "" {
		t.Errorf("Len() = %d, LeafID() = %q; want an empty session", s.View().Len(), s.LeafID())
	}
	o.unchanged(t, "opening")
	id := sayNext(t, s)
	again := reopen(t, o.path)
	if again.LeafID() != id || again.View().Len() != 1 {
		t.Errorf("after a message the file has %d entries and leaf %q; want 1 and %q", again.View().Len(), again.LeafID(), id)
	}
}

func (o oddCase) read(t *testing.T) {
	s := openPith(t, o.path, pith.Options{})
	if s.View().Len() != o.Entries {
		t.Errorf("Len() = %d, want %d entries", s.View().Len(), o.Entries)
	}
	if got := s.LeafID(); o.Leaf != "" && got != o.Leaf {
		t.Errorf("LeafID() = %q, want %q", got, o.Leaf)
	}
	o.walk(t, s)
	o.findings(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	o.unchanged(t, "reading")
	info, err := catalog.Facts(context.Background(), catalog.Ref{Path: o.path}, catalog.Options{Text: true})
	if err != nil || info.Entries != o.Entries {
		t.Errorf("catalog.ReadInfo = %d entries, %v; want %d", info.Entries, err, o.Entries)
	}
	o.unchanged(t, "listing")
}

// walk takes every walk that there is: all of them end, and every entry is in
// the tree once (pitfalls 62, 72, 73, 76).
func (o oddCase) walk(t *testing.T, s *pith.Session) {
	entries := 0
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatalf("Entries(): %v", err)
		}
		entries++
		id := e.Head().ID
		if _, err := s.View().PathIDs(id); err != nil {
			t.Errorf("PathIDs(%q): %v", id, err)
		}
		if _, err := s.View().Children(id); err != nil {
			t.Errorf("Children(%q): %v", id, err)
		}
	}
	if nodes := len(flatTree(t, s.View().Tree())); nodes != entries || entries != o.Entries {
		t.Errorf("Tree() has %d nodes, Entries() %d; want %d", nodes, entries, o.Entries)
	}
	c, err := s.Context()
	if err != nil {
		t.Fatalf("Context(): %v", err)
	}
	pithContext(t, "leaf", c, nil)
	if _, _, err := c.Repaired(); err != nil {
		t.Errorf("Repaired(): %v", err)
	}
}

// findings must name every faulty line, and point into the line that they name
// (pitfall 5). Those of a file that is to be migrated are about its new form.
func (o oddCase) findings(t *testing.T, s *pith.Session) {
	found := s.Findings()
	var lines []int
	for _, f := range found {
		lines = append(lines, f.Line)
		if f.Code == "" || f.Text == "" {
			t.Errorf("finding %+v has no code or no text", f)
		}
		start, end := lineBounds(o.Bytes, f.Line)
		if !s.NeedsMigration() && (f.Offset < start || f.Offset > end) {
			t.Errorf("finding %v; want a byte of line %d, which is %d to %d", f, f.Line, start, end)
		}
	}
	if !slices.IsSorted(lines) {
		t.Errorf("findings of lines %v; want them in file order", lines)
	}
	for _, line := range o.Faulty {
		if !slices.Contains(lines, line) {
			t.Errorf("findings %v; want one of line %d", found, line)
		}
	}
}

// lineBounds are the offsets of a physical line's first byte and of its end.
func lineBounds(data []byte, line int) (start, end int64) {
	n := 0
	for l := range bytes.Lines(data) {
		if n++; n == line {
			return start, start + int64(len(l))
		}
		start += int64(len(l))
	}
	return start, start
}

// notWritten is for files that are too new (pitfall 21), and those of oh-my-pi.
func (o oddCase) notWritten(t *testing.T) {
	s := openPith(t, o.path, pith.Options{})
	if _, err := s.SetName(t.Context(), "x"); !errors.Is(err, pith.ErrTooNew) && !errors.As(err, new(*format.ForeignError)) {
		t.Errorf("SetName = %v, want ErrTooNew or a ForeignError", err)
	}
	o.unchanged(t, "a refused append")
}

// forked checks that a copy has every entry with its bytes (pitfalls 18, 19, 20).
func (o oddCase) forked(t *testing.T) {
	f, err := pith.ForkFrom(t.Context(), o.path, pith.Options{Cwd: "/home/dev/fork", Dir: t.TempDir()})
	if err != nil {
		t.Fatalf("ForkFrom: %v", err)
	}
	defer f.Close()
	source := reopen(t, o.path)
	ours, theirs := rawEntries(t, f), rawEntries(t, source)
	if len(ours) == len(theirs)+1 && source.Name() != "" {
		ours = ours[:len(theirs)] // a title that is not in an entry
	}
	sameLists(t, "entries of the fork", ours, theirs)
	if f.Name() != source.Name() {
		t.Errorf("name of the fork = %q, want %q", f.Name(), source.Name())
	}
	o.unchanged(t, "forking")
}

// written appends: the new entry is on a line of its own, everything that was
// there is there still, and is found again (pitfalls 1, 2, 4, 25).
func (o oddCase) written(t *testing.T) {
	s := openPith(t, o.path, pith.Options{})
	migrates := s.NeedsMigration()
	before := rawEntries(t, s)
	id := sayNext(t, s)
	if err := s.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	data := readFile(t, o.path)
	if migrates {
		backup, err := os.ReadFile(o.path + ".old.bak")
		if err != nil || !bytes.Equal(backup, o.Bytes) {
			t.Errorf("the backup is not the old file: %v", err)
		}
	} else if !strings.HasPrefix(data, string(o.Bytes)) {
		t.Errorf("the file does not begin with its old bytes")
	}
	lines := linesOf(data)
	var last struct{ ID string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.ID != id {
		t.Errorf("the last line is %.200s, %v; want entry %s alone", lines[len(lines)-1], err, id)
	}
	again := reopen(t, o.path)
	after := rawEntries(t, again)
	if len(after) != len(before)+1 || again.LeafID() != id {
		t.Fatalf("after an append there are %d entries and the leaf is %q; want %d and %q", len(after), again.LeafID(), len(before)+1, id)
	}
	sameLists(t, "entries after an append", after[:len(before)], before)
	if !migrates {
		o.findings(t, again)
	}
}

// The oddity of some files shows only in one fact.
func TestOddFacts(t *testing.T) {
	tests := map[string]struct {
		fact func(*pith.Session) any
		want any
	}{
		"duplicate-headers":         {func(s *pith.Session) any { return s.ID() }, "0195f1a0-0000-7000-8000-00000000000d"},   // pitfall 15
		"no-cwd":                    {func(s *pith.Session) any { return s.Cwd() }, ""},                                      // pitfall 23
		"stale-rename":              {func(s *pith.Session) any { return s.Name() }, "renamed from an old window"},           // pitfall 77
		"stale-label":               {func(s *pith.Session) any { return s.View().Label("aaaa0001") }, "from an old window"}, // pitfall 77
		"lone-surrogates":           {func(s *pith.Session) any { return s.Name() }, "half \xed\xa0\xbc"},                    // pitfall 19
		"oh-my-pi-title-slot":       {func(s *pith.Session) any { return s.Name() }, "Faster builds"},
		"oh-my-pi":                  {func(s *pith.Session) any { return s.Name() }, "Old title"},
		"several-roots":             {roots, 2},         // pitfall 76
		"missing-parent":            {roots, 2},         // pitfall 73
		"odd-parents":               {roots, 4},         // pitfall 73
		"cycle-long":                {roots, 1},         // pitfall 72
		"v1-under-a-v3-header":      {roots, 1},         // pitfall 99
		"pi-agent-rust-without-ids": {pathLength, 3},    // pitfall 73
		"parent-comes-later":        {pathLength, 4},    // pitfall 73
		"label-as-parent":           {pathLength, 6},    // pitfall 79
		"content-null":              {contextLength, 4}, // pitfall 17
		"content-missing":           {contextLength, 3}, // pitfall 17
		"message-without-message":   {contextLength, 4}, // pitfall 16
		"kept-entry-missing":        {contextNotes, 1},  // pitfall 88
		"kept-nothing":              {contextNotes, 0},  // pitfall 89
		"atomic":                    {contextNotes, 0},  // pitfall 89
		"version-1":                 {contextLength, 4}, // pitfall 98: the summary, one kept, two after it
	}
	files := map[string]corpus.OddFile{}
	for _, f := range corpus.Odd() {
		files[f.Name] = f
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f, ok := files[name]
			if !ok {
				t.Fatal("there is no such odd file any more")
			}
			if got := tt.fact(open(t, string(f.Bytes))); got != tt.want {
				t.Errorf("got %v, want %v: %s", got, tt.want, f.What)
			}
		})
	}
}

// A session with an oh-my-pi title has it as its name, wherever it is: in a
// slot before the header, in the header, in an entry. Lists show the same.
func TestTitlesOfOhMyPi(t *testing.T) {
	const slot = `{"type":"title","v":1,"title":"in the slot","pad":"   "}` + "\n"
	titled := strings.Replace(plainHead, `"cwd"`, `"title":"in the header","cwd"`, 1)
	change := `{"type":"title_change",` + inVersion3("cccc0001", "aaaa0001") + `,"title":"in an entry"}` + "\n"
	one := messageLine("aaaa0001", "null", "one")
	for want, text := range map[string]string{
		"":              plainHead + one,
		"in the slot":   slot + titled + one + change,
		"in the header": titled + one + change,
		"in an entry":   plainHead + one + change,
	} {
		s := open(t, text)
		info, err := catalog.Facts(context.Background(), catalog.Ref{Path: s.File()}, catalog.Options{})
		if err != nil || s.Name() != want || info.Name != want {
			t.Errorf("named %q, listed as %q, %v; want %q", s.Name(), info.Name, err, want)
		}
	}
}

func roots(s *pith.Session) any { return len(s.View().Tree()) }

func pathLength(s *pith.Session) any {
	ids, err := s.View().PathIDs(s.LeafID())
	if err != nil {
		return err
	}
	return len(ids)
}

func contextLength(s *pith.Session) any {
	c, err := s.Context()
	if err != nil {
		return err
	}
	n := 0
	for _, err := range c.Messages() {
		if err != nil {
			return err
		}
		n++
	}
	return n
}

func contextNotes(s *pith.Session) any {
	c, err := s.Context()
	if err != nil {
		return err
	}
	return len(c.Notes)
}

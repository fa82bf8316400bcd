package catalog_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/tests/corpus"
)

// opened holds the facts of a list, computed from the opened session.
type opened struct {
	id, cwd, name, model       string
	entries, messages, endings int
	status                     catalog.Status
	spent                      format.Spent
}

func factsOf(t *testing.T, s *pith.Session) (o opened) {
	t.Helper()
	h := s.Header()
	o = opened{id: s.ID(), cwd: h.Cwd, name: s.Name(), entries: s.View().Len(), status: catalog.StatusEmpty}
	o.model = format.ModelName(h.Provider, h.ModelID)
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Head().Type == format.TypeMessage {
			o.messages++
		}
		o.model = cmp.Or(modelOf(e), o.model)
		if u, _ := format.UsageOf(e); u != nil {
			o.spent = o.spent.Plus(u.Spent())
		}
	}
	v := s.View()
	path, err := v.Path("")
	if err != nil {
		t.Fatal(err)
	}
	for _, pos := range path {
		e, err := v.Entry(pos)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.(*format.MessageEntry); ok {
			o.status = cmp.Or(statusAfter(m.Message), o.status)
		}
	}
	for todo := s.View().Tree(); len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], n.Children...)
		if len(n.Children) == 0 {
			o.endings++
		}
	}
	return o
}

func modelOf(e format.Entry) string {
	switch e := e.(type) {
	case *format.ModelChange:
		return cmp.Or(format.ModelName(e.Provider, e.ModelID), jsonl.LookupString(e.Raw, "model"))
	case *format.MessageEntry:
		if m, ok := e.Message.(*format.Assistant); ok {
			return format.ModelName(m.Provider, m.Model)
		}
	}
	return ""
}

func statusAfter(m format.Message) catalog.Status {
	switch m := m.(type) {
	case *format.User:
		return catalog.StatusPending
	case *format.ToolResult:
		return catalog.StatusInterrupted
	case *format.Assistant:
		switch m.StopReason {
		case "toolUse", "length", "deferred":
			return catalog.StatusInterrupted
		case "aborted":
			return catalog.StatusAborted
		case "error":
			return catalog.StatusError
		}
		return catalog.StatusComplete
	}
	return ""
}

// A list reports the same facts of a session as the opened session: its leaf,
// its status, its content, its cost. This also holds when it is read in one
// pass, and when it has grown since it was indexed.
func TestListsAgreeWithSessions(t *testing.T) {
	files := map[string][]byte{}
	for seed := range uint64(8) {
		files[fmt.Sprint("generated ", seed)] = corpus.Bytes(corpus.Options{Seed: seed, Entries: 300, Branches: int(seed) * 3, Labels: 4, CompactEvery: 90})
	}
	for seed := range uint64(300) {
		files[fmt.Sprint("random ", seed)] = randomTree(seed)
	}
	for _, f := range corpus.Odd() {
		files["odd "+f.Name] = f.Bytes
	}
	for _, x := range corpus.Zoo("/zoo") {
		for i, f := range x.Files {
			files[fmt.Sprintf("zoo %s %d", x.Name, i)] = f.Bytes
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) { agree(t, name, files[name]) })
	}
}

func agree(t *testing.T, name string, data []byte) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if errors.Is(err, pith.ErrTooNew) { // its header can be read
		if info, err := readInfo(path, false); err != nil || info.Version <= format.Version {
			t.Errorf("the facts are %+v, %v; want a newer version", info, err)
		}
		return
	}
	if err != nil || len(data) == 0 {
		if err == nil { // what opens as an empty session is none before something is in it
			s.Close()
		}
		for info, err := range catalog.ListAll(t.Context(), catalog.Options{Dir: filepath.Dir(path)}) {
			t.Errorf("listed is %+v, %v; want nothing", info, err)
		}
		if info, err := readInfo(path, false); !errors.Is(err, pith.ErrNotSession) {
			t.Errorf("the facts are %+v, %v; want that it is no session", info, err)
		}
		return
	}
	defer s.Close()
	want := factsOf(t, s)
	if strings.HasPrefix(name, "odd") || len(s.Findings()) > 0 {
		want.endings = 0 // where links are odd a list counts ends as file order has them
	}
	check := func(how string, info catalog.Info, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", how, err)
		}
		got := opened{info.ID, info.Cwd, info.Name, info.Model, info.Entries, info.MessageCount, info.Branches, info.Status, info.Spent}
		if want.endings == 0 {
			got.endings = 0
		}
		if got != want {
			t.Errorf("%s:\nthe list says    %+v\nthe session says %+v", how, got, want)
		}
	}
	info, err := readInfo(path, false)
	check("read in one go", info, err)
	if !strings.HasPrefix(name, "random ") || len(name) > len("random 99") { // an index costs time
		return
	}
	cut := bytes.IndexByte(data[len(data)/2:], '\n') + len(data)/2 + 1
	if err := os.WriteFile(path, data[:cut], 0o600); err != nil {
		t.Fatal(err)
	}
	o := catalog.Options{Index: openIndex(t, t.TempDir())}
	if _, err := catalog.Facts(t.Context(), catalog.Ref{Path: path}, o); err != nil {
		t.Fatal(err)
	}
	appendText(t, path, string(data[cut:]))
	info, err = catalog.Facts(t.Context(), catalog.Ref{Path: path}, o)
	check("read on", info, err)
}

// randomTree is a session whose entries of all kinds hang on any that came before.
func randomTree(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	text := header("random", "/p") + "\n"
	for i := range 2 + r.IntN(30) {
		parent := "null"
		switch n := r.IntN(10); {
		case i > 0 && n < 6:
			parent = fmt.Sprintf(`"id%06d"`, i-1)
		case i > 0 && n < 9:
			parent = fmt.Sprintf(`"id%06d"`, r.IntN(i))
		}
		kinds := []string{
			`"message","message":{"role":"user","content":"ask"}`,
			`"message","message":{"role":"assistant","content":[],"provider":"p","model":"m1","stopReason":"stop","usage":{"input":1,"cost":{"total":0.0000004}}}`,
			`"message","message":{"role":"assistant","content":[],"provider":"p","model":"m2","stopReason":"toolUse","usage":{"input":1,"cost":{"total":0.0000004}}}`,
			`"message","message":{"role":"assistant","content":[],"provider":"p","model":"m2","stopReason":"error"}`,
			`"message","message":{"role":"toolResult","content":[],"toolCallId":"c"}`,
			`"message","message":{"role":"bashExecution","command":"ls","output":""}`,
			`"label","targetId":"id000000","label":"x"`, `"session_info","name":"n"`, `"custom","customType":"pith/leaf"`,
			`"custom","customType":"state"`, `"usage","provider":"p","model":"m","usage":{"input":2,"cost":{"total":0.0000004}}`,
			`"compaction","summary":"s","firstKeptEntryId":"id000000"`, `"session_exit"`, `"title_change","title":"t"`,
			`"model_change","provider":"q","modelId":"m3"`,
		}
		text += fmt.Sprintf(`{"type":%s,"id":"id%06d","parentId":%s,"timestamp":"2026-02-03T10:00:00.000Z"}`, kinds[r.IntN(len(kinds))], i, parent) + "\n"
	}
	return []byte(text)
}

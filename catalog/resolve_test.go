package catalog_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
)

// references makes a store with sessions in two projects.
func references(t *testing.T) (o catalog.Options, here string) {
	t.Helper()
	o = isolated(t, nil)
	here = filepath.Join(o.Home, "here")
	files := []struct{ file, id, cwd, name string }{
		{"2026-02-03T10-00-00-000Z_0195aaaa-1111-7000-8000-000000000001.jsonl", "0195aaaa-1111-7000-8000-000000000001", here, "login"},
		{"2026-02-03T10-00-00-001Z_0195aaaa-1111-7000-8000-000000000002.jsonl", "0195aaaa-1111-7000-8000-000000000002", here, "twice"},
		{"2026-02-03T10-00-00-002Z_0195aaab-2222-7000-8000-000000000003.jsonl", "0195aaab-2222-7000-8000-000000000003", here, "twice"},
		{"plain-name.jsonl", "custom.id", here, "feat/login"},
		{"2026-02-03T10-00-00-003Z_renamed_copy.jsonl", "0195cccc-3333-7000-8000-000000000004", here, "beef"},
		{"beef.id.jsonl", "beef-5555", here, ""},
		{"2026-02-03T10-00-00-004Z_0195dddd-4444-7000-8000-000000000005.jsonl", "0195dddd-4444-7000-8000-000000000005", "/there", "login"},
		{"2026-02-03T10-00-00-005Z_0195eeee-5555-7000-8000-000000000006.jsonl", "0195eeee-5555-7000-8000-000000000006", "/there", "far"},
		{"copy.jsonl", "0195aaaa-1111-7000-8000-000000000001", "/there", "a copy"},
	}
	for i, f := range files {
		write(t, filepath.Join(piFolder(o.Home, f.cwd), f.file), session(header(f.id, f.cwd), message("user", user, i+1), name(f.name, i+1)))
	}
	return o, here
}

func TestResolve(t *testing.T) {
	o, here := references(t)
	outside := write(t, filepath.Join(o.Home, "outside.jsonl"), simple("outside", "/x", 1))
	write(t, filepath.Join(here, "sub", "dir.jsonl"), simple("relative", "/x", 1))
	tests := map[string]string{ // reference to id
		"@":                                     "beef-5555",
		"@2":                                    "0195cccc-3333-7000-8000-000000000004",
		outside:                                 "outside",
		"~/outside.jsonl":                       "outside",
		"file://" + filepath.ToSlash(outside):   "outside",
		"sub/dir.jsonl":                         "relative",
		"0195aaaa-1111-7000-8000-000000000002":  "0195aaaa-1111-7000-8000-000000000002",
		"0195aaab":                              "0195aaab-2222-7000-8000-000000000003",
		"0195aaab-22":                           "0195aaab-2222-7000-8000-000000000003",
		"0195c":                                 "0195cccc-3333-7000-8000-000000000004",
		"custom":                                "custom.id",
		"custom.id":                             "custom.id",
		"feat/login":                            "custom.id", // a name that looks like a path
		"plain-name":                            "custom.id", // pitfall 66
		"plain-name.jsonl":                      "custom.id",
		"renamed_copy":                          "0195cccc-3333-7000-8000-000000000004",
		"2026-02-03T10-00-00-003Z_renamed_copy": "0195cccc-3333-7000-8000-000000000004",
		"2026-02-03T10-00-00-003Z_renamed_copy.jsonl": "0195cccc-3333-7000-8000-000000000004",
		"login":    "0195aaaa-1111-7000-8000-000000000001", // pitfall 69: the one here
		"0195eeee": "0195eeee-5555-7000-8000-000000000006", // pitfall 69: in another project
		"far":      "0195eeee-5555-7000-8000-000000000006",
		// pitfall 68: a copy in another project does not make the id ambiguous.
		"0195aaaa-1111-7000-8000-000000000001": "0195aaaa-1111-7000-8000-000000000001",
	}
	for ref, want := range tests {
		got, err := catalog.Resolve(t.Context(), ref, here, o)
		if err != nil || got.ID != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", ref, got.ID, err, want)
		} else if info, err := catalog.Facts(t.Context(), got, o); err != nil || info.MessageCount == 0 || info.Ref() != got || got.Version != 3 {
			t.Errorf("Resolve(%q) = %+v, whose facts are %+v, %v; want those of one session", ref, got, info, err)
		}
	}
	// pitfall 69
	if got, err := catalog.Resolve(t.Context(), "far", here, o); err != nil || got.Cwd != "/there" || got.Root != "pi" {
		t.Errorf("Resolve(far) = cwd %q, root %q, %v; want /there of pi", got.Cwd, got.Root, err)
	}
	if got, err := catalog.Resolve(t.Context(), "login", "/there", o); err != nil || got.Cwd != "/there" {
		t.Errorf("Resolve(login) from /there = %+v, %v; want the one there", got, err)
	}
}

// pitfall 64, pitfall 70
func TestResolveAmbiguous(t *testing.T) {
	o, here := references(t)
	tests := map[string]string{ // reference to matches, newest first
		"0195aaaa":      "0195aaaa-1111-7000-8000-000000000002 0195aaaa-1111-7000-8000-000000000001",
		"0195aaaa-1111": "0195aaaa-1111-7000-8000-000000000002 0195aaaa-1111-7000-8000-000000000001",
		"twice":         "0195aaab-2222-7000-8000-000000000003 0195aaaa-1111-7000-8000-000000000002",
		"beef":          "beef-5555 0195cccc-3333-7000-8000-000000000004", // a name and the beginning of an id
	}
	for ref, want := range tests {
		got, err := catalog.Resolve(t.Context(), ref, here, o)
		var ambiguous *catalog.AmbiguousError
		if !errors.As(err, &ambiguous) || !errors.Is(err, catalog.ErrAmbiguous) || ids(ambiguous.Matches) != want {
			t.Errorf("Resolve(%q) = %q, %v; want an AmbiguousError with %s", ref, got.ID, err, want)
			continue
		}
		for _, m := range ambiguous.Matches {
			if !strings.Contains(err.Error(), filepath.Base(m.Path)) {
				t.Errorf("Resolve(%q): the error %q does not list %s", ref, err, m.Path)
			}
		}
	}
	// From another directory both copies of the ID are candidates.
	var ambiguous *catalog.AmbiguousError
	if _, err := catalog.Resolve(t.Context(), "0195aaaa-1111-7000-8000-000000000001", "/nowhere", o); !errors.As(err, &ambiguous) || len(ambiguous.Matches) != 2 {
		t.Errorf("Resolve of an id in two projects = %v; want an AmbiguousError with both", err)
	}
}

func TestResolveNothing(t *testing.T) {
	o, here := references(t)
	for _, ref := range []string{"nothing", "0195ffff", "@99", "@0", "@x", "no/such.jsonl", "no/such/name", "such.jsonl", "~/gone.jsonl"} {
		got, err := catalog.Resolve(t.Context(), ref, here, o)
		var missing *catalog.NotFoundError
		if !errors.As(err, &missing) || !errors.Is(err, catalog.ErrNotFound) || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Resolve(%q) = %q, %v; want a NotFoundError", ref, got.ID, err)
			continue
		}
		if inProject := strings.HasPrefix(ref, "@9"); inProject != (missing.Project != "") || inProject && missing.Searched != 6 || missing.Path == "" && !inProject && missing.Searched != 9 {
			t.Errorf("Resolve(%q): the error %+v does not say what was searched", ref, missing)
		}
		if strings.Contains(err.Error(), "pith ls") {
			t.Errorf("Resolve(%q): the error %q names a command", ref, err)
		}
		if isPath := strings.ContainsAny(ref, "/.~"); isPath != (missing.Path != "") {
			t.Errorf("Resolve(%q): path %q in the error", ref, missing.Path)
		}
	}
	// pitfall 64
	if _, err := catalog.Resolve(t.Context(), "", here, o); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf(`Resolve("") = %v, want ErrInvalid`, err)
	}
	// pitfall 59
	if _, err := catalog.Resolve(t.Context(), "@", "/empty", o); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("Resolve(@) in an empty project = %v, want ErrNotFound", err)
	}
	text := write(t, filepath.Join(here, "notes.jsonl"), "no session\n")
	if _, err := catalog.Resolve(t.Context(), text, here, o); !errors.Is(err, pith.ErrNotSession) {
		t.Errorf("Resolve(%q) = %v, want ErrNotSession", text, err)
	}
}

// pitfall 47: bytes are counted, not seconds.
func TestResolveReadsHeadersOnly(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not tell what a process has read")
	}
	o := isolated(t, nil)
	body := strings.Repeat(message("toolResult", `"`+strings.Repeat("output ", 2000)+`"`, 1)+"\n", 100) // 1.4 MB
	for _, id := range []string{"aaaaaaaa-1", "bbbbbbbb-2", "cccccccc-3", "dddddddd-4", "eeeeeeee-5", "ffffffff-6"} {
		write(t, filepath.Join(piFolder(o.Home, "/p"), id+".jsonl"), simple(id, "/p", 1)+body)
	}
	for _, ref := range []string{"dddddddd-4", "dddddddd", "dddddddd-4.jsonl", filepath.Join(piFolder(o.Home, "/p"), "dddddddd-4.jsonl")} {
		before := bytesRead(t)
		got, err := catalog.Resolve(t.Context(), ref, "/elsewhere", o)
		after := bytesRead(t)
		if err != nil || got.ID != "dddddddd-4" {
			t.Errorf("Resolve(%q) = %q, %v; want dddddddd-4", ref, got.ID, err)
		}
		if limit := int64(100 << 10); after-before > limit {
			t.Errorf("Resolve(%q) read %d bytes, want at most %d: the headers of six files", ref, after-before, limit)
		}
	}
}

func TestShortIDs(t *testing.T) {
	tests := map[string]struct{ ids, want []string }{
		"none":       {nil, nil},
		"one":        {[]string{"0195aaaa-1111"}, []string{"0195aaaa"}},
		"short":      {[]string{"abc"}, []string{"abc"}},
		"apart":      {[]string{"0195aaaa-1", "0195aaab-1"}, []string{"0195aaaa", "0195aaab"}},
		"minute":     {[]string{"0195aaaa-1111-7", "0195aaaa-1112-7", "0195aaaa-2"}, []string{"0195aaaa-1111", "0195aaaa-1112", "0195aaaa-2"}},
		"prefix":     {[]string{"project-a", "project-a-2"}, []string{"project-a", "project-a-"}},
		"repeated":   {[]string{"0195aaaa-1", "0195aaaa-1"}, []string{"0195aaaa", "0195aaaa"}},
		"characters": {[]string{"ααααα-1", "ααααβ-1"}, []string{"ααααα", "ααααβ"}},
	}
	for name, tt := range tests { // pitfall 65
		got := catalog.ShortIDs(tt.ids)
		for i, id := range tt.ids {
			if got[id] != tt.want[i] {
				t.Errorf("%s: ShortIDs(%q)[%q] = %q, want %q", name, tt.ids, id, got[id], tt.want[i])
			}
		}
	}
}

func TestResolveEntry(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.jsonl"), session(header("s", "/p"),
		`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:01:00.000Z","message":{"role":"user","content":"1"}}`,
		`{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T10:02:00.000Z","message":{"role":"assistant","content":"2"}}`,
		`{"type":"message","id":"bbbb0003","parentId":"aaaa0001","timestamp":"2026-02-03T10:03:00.000Z","message":{"role":"assistant","content":"3"}}`,
		`{"type":"label","id":"cccc0004","parentId":"bbbb0003","timestamp":"2026-02-03T10:04:00.000Z","targetId":"aaaa0002","label":"good one"}`,
		`{"type":"label","id":"cccc0005","parentId":"cccc0004","timestamp":"2026-02-03T10:05:00.000Z","targetId":"bbbb0003","label":"same"}`,
		`{"type":"label","id":"cccc0006","parentId":"cccc0005","timestamp":"2026-02-03T10:06:00.000Z","targetId":"aaaa0001","label":"same"}`,
	))
	s, err := pith.Open(t.Context(), path, pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	empty, err := pith.InMemory(pith.Options{Cwd: "/p"})
	if err != nil {
		t.Fatal(err)
	}
	defer empty.Close()
	tests := []struct {
		session *pith.Session
		ref     string
		want    string
		err     error
	}{
		{s, "aaaa0001", "aaaa0001", nil},
		{s, "b", "bbbb0003", nil},
		{s, "good one", "aaaa0002", nil},
		{s, "@leaf", "bbbb0003", nil}, // labels are seen nowhere
		{s, "@root", "aaaa0001", nil},
		{s, "good one~", "aaaa0001", nil}, // the entry before
		{s, "@leaf~", "aaaa0001", nil},
		{s, "cccc0005~~", "bbbb0003", nil},
		{s, "@root~", "", pith.ErrNoEntry},
		{s, "zz~", "", pith.ErrNoEntry},
		{s, "aaaa", "", catalog.ErrAmbiguous},
		{s, "same", "", catalog.ErrAmbiguous},
		{s, "zz", "", pith.ErrNoEntry},
		{s, "good", "", pith.ErrNoEntry},
		{s, "", "", pith.ErrInvalid},
		{empty, "@leaf", "", pith.ErrNoEntry},
		{empty, "@root", "", pith.ErrNoEntry},
	}
	for _, tt := range tests {
		if got, err := catalog.ResolveEntry(tt.session, tt.ref); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("ResolveEntry(%q) = %q, %v; want %q, %v", tt.ref, got, err, tt.want, tt.err)
		}
	}
	var ambiguous *catalog.AmbiguousEntryError
	if _, err := catalog.ResolveEntry(s, "same"); !errors.As(err, &ambiguous) || strings.Join(ambiguous.IDs, " ") != "aaaa0001 bbbb0003" {
		t.Errorf("ResolveEntry(same) = %v; want an error that lists both entries", err)
	}
}

// bytesRead is how many bytes this process has read so far, cache or not.
func bytesRead(t *testing.T) int64 {
	t.Helper()
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	if _, err := fmt.Sscanf(string(data), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Shorten returns prefixes that no other id has, and no shorter ones would do.
func TestShorten(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		ids := make([]string, random.IntN(30))
		for i := range ids {
			ids[i] = "01985625"[:random.IntN(9)]
			for range random.IntN(5) {
				ids[i] += string([]rune("aé-1")[random.IntN(4)])
			}
		}
		some := ids[:random.IntN(len(ids)+1)]
		got := catalog.Shorten(some, ids[len(some):])
		for _, id := range some {
			n := min(8, len(id))
			for n < len(id) && (!utf8.RuneStart(id[n]) || slices.ContainsFunc(ids, func(other string) bool { return other != id && strings.HasPrefix(other, id[:n]) })) {
				n++
			}
			if got[id] != id[:n] {
				t.Fatalf("among %q, Shorten(%q) = %q; want %q", ids, id, got[id], id[:n])
			}
		}
		if all := catalog.ShortIDs(some); !maps.Equal(all, catalog.Shorten(some, nil)) {
			t.Fatalf("ShortIDs(%q) = %q", some, all)
		}
	}
}

package importer_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources/claude"
	"github.com/pith-sessions/pith/internal/sources/importer"
	"github.com/pith-sessions/pith/tests/agents"
)

const (
	fixture = "claude-code-2.1.325"
	session = "11111111-2222-4333-8444-555555555501"
)

// grown is a root with the first n lines of a transcript of Claude Code.
func grown(t *testing.T, root string, n int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(agents.Fixtures(t, fixture), "projects", "-home-u-proj", session+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if n == 0 {
		n = len(lines)
	}
	dir := filepath.Join(root, "-p")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, session+".jsonl"), bytes.Join(lines[:n], nil), 0o600); err != nil {
		t.Fatal(err)
	}
}

func into(dir string) importer.Options {
	return importer.Options{DirFor: func(cwd string) string { return filepath.Join(dir, format.ProjectDir(cwd)) }}
}

// An imported session has the context that it had, and is written to like any other.
func TestImport(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	grown(t, root, 0)
	m := agents.Translate(t, claude.Program{}, root)
	r, err := importer.Import(t.Context(), m.Path(session), into(dir))
	if err != nil || !r.Created || r.Added == 0 {
		t.Fatalf("Import = %+v, %v", r, err)
	}
	agents.Compare(t, agents.Context(t, r.Path, ""), agents.Context(t, m.Path(session), ""), agents.Options{Thinking: true, Errors: true})
	data, err := os.ReadFile(r.Path)
	if usages := bytes.Count(data, []byte(`"usage":{`)); err != nil || usages == 0 || bytes.Count(data, []byte(`"cost":{`)) != usages {
		t.Errorf("%d of %d usages have a cost, %v; want all: pi's screen fails without", bytes.Count(data, []byte(`"cost":{`)), usages, err)
	}
	s, err := pith.Open(t.Context(), r.Path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.ID() != importer.SessionID("claude", session) || s.Name() != "Alpha naming" {
		t.Errorf("it is %s, %q", s.ID(), s.Name())
	}
	if _, err := s.AppendMessage(t.Context(), format.NewUser("and now?", time.Now())); err != nil {
		t.Errorf("AppendMessage: %v", err)
	}
	for e, err := range s.View().Entries() {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := e.(*format.MessageEntry); ok && !strings.Contains(string(e.Head().Raw), `"origin":`) && !strings.Contains(string(e.Head().Raw), "and now?") {
			t.Errorf("no origin in %s", e.Head().Raw)
		}
	}
}

// A second import adds nothing; one of a session that grew adds what is new; one that
// was continued in both keeps both, and stays where pi left it.
func TestImportAgain(t *testing.T) {
	root, dir := t.TempDir(), t.TempDir()
	grown(t, root, 40)
	m := &agents.Translated{Program: claude.Program{}, Root: root, Dir: t.TempDir()}
	run := func() importer.Result {
		t.Helper()
		if err := m.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
		r, err := importer.Import(t.Context(), m.Path(session), into(dir))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := run()
	before, err := os.ReadFile(first.Path)
	if err != nil {
		t.Fatal(err)
	}
	if again := run(); again.Added != 0 || again.Created || again.Path != first.Path {
		t.Errorf("the second import: %+v", again)
	}
	if after, err := os.ReadFile(first.Path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the second import changed the file: %v", err)
	}
	grown(t, root, 60)
	if more := run(); more.Added == 0 {
		t.Error("nothing was added of a session that grew")
	}
	agents.Compare(t, agents.Context(t, first.Path, ""), agents.Context(t, m.Path(session), ""), agents.Options{Thinking: true})

	s, err := pith.Open(t.Context(), first.Path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	own, err := s.AppendMessage(t.Context(), format.NewUser("continued in pi", time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	grown(t, root, 0)
	if more := run(); more.Added == 0 {
		t.Error("nothing was added of a session that was continued in both")
	}
	s = agents.Open(t, first.Path)
	path, err := s.View().PathIDs("")
	if err != nil || len(path) == 0 {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(path, " "), own) {
		t.Error("the session left the entry at which pi was")
	}
	data, err := os.ReadFile(first.Path)
	if err != nil || !strings.Contains(string(data), "Seventh: bad request") {
		t.Errorf("what Claude Code added is not there: %v", err)
	}
}

func TestImportOfOwnSession(t *testing.T) {
	s, err := pith.Create(pith.Options{Cwd: "/p", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), format.NewUser("hi", time.Now())); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), format.NewAssistant("ho", time.Now())); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := importer.Import(t.Context(), s.File(), into(t.TempDir())); !errors.Is(err, importer.ErrNotForeign) {
		t.Errorf("Import = %v", err)
	}
}

// A program that writes pi's format gets a copy of a session of OpenClaw's
// database or of oh-my-pi, and the file itself of any other.
func TestWritable(t *testing.T) {
	const entry = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"hi","timestamp":1}}` + "\n"
	for folder, tt := range map[string]struct {
		version string
		copied  bool
	}{
		".openclaw": {"4", true}, ".openclaw-dev": {"3", false}, ".omp": {"3", true}, ".pi": {"3", false}, ".atomic": {"3", false},
		"elsewhere": {`3,"title":"of oh-my-pi"`, true}, "plain": {"3", false},
	} {
		dir, into := filepath.Join(t.TempDir(), folder), t.TempDir()
		path := filepath.Join(dir, "x.jsonl")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		text := `{"type":"session","version":` + tt.version + `,"id":"x","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}` + "\n" + entry
		if err := os.WriteFile(path, []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
		got, err := importer.Writable(t.Context(), path, importer.Options{DirFor: func(string) string { return into }})
		if err != nil {
			t.Errorf("%s: %v", folder, err)
			continue
		}
		if copied := filepath.Dir(got) == into; copied != tt.copied || !copied && got != path {
			t.Errorf("%s: Writable = %s; copied should be %v", folder, got, tt.copied)
		}
		data, err := os.ReadFile(got)
		if err != nil || !strings.Contains(string(data), `"version":3`) || !strings.Contains(string(data), entry) {
			t.Errorf("%s: the file has %s, %v", folder, data, err)
		}
	}
}

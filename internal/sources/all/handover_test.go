package all_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/handover"
	"github.com/pith-sessions/pith/tests/agents"
)

// sample is a session of pi with a thought, calls, an error and a picture.
func sample(t *testing.T) *pith.Session {
	t.Helper()
	return agents.Open(t, filepath.Join(agents.Fixtures(t, ""), "..", "..", "tools", "handover", "pi-sample.jsonl"))
}

// thinks are the programs that keep thoughts of other models; of Claude Code it keeps
// those with a signature of its own API.
var thinks = map[string]bool{"codex": true, "qwen": true, "kimi": true, "claude": true}

// A session that was handed over to a program and read back from there has the
// context that it had.
func TestThereAndBack(t *testing.T) {
	s := sample(t)
	want := agents.Context(t, s.File(), "")
	for _, p := range all.Programs() {
		t.Run(p.Name(), func(t *testing.T) {
			r, ok := p.(sources.Receiver)
			if !ok {
				t.Fatal("it cannot be handed over to")
			}
			home := t.TempDir()
			env := sources.Environment{Home: home}
			c, err := handover.Read(s, s.LeafID(), filepath.Join(home, "handed"))
			if err != nil {
				t.Fatal(err)
			}
			receipt, err := r.Receive(t.Context(), env, c)
			if err != nil {
				t.Fatal(err)
			}
			if len(receipt.Commands) == 0 || receipt.ID == "" {
				t.Errorf("receipt = %+v", receipt)
			}
			if info, err := os.Stat(receipt.Path); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, %v", receipt.Path, info.Mode(), err)
			}
			if _, err := r.Receive(t.Context(), env, c); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second time: %v, want ErrExist", err)
			}
			back := readBack(t, p, env, receipt)
			if back == "" {
				return
			}
			agents.Compare(t, calls(agents.Context(t, back, "")), calls(append([]agents.Message{}, want...)), agents.Options{Thinking: thinks[p.Name()], Errors: p.Name() != "codex"})
		})
	}
}

// readBack returns the translation of the session that was handed over; "" for a
// program that has to import it first.
func readBack(t *testing.T, p sources.Program, env sources.Environment, r sources.Receipt) string {
	t.Helper()
	root := p.Roots(env)[0]
	switch p.Name() {
	case "opencode":
		return ""
	case "gemini": // the file is given by its path
		chats := filepath.Join(env.Home, ".gemini", "tmp", "p", "chats")
		if err := os.MkdirAll(chats, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(r.Path, filepath.Join(chats, filepath.Base(r.Path))); err != nil {
			t.Fatal(err)
		}
	}
	m := agents.Mirrored(t, p, root)
	files, err := filepath.Glob(filepath.Join(m.Dir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d sessions, %v", len(files), err)
	}
	return files[0]
}

// calls brings the names of tools to one form, and pictures of results out of the way.
func calls(messages []agents.Message) []agents.Message {
	rename := map[string]string{"file_path": "path"}
	for i := range messages {
		for n := range messages[i].Parts {
			p := &messages[i].Parts[n]
			p.Call = strings.ToLower(p.Call)
			p.Images = 0
			if args, ok := p.Args.(map[string]any); ok {
				for from, to := range rename {
					if v, ok := args[from]; ok {
						delete(args, from)
						args[to] = v
					}
				}
			}
		}
	}
	return messages
}

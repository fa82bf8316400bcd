package catalog_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/pith-sessions/pith/catalog"
)

// New sessions go where the user works: on a machine with only Atomic, to
// Atomic's directory. pi-compatible agents that only renamed pi's directory are
// found.
func TestRootsOfRelatives(t *testing.T) {
	tests := map[string]struct {
		folders []string
		env     map[string]string
		want    []string // name and directory, the writable one first
	}{
		"Atomic alone":         {[]string{".atomic/agent/sessions"}, nil, []string{"atomic .atomic/agent/sessions"}},
		"Atomic and pi":        {[]string{".atomic/agent/sessions", ".pi/agent/sessions"}, nil, []string{"pi .pi/agent/sessions", "atomic .atomic/agent/sessions"}},
		"Atomic by a variable": {[]string{"a/sessions"}, map[string]string{"ATOMIC_CODING_AGENT_DIR": "~/a"}, []string{"atomic a/sessions"}},
		"another relative":     {[]string{".pi/agent/sessions", ".kin/agent/sessions"}, nil, []string{"pi .pi/agent/sessions", "kin .kin/agent/sessions"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			for _, dir := range tt.folders {
				if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			roots := catalog.Roots(catalog.Options{Home: home, Getenv: func(name string) string { return tt.env[name] }}, home)
			var got []string
			for _, r := range roots {
				dir, _ := filepath.Rel(home, r.Dir)
				got = append(got, r.Name+" "+filepath.ToSlash(dir))
			}
			if len(got) != len(tt.want) || !roots[0].Writable {
				t.Fatalf("Roots = %q, want %q", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("Roots = %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// A session that oh-my-pi opened from another directory is listed, once, even
// if oh-my-pi's directory has another name; and so are those of OpenClaw's
// profiles.
func TestSessionsElsewhere(t *testing.T) {
	home := t.TempDir()
	header := func(id string) string {
		return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n" +
			`{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"user","content":"hello"}}` + "\n"
	}
	elsewhere, listed := filepath.Join(home, "notes", "mine.jsonl"), filepath.Join(home, ".kin", "agent", "sessions", "x", "listed.jsonl")
	for path, text := range map[string]string{
		elsewhere: header("elsewhere"), listed: header("listed"),
		filepath.Join(home, ".kin", "agent", "custom-session-files", "0a1b"):           elsewhere + "\n",
		filepath.Join(home, ".kin", "agent", "custom-session-files", "0a1c"):           listed,
		filepath.Join(home, ".kin", "agent", "custom-session-files", "0a1d"):           filepath.Join(home, "gone.jsonl"),
		filepath.Join(home, ".openclaw-work", "agents", "main", "sessions", "s.jsonl"): header("profile"),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"PI_CONFIG_DIR": ".kin"}
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Home: home, Getenv: func(name string) string { return env[name] }}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, i := range infos {
		got[i.ID] = i.Root
	}
	want := map[string]string{"elsewhere": "oh-my-pi", "listed": "oh-my-pi", "profile": "openclaw"}
	if len(infos) != len(want) || !maps.Equal(got, want) {
		t.Errorf("listed are %v, want %v", got, want)
	}
}

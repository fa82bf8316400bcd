package pi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/tools"
)

const small = `{"type":"session","version":3,"id":"0195f1a0-0000-7000-8000-000000000001","timestamp":"2025-12-09T00:53:29.825Z","cwd":"/home/dev/app"}
{"type":"message","id":"aaaaaaa1","parentId":null,"timestamp":"2025-12-09T00:53:30.000Z","message":{"role":"user","content":[{"type":"text","text":"split\u2028here"}],"timestamp":1765241610000}}
{"type":"message","id":"aaaaaaa2","parentId":"aaaaaaa1","timestamp":"2025-12-09T00:53:31.000Z","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":{"input":3,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":8,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1765241611000}}
{"type":"label","id":"aaaaaaa3","parentId":"aaaaaaa2","timestamp":"2025-12-09T00:53:32.000Z","targetId":"aaaaaaa1","label":"start"}
`

func user(text string) any {
	return map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": text}}, "timestamp": 1765241612000}
}

// writeSmall writes the sample session into a project directory below a new
// sessions directory and returns both.
func writeSmall(t *testing.T) (root, path string) {
	t.Helper()
	root = filepath.Join(t.TempDir(), "store")
	path = filepath.Join(root, "--home-dev-app--", "2025-12-09T00-53-29-825Z_0195f1a0-0000-7000-8000-000000000001.jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	return root, path
}

func open(t *testing.T, h *pi.Host, path string) *pi.Session {
	t.Helper()
	s, err := h.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("Open(%s) with pi %s: %v", path, h.Version(), err)
	}
	return s
}

func TestEachReleaseOpensAppendsAndReports(t *testing.T) {
	for _, v := range pi.Versions() {
		t.Run(string(v), func(t *testing.T) {
			h := pi.StartFor(t, pi.Require(t, v))
			ctx := t.Context()
			root, path := writeSmall(t)
			s := open(t, h, path)

			id, err := s.Append(ctx, "appendMessage", user("next\u2028line"))
			if err != nil {
				t.Fatalf("appendMessage: %v", err)
			}
			flat, err := s.FlatTree(ctx)
			if err != nil || len(flat) != 4 || flat[3].ID != id || flat[3].Parent != 2 || flat[0].Parent != -1 || flat[0].Label != "start" {
				t.Errorf("FlatTree() = %+v, %v; want a chain of 4 ending in %s, the first labelled", flat, err, id)
			}
			c, err := s.Context(ctx)
			if err != nil || len(c.Messages) != 3 || c.Model == nil || c.Model.ModelID != "claude-opus-4-5" {
				t.Errorf("Context() = %d messages, model %v, %v; want 3 messages of claude-opus-4-5", len(c.Messages), c.Model, err)
			}
			c, err = s.ContextAt(ctx, "aaaaaaa1")
			if err != nil || len(c.Messages) != 1 {
				t.Errorf("ContextAt(aaaaaaa1) = %d messages, %v; want 1", len(c.Messages), err)
			}
			infos, err := h.ListAll(ctx, root)
			if err != nil || len(infos) != 1 || infos[0].Path != path || infos[0].MessageCount != 3 {
				t.Errorf("ListAll(%s) = %+v, %v; want one session of 3 messages at %s", root, infos, err, path)
			}
			checkAppended(t, path, id)
		})
	}
}

// checkAppended looks for the new message as the last line, with U+2028 in it
// as it went over.
func checkAppended(t *testing.T, path, id string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	last := string(lines[len(lines)-1])
	if len(lines) != 5 || !strings.Contains(last, id) || !strings.Contains(last, "next\u2028line") {
		t.Errorf("file has %d lines, the last %s; want 5, the last with id %s", len(lines), last, id)
	}
}

func TestReleasesAlternateOnOneFile(t *testing.T) {
	var hosts []*pi.Host
	for _, v := range pi.Versions() {
		hosts = append(hosts, pi.StartFor(t, pi.Require(t, v)))
	}
	_, path := writeSmall(t)
	want := []string{"aaaaaaa1", "aaaaaaa2", "aaaaaaa3"}
	for turn := range 6 {
		s := open(t, hosts[turn%len(hosts)], path)
		id, err := s.Append(t.Context(), "appendMessage", user(fmt.Sprintf("turn %d", turn)))
		if err != nil {
			t.Fatalf("turn %d: %v", turn, err)
		}
		want = append(want, id)
	}
	for _, h := range hosts {
		var branch []struct{ ID string }
		if err := open(t, h, path).Call(t.Context(), &branch, "getBranch"); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range branch {
			got = append(got, e.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("pi %s: getBranch() = %v, want %v", h.Version(), got, want)
		}
	}
}

func TestUndefinedIsNotNull(t *testing.T) {
	h := pi.StartFor(t, pi.Require(t, pi.V0_73_1))
	_, path := writeSmall(t)
	s := open(t, h, path)
	for _, arg := range []any{pi.Undefined, nil} {
		id, err := s.Append(t.Context(), "appendLabelChange", "aaaaaaa1", arg)
		if err != nil {
			t.Fatal(err)
		}
		var entry json.RawMessage
		if err := s.Call(t.Context(), &entry, "getEntry", id); err != nil {
			t.Fatal(err)
		}
		if got, want := bytes.Contains(entry, []byte(`"label":null`)), arg == nil; got != want {
			t.Errorf("appendLabelChange(aaaaaaa1, %v) wrote %s; want a null label: %v", arg, entry, want)
		}
	}
}

func TestRestringify(t *testing.T) {
	h := pi.StartFor(t, pi.Require(t, pi.V0_73_1))
	path := filepath.Join(t.TempDir(), "odd.jsonl")
	if err := os.WriteFile(path, []byte("{\"a\":1}\n{\"a\": 1}\n{\"a\":1.0}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := h.Restringify(t.Context(), path)
	if err != nil || r.Lines != 3 || r.Changed != 2 || r.First == nil || r.First.Line != 2 {
		t.Errorf("Restringify = %+v, %v; want 3 lines, 2 changed, the first of them line 2", r, err)
	}
}

func TestTimings(t *testing.T) {
	for _, v := range pi.Versions() {
		t.Run(string(v), func(t *testing.T) {
			h := pi.StartFor(t, pi.Require(t, v))
			root, path := writeSmall(t)
			o, err := h.TimeOpen(t.Context(), path)
			if err != nil || o.OpenMS <= 0 || o.Entries != 3 || o.Messages != 2 || o.PeakRSSMB <= 0 {
				t.Errorf("TimeOpen = %+v, %v; want times, memory, 3 entries, 2 messages", o, err)
			}
			l, err := h.TimeListAll(t.Context(), root)
			if err != nil || l.ListMS <= 0 || l.Sessions != 1 {
				t.Errorf("TimeListAll = %+v, %v; want a time and 1 session", l, err)
			}
			a, err := h.TimeAppend(t.Context(), 10, t.TempDir())
			if err != nil || a.AppendMS <= 0 || a.Appends != 10 {
				t.Errorf("TimeAppend(10) = %+v, %v; want a time for 10 appends", a, err)
			}
			data, err := os.ReadFile(a.Path)
			if n := bytes.Count(data, []byte("\n")); n != 13 || err != nil {
				t.Errorf("TimeAppend(10) left %d lines, %v; want 13", n, err)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	h := pi.StartFor(t, pi.Require(t, pi.V0_73_1))
	_, path := writeSmall(t)
	s := open(t, h, path)
	tests := map[string]struct {
		method string
		args   []any
		want   string
	}{
		"pi throws":      {"branch", []any{"ffffffff"}, "Entry ffffffff not found"},
		"no such method": {"frobnicate", nil, "no method frobnicate"},
		"private method": {"_rewriteFile", nil, "no method _rewriteFile"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			err := s.Call(t.Context(), nil, tt.method, tt.args...)
			var remote *pi.RemoteError
			if !errors.As(err, &remote) || remote.Message != tt.want || remote.Method != tt.method {
				t.Errorf("Call(%s) = %v; want a RemoteError of %s saying %q", tt.method, err, tt.method, tt.want)
			}
		})
	}
	if _, err := s.Context(t.Context()); err != nil {
		t.Errorf("after errors, Context() = %v; want none", err)
	}
}

func TestCloseEndsCallsUnderWay(t *testing.T) {
	in := pi.Require(t, pi.V0_73_1)
	h, err := pi.Start(t.Context(), in, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cycle.jsonl")
	cycle := `{"type":"session","version":3,"id":"x","timestamp":"2025-11-20T23:33:50.805Z","cwd":"/a"}
{"type":"custom","id":"a","parentId":"b","timestamp":"2025-11-20T23:33:50.805Z"}
{"type":"custom","id":"b","parentId":"a","timestamp":"2025-11-20T23:33:50.805Z"}
`
	if err := os.WriteFile(path, []byte(cycle), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, h, path)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	// pi walks the cycle for ever, so neither call is ever answered.
	if _, err := s.Context(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("Context(cancelled) = %v, want %v", err, context.Canceled)
	}
	ended := make(chan error)
	go func() {
		_, err := s.Context(t.Context())
		ended <- err
	}()
	h.Close()
	if err := <-ended; !errors.Is(err, pi.ErrClosed) {
		t.Errorf("a call when the host closed = %v, want %v", err, pi.ErrClosed)
	}
	if err := h.Close(); err != nil {
		t.Errorf("second Close = %v, want nil", err)
	}
}

func TestInstallRefusesOtherVersions(t *testing.T) {
	if _, err := pi.Install(t.Context(), "9.9.9", nil); err == nil {
		t.Error("Install(9.9.9) = nil; want an error, releases are pinned")
	}
}

func TestInstallWithoutNpm(t *testing.T) {
	t.Setenv("PITH_TEST_CACHE", t.TempDir())
	t.Setenv("PATH", t.TempDir())
	_, err := pi.Install(t.Context(), pi.V0_73_1, nil)
	var missing *tools.MissingError
	if !errors.As(err, &missing) {
		t.Errorf("Install with an empty PATH = %v; want a tools.MissingError", err)
	}
}

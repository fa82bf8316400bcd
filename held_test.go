package pith_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
)

// A session that its own program may have open is not written to: oh-my-pi would
// save nothing any more, Atomic would write over it.
func TestHeldByItsProgram(t *testing.T) {
	now := time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
	at := func(ago time.Duration) string { return format.FormatTime(now.Add(-ago)) }
	header := `{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}`
	ask := func(ago time.Duration) string {
		return `{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"` + at(ago) + `","message":{"role":"user","content":"hello"}}`
	}
	slot := strings.TrimSuffix(titleSlot("T"), "\n")
	summary := `{"type":"session_summary","id":"aaaa0002","parentId":"aaaa0001","timestamp":"` + at(0) + `","summary":"s","summarizedThroughId":"aaaa0001"}`
	exit := `{"type":"custom","customType":"session_exit","data":{"reason":"quit"},"id":"aaaa0002","parentId":"aaaa0001","timestamp":"` + at(0) + `"}`
	workflow := strings.Replace(header, `"cwd"`, `"workflow":{},"cwd"`, 1)
	mine := `{"type":"label","id":"aaaa0009","parentId":"aaaa0001","timestamp":"` + at(0) + `","targetId":"aaaa0001","label":"x","writer":"pith"}`
	tests := map[string]struct {
		folder  string
		lines   []string
		written time.Duration // ago
		force   bool
		want    format.Program // that holds it; pi for none
	}{
		"oh-my-pi, a moment ago":   {"", []string{slot, header, ask(0)}, time.Minute, false, format.OhMyPi},
		"Atomic, then pith":        {"", []string{workflow, ask(time.Minute), mine}, time.Hour, false, format.Atomic},
		"pith, long after":         {"", []string{workflow, ask(time.Hour), mine}, time.Minute, false, format.Pi},
		"no time, then pith":       {"", []string{workflow, strings.Replace(ask(time.Minute), `"timestamp":"2026`, `"was":"2026`, 1), mine}, time.Hour, false, format.Pi},
		"oh-my-pi, forced":         {"", []string{slot, header, ask(0)}, time.Minute, true, format.Pi},
		"oh-my-pi, long ago":       {"", []string{slot, header, ask(time.Hour)}, time.Hour, false, format.Pi},
		"oh-my-pi, which left":     {"", []string{slot, header, ask(0), exit}, time.Minute, false, format.Pi},
		"Atomic by its entries":    {"", []string{header, ask(0), summary}, time.Minute, false, format.Atomic},
		"Atomic by its folder":     {".atomic/agent/sessions", []string{header, ask(0)}, time.Minute, false, format.Atomic},
		"pi":                       {"", []string{header, ask(0)}, time.Minute, false, format.Pi},
		"Atomic's file in pi's":    {".pi/agent/sessions", []string{header, ask(0), summary}, time.Minute, false, format.Pi},
		"oh-my-pi by its header":   {"", []string{strings.Replace(header, `"cwd"`, `"titleSource":"auto","cwd"`, 1), ask(0)}, time.Minute, false, format.OhMyPi},
		"oh-my-pi's slot in pi's":  {".pi/agent/sessions", []string{slot, header, ask(0)}, time.Minute, false, format.OhMyPi},
		"OpenClaw locks when asks": {"", []string{header, ask(0), `{"type":"leaf","id":"aaaa0003","parentId":"aaaa0001","timestamp":"` + at(0) + `","targetId":"aaaa0001"}`}, time.Minute, false, format.Pi},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), tt.folder, "s.jsonl")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(tt.lines, "\n") + "\n"
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, now.Add(-tt.written), now.Add(-tt.written)); err != nil {
				t.Fatal(err)
			}
			s := open(t, path, pith.Options{Now: func() time.Time { return now }, Force: tt.force})
			if strings.HasPrefix(name, "oh-my-pi") { // appends fail in any case
				if err := s.Held(t.Context()); errors.As(err, new(*pith.HeldError)) != (tt.want == format.OhMyPi) {
					t.Errorf("Held() = %v", err)
				}
				return
			}
			_, err := s.SetLabel(t.Context(), "aaaa0001", "here")
			var held *pith.HeldError
			switch after := read(t, path); {
			case tt.want == format.Pi && err != nil:
				t.Errorf("SetLabel: %v, want that it is written", err)
			case tt.want != format.Pi && (!errors.As(err, &held) || held.Program != tt.want):
				t.Errorf("SetLabel: %v, want that %v has the session", err, tt.want)
			case tt.want != format.Pi && after != text:
				t.Errorf("the file has %d bytes, had %d", len(after), len(text))
			}
			if tt.want != format.Pi {
				if err := s.Held(t.Context()); !errors.As(err, &held) {
					t.Errorf("Held() = %v", err)
				}
				return
			}
			if _, err := s.SetLabel(t.Context(), "aaaa0001", "again"); err != nil {
				t.Errorf("a second SetLabel: %v", err)
			}
			other := open(t, path, pith.Options{Now: func() time.Time { return now.Add(time.Second) }, Force: tt.force})
			if _, err := other.SetLabel(t.Context(), "aaaa0001", "from elsewhere"); err != nil {
				t.Errorf("SetLabel after pith wrote: %v, want that its own writing does not count", err)
			}
		})
	}
}

// A summary in a session of Atomic would be passed over there.
func TestSummaryInFileOfAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".atomic", "agent", "sessions", "s.jsonl")
	s, err := pith.OpenOrCreate(t.Context(), path, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id, err := s.AppendMessage(t.Context(), format.NewUser("hello", time.UnixMilli(1)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendCompaction(t.Context(), format.Compaction{Summary: "s", FirstKeptEntryID: id}); !errors.Is(err, pith.ErrInvalid) {
		t.Errorf("AppendCompaction of a summary: %v, want that it is refused", err)
	}
	lines := format.Compaction{Summary: "[User]: hello", Details: []byte(`{"strategy":"verbatim-lines"}`)}
	if _, err := s.AppendCompaction(t.Context(), lines); err != nil {
		t.Errorf("AppendCompaction of lines: %v", err)
	}
}

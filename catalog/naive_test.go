package catalog_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/corpus"
)

// naive computes the facts of an undamaged session the slow way: every line
// decoded in full by the standard library.
func naive(t *testing.T, data []byte) (want listed, model string, entries int) {
	t.Helper()
	var texts []string
	var latest float64
	for line := range bytes.Lines(data) {
		var e struct {
			Type, ID, Cwd, Timestamp, Name, ParentSession, BranchedFrom, Provider, ModelID string
			Message                                                                        struct {
				Role, Provider, Model string
				Timestamp             float64
				Content               any
			}
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%.80q: %v", line, err)
		}
		entries++
		switch e.Type {
		case "session":
			entries--
			want = listed{ID: e.ID, Cwd: e.Cwd, Created: e.Timestamp, Modified: e.Timestamp, FirstMessage: catalog.NoMessages}
			if parent := cmp.Or(e.ParentSession, e.BranchedFrom); parent != "" {
				want.ParentSessionPath = &parent
			}
		case "session_info":
			want.Name = &e.Name
		case "model_change":
			model = e.Provider + "/" + e.ModelID
		case "message":
			want.MessageCount++
			m := e.Message
			if m.Role == "assistant" {
				model = m.Provider + "/" + m.Model
			}
			if m.Role != "user" && m.Role != "assistant" {
				continue
			}
			latest = max(latest, m.Timestamp)
			text := naiveText(m.Content)
			if text == "" {
				continue
			}
			if m.Role == "user" && want.FirstMessage == catalog.NoMessages {
				want.FirstMessage = text
			}
			texts = append(texts, text)
		}
	}
	if latest > 0 {
		want.Modified = format.FormatTime(time.UnixMilli(int64(latest)))
	}
	want.AllMessagesText = strings.Join(texts, " ")
	return want, model, entries
}

func naiveText(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var texts []string
	blocks, _ := content.([]any)
	for _, b := range blocks {
		if block, _ := b.(map[string]any); block["type"] == "text" {
			text, _ := block["text"].(string)
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, " ")
}

func TestFactsMatchAFullDecode(t *testing.T) {
	files := map[string][]byte{
		"generated": corpus.Bytes(corpus.Options{Seed: 7, Bytes: 3_000_000, Branches: 5, Labels: 5, CompactEvery: 200, Images: true, Name: "a name"}),
		"short":     corpus.Bytes(corpus.Options{Seed: 8, ParentSession: "/elsewhere/p.jsonl"}),
	}
	real, err := filepath.Glob(filepath.Join("..", "tests", "conformance", "testdata", "fixtures", "*.jsonl"))
	if err != nil || len(real) == 0 {
		t.Fatalf("no real sessions found: %v", err)
	}
	for _, path := range real {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			info := readText(t, string(data))
			want, model, entries := naive(t, data)
			want.File = filepath.Base(info.Path)
			if g, w := asJSON(t, asListed(info)), asJSON(t, want); g != w {
				t.Errorf("ReadInfo = %.2000s\nwant %.2000s", g, w)
			}
			if info.Model != model || info.Entries != entries || info.Findings != 0 || info.Size != int64(len(data)) {
				t.Errorf("ReadInfo: model %q, %d entries, %d findings, %d bytes; want %q, %d, 0, %d",
					info.Model, info.Entries, info.Findings, info.Size, model, entries, len(data))
			}
		})
	}
}

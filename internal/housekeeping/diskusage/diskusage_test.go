package diskusage_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/housekeeping/diskusage"
	"github.com/pith-sessions/pith/tests/corpus"
)

func measure(t *testing.T, data []byte) diskusage.Weight {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := diskusage.Measure(t.Context(), []catalog.Info{{Path: path}}, diskusage.Options{Skipped: func(path string, err error) { t.Errorf("skipped %s: %v", path, err) }})
	if err != nil || len(w) != 1 {
		t.Fatalf("Measure = %v, %v", w, err)
	}
	return w[0]
}

func describe(w diskusage.Weight) string {
	var out []string
	for _, k := range diskusage.Kinds() {
		if w[k].Count > 0 {
			out = append(out, fmt.Sprintf("%s %d/%d", k, w[k].Count, w[k].Bytes))
		}
	}
	return strings.Join(out, " ")
}

func TestKinds(t *testing.T) {
	message := func(m string) string { return `{"type":"message","id":"1","message":` + m + "}\n" }
	around := func(line string, inside int) string { return fmt.Sprintf("structure 1/%d", len(line)-inside) }
	image := `{"type":"image","data":"` + strings.Repeat("A", 100) + `","mimeType":"image/png"}`
	assistant := message(`{"role":"assistant","content":[{"type":"text","text":"yes"},{"type":"thinking","thinking":"hm"},{"type":"toolCall","id":"c","name":"ls","arguments":{}}]}`)
	user := message(`{"role":"user","content":"hello"}`)
	shown := message(`{"role":"user","content":[` + image + `,{"type":"later","x":1}]}`)
	tool := message(`{"role":"toolResult","toolCallId":"c","toolName":"ls","content":[{"type":"text","text":"a"},` + image + `],"details":{"x":1}}`)
	shell := message(`{"role":"bashExecution","command":"ls","output":"a b"}`)
	custom := `{"type":"custom","id":"1","parentId":null,"timestamp":"2026-02-01T10:00:00.000Z","customType":"x","data":{}}` + "\n"
	summary := `{"type":"compaction","id":"1","summary":"s"}` + "\n"
	torn := `{"type":"message","id":"1","mess`
	tests := map[string]struct{ in, want string }{
		"text":           {user, "text 1/7 " + around(user, 7)},
		"answer":         {assistant, "toolCalls 1/55 thinking 1/35 text 1/28 " + around(assistant, 55+35+28)},
		"image":          {shown, fmt.Sprintf("images 1/%d ", len(image)) + around(shown, len(image))},
		"tool":           {tool, fmt.Sprintf("images 1/%d toolOutput 2/33 ", len(image)) + around(tool, len(image)+33)},
		"shell":          {shell, "toolOutput 1/5 " + around(shell, 5)},
		"custom":         {custom + custom, fmt.Sprintf("custom 2/%d", 2*len(custom))},
		"summary":        {summary, fmt.Sprintf("summaries 1/%d", len(summary))},
		"torn":           {torn, fmt.Sprintf("damaged 1/%d", len(torn))},
		"no object":      {"[1]\n", "damaged 1/4"},
		"behind a torn":  {torn + custom, fmt.Sprintf("custom 1/%d damaged 1/%d", len(custom), len(torn))}, // pitfall 4
		"empty":          {"", ""},
		"no message":     {message("null"), around(message("null"), 0)},
		"unknown entry":  {`{"type":"later"}` + "\n", "structure 1/17"},
		"without a type": {"{}\n", "damaged 1/3"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := describe(measure(t, []byte(tt.in))); got != tt.want {
				t.Errorf("Measure(%q) = %s; want %s", tt.in, got, tt.want)
			}
		})
	}
}

// W1: every byte has a kind, whatever was done to the file.
func TestEveryByteCounts(t *testing.T) {
	for seed := range uint64(40) {
		data := corpus.Bytes(corpus.Options{Seed: seed, Entries: 60, Branches: 3, CompactEvery: 15, Labels: 2})
		if seed > 0 {
			data = corpus.Damage(data, seed, int(seed))
		}
		w := measure(t, data)
		if w.Total() != int64(len(data)) {
			t.Errorf("seed %d: %s is %d bytes; want %d", seed, describe(w), w.Total(), len(data))
		}
	}
	for _, f := range corpus.Odd() {
		if w := measure(t, f.Bytes); w.Total() != int64(len(f.Bytes)) {
			t.Errorf("%s: %s is %d bytes; want %d", f.Name, describe(w), w.Total(), len(f.Bytes))
		}
	}
}

func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.jsonl")
	if err := os.WriteFile(good, []byte("{\"type\":\"session\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	skipped := 0
	w, err := diskusage.Measure(t.Context(), []catalog.Info{{Path: filepath.Join(dir, "none.jsonl")}, {Path: good}},
		diskusage.Options{Skipped: func(string, error) { skipped++ }})
	if err != nil || len(w) != 2 || skipped != 1 || w[1].Total() != 19 {
		t.Errorf("Measure = %v, %v, %d skipped; want the good one weighed", w, err, skipped)
	}
}

// A file that did not change is not weighed again; one that has grown is.
func TestKept(t *testing.T) {
	cache, path := t.TempDir(), filepath.Join(t.TempDir(), "s.jsonl")
	at := time.Now().Add(-time.Hour)
	total := func(text string) int64 {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		w, err := diskusage.Measure(t.Context(), []catalog.Info{{Path: path}}, diskusage.Options{CacheDir: cache})
		if err != nil {
			t.Fatal(err)
		}
		if w[0].Total() != int64(len(text)) {
			t.Errorf("%q weighs %d; want %d", text, w[0].Total(), len(text))
		}
		return w[0][diskusage.Damaged].Bytes
	}
	session := "{\"type\":\"session\"}\n"
	if total(session) != 0 || total(strings.Repeat("x", len(session)-1)+"\n") != 0 {
		t.Error("a file was weighed again that seems not to have changed")
	}
	if total(session+"x\n") != 2 {
		t.Error("a file that has grown was not weighed again")
	}
}

func BenchmarkMeasure(b *testing.B) {
	data := corpus.Bytes(corpus.Options{Entries: 2000})
	path := filepath.Join(b.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, bytes.Repeat(data, 1+(20<<20)/len(data)), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data) * (1 + (20<<20)/len(data))))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := diskusage.Measure(b.Context(), []catalog.Info{{Path: path}}, diskusage.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

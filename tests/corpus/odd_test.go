package corpus_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/tests/corpus"
)

// needsRecovery are the files of which a reader that knows nothing but lines
// and JSON finds fewer entries than there are.
var needsRecovery = []string{"fused-tail", "fused-middle", "two-on-a-line", "nul-bytes"}

// naive reads a file as the simplest reader would. It returns the number of
// entries and the lines that are not JSON objects.
func naive(data []byte) (entries int, bad []int) {
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte("\ufeff"))) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(line, &fields) != nil && !deepOrLarge(line) {
			bad = append(bad, n)
			continue
		}
		id, _ := fields["id"].(string)
		if entryType, ok := lastType(line); (ok || id != "") && entryType != "session" && entryType != "title" {
			entries++
		}
	}
	return entries, bad
}

// deepOrLarge reports whether only Go's decoder rejects a line: for nesting
// beyond 10,000 levels, or numbers beyond a float64.
func deepOrLarge(line []byte) bool {
	return bytes.Contains(line, []byte(`"customType":"deep"`)) || bytes.Contains(line, []byte("1e400"))
}

// lastType returns the value of the last top-level member called type. Go's
// decoder would take "Type" for it as well.
func lastType(line []byte) (string, bool) {
	if deepOrLarge(line) {
		return "custom", true
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(line, &fields) != nil {
		return "", false
	}
	var s string
	err := json.Unmarshal(fields["type"], &s)
	return s, err == nil
}

func TestOddFilesAreWhatTheySay(t *testing.T) {
	names := map[string]bool{}
	for _, f := range corpus.Odd() {
		t.Run(f.Name, func(t *testing.T) {
			if names[f.Name] || len(f.Pitfalls) == 0 || f.What == "" {
				t.Errorf("file %q: name taken, no pitfalls or no words", f.Name)
			}
			names[f.Name] = true
			if f.Opening == corpus.Refused || f.Opening == corpus.Fresh {
				if f.Entries != 0 {
					t.Errorf("a file that does not open has %d entries, want 0", f.Entries)
				}
				return
			}
			entries, bad := naive(f.Bytes)
			if slices.Contains(needsRecovery, f.Name) {
				if entries >= f.Entries {
					t.Errorf("a naive reader finds %d entries, want fewer than %d", entries, f.Entries)
				}
			} else if entries != f.Entries {
				t.Errorf("a naive reader finds %d entries, want %d", entries, f.Entries)
			}
			for _, line := range bad {
				if !slices.Contains(f.Faulty, line) {
					t.Errorf("line %d is no JSON object but not among the faulty lines %v", line, f.Faulty)
				}
			}
			if lines := bytes.Count(f.Bytes, []byte("\n")) + 1; !slices.IsSorted(f.Faulty) || len(f.Faulty) > 0 && f.Faulty[len(f.Faulty)-1] > lines {
				t.Errorf("faulty lines %v of %d", f.Faulty, lines)
			}
			if f.Leaf != "" && !bytes.Contains(f.Bytes, appendJSON(f.Leaf)) {
				t.Errorf("leaf %q is not in the file", f.Leaf)
			}
		})
	}
}

func appendJSON(s string) []byte {
	b, _ := json.Marshal(s) // Strings always encode.
	return b
}

// Every pitfall about the shape of a file has a file.
func TestOddFilesCoverThePitfalls(t *testing.T) {
	covered := map[int]bool{}
	for _, f := range corpus.Odd() {
		for _, p := range f.Pitfalls {
			covered[p] = true
		}
	}
	for _, p := range []int{1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 62, 72, 73, 74, 76, 77, 79, 86, 98, 99} {
		if !covered[p] {
			t.Errorf("no odd file for pitfall %d", p)
		}
	}
}

func TestTitleSlotHasAFixedSize(t *testing.T) {
	for _, f := range corpus.Odd() {
		if f.Name == "oh-my-pi-title-slot" {
			if got := bytes.IndexByte(f.Bytes, '\n') + 1; got != 256 {
				t.Errorf("the title slot has %d bytes, want 256", got)
			}
			return
		}
	}
	t.Error("no odd file with a title slot")
}

func TestHugeFiles(t *testing.T) {
	var chain, fan, long bytes.Buffer
	if err := corpus.Chain(&chain, 3000); err != nil {
		t.Fatal(err)
	}
	if err := corpus.Fan(&fan, 3000); err != nil {
		t.Fatal(err)
	}
	if err := corpus.LongLine(&long, 5_000_000); err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*bytes.Buffer{"chain": &chain, "fan": &fan} {
		entries := decode(t, b.Bytes())
		if len(entries) != 3001 {
			t.Errorf("%s has %d lines, want 3001", name, len(entries))
		}
		checkLinks(t, entries[1:])
	}
	entries := decode(t, long.Bytes())
	if len(entries) != 4 || entries[2].size < 4_990_000 || entries[2].size > 5_010_000 {
		t.Errorf("LongLine(5 MB) has %d lines, the third of %d bytes; want 4 and about 5,000,000", len(entries), entries[2].size)
	}
}

package jsonl_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// FuzzIndex checks that the indexer of this machine and the portable one agree.
func FuzzIndex(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(line)
	}
	f.Add(bytes.Repeat([]byte(`\`), 300))
	f.Add(bytes.Repeat([]byte(`"\"\\`), 100))
	f.Add(bytes.Repeat([]byte(`""`), 1500))
	f.Fuzz(func(t *testing.T, text []byte) {
		got, want := jsonl.Index(text), jsonl.IndexPortable(text)
		if !slices.Equal(got, want) {
			t.Errorf("Index(%q)\n got %x\nwant %x", text, got, want)
		}
	})
}

// Every byte as the letter of an escape, and every byte by itself.
func TestIndexEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 64 {
			for _, before := range []string{``, `\`, `\\`} {
				text := bytes.Repeat([]byte("x"), 128)
				text[0] = '"'
				copy(text[1+at:], before+string([]byte{byte(c)}))
				if got, want := jsonl.Index(text), jsonl.IndexPortable(text); !slices.Equal(got, want) {
					t.Fatalf("Index(%q)\n got %x\nwant %x", text, got, want)
				}
			}
		}
	}
}

// Texts of every length, so that the last block is cut off everywhere.
func TestIndexEveryLength(t *testing.T) {
	whole := bytes.Repeat([]byte(`{"a\\\"b":"\u00e9\b","c":["\\",-1,"`+"\x01"+`"]},`), 130)
	for size := 1; size < len(whole); size++ {
		text := slices.Clip(whole[:size])
		if got, want := jsonl.Index(text), jsonl.IndexPortable(text); !slices.Equal(got, want) {
			t.Fatalf("Index(%q)\n got %x\nwant %x", text, got, want)
		}
	}
}

package all_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/sources/claude"
	"github.com/pith-sessions/pith/tests/agents"
)

// BenchmarkClaude translates a file of 20 MB that no mirror has yet.
func BenchmarkClaude(b *testing.B) {
	var data bytes.Buffer
	text := strings.Repeat("a line of a tool's result\\n", 80)
	for i := 0; data.Len() < 20<<20; i++ {
		fmt.Fprintf(&data, strings.Replace(prompts["claude"], "null", `"u%[2]d"`, 1)+"\n", i, i-1)
		fmt.Fprintf(&data, `{"type":"user","uuid":"r%d","parentUuid":"u%d","message":{"role":"user","content":"%s"}}`+"\n", i, i, text)
	}
	root, _ := write(b, "claude", data.Bytes())
	b.SetBytes(int64(data.Len()))
	for b.Loop() {
		m := &agents.Translated{Program: claude.Program{}, Root: root, Dir: b.TempDir()}
		if err := m.Refresh(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

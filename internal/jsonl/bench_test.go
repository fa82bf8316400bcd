package jsonl_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// entryKeys are the members that a reader of sessions looks for.
var entryKeys = []string{"type", "id", "parentId", "timestamp", "message"}

func BenchmarkScan(b *testing.B) {
	gen := lineGenerator{rand.New(rand.NewPCG(1, 2))}
	kinds := []struct {
		name string
		line func() []byte
	}{
		{"header", gen.header},
		{"user", gen.user},
		{"assistant", gen.assistant},
		{"toolResult", gen.toolResult},
		{"session", gen.any},
	}
	for _, kind := range kinds {
		var lines [][]byte
		size := 0
		for size < 2<<20 {
			line := kind.line()
			lines = append(lines, line)
			size += len(line)
		}
		b.Run("line="+kind.name, func(b *testing.B) { benchmarkScan(b, lines) })
	}
	plain := []byte(`{"type":"message","text":"` + strings.Repeat("All in one paragraph, without an escape. ", 25_000) + `"}`)
	b.Run("line=unescaped", func(b *testing.B) { benchmarkScan(b, [][]byte{plain}) })
	small := []byte(`{"type":"usage","counts":[` + strings.Repeat(`{"input":120,"ok":true,"cost":{"total":0.0125}},`, 1000) + `null]}`)
	b.Run("line=structure", func(b *testing.B) { benchmarkScan(b, [][]byte{small}) })
}

func benchmarkScan(b *testing.B, lines [][]byte) {
	keys := jsonl.NewKeys(entryKeys...)
	spans := make([]jsonl.Span, len(entryKeys))
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			if shape, fault := keys.Scan(line, spans); shape != jsonl.Object {
				b.Fatalf("Scan(%.80q) = %v, %d; want Object", line, shape, fault)
			}
		}
	}
}

func BenchmarkAppendString(b *testing.B) {
	text := lineGenerator{rand.New(rand.NewPCG(3, 4))}.prose(16 << 10)
	var dst []byte
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		dst = jsonl.AppendString(dst[:0], text)
	}
}

func BenchmarkString(b *testing.B) {
	raw := jsonl.AppendString(nil, lineGenerator{rand.New(rand.NewPCG(3, 4))}.prose(16<<10))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := jsonl.String(raw); !ok {
			b.Fatal("String = false; want true")
		}
	}
}

// lineGenerator makes lines with the shape and the sizes of real sessions.
type lineGenerator struct{ *rand.Rand }

func (g lineGenerator) any() []byte {
	switch g.IntN(20) {
	case 0, 1:
		return g.user()
	case 2, 3, 4, 5, 6, 7, 8, 9, 10:
		return g.assistant()
	}
	return g.toolResult()
}

func (g lineGenerator) header() []byte {
	return fmt.Appendf(nil, `{"type":"session","version":3,"id":"%08x-1b7b-4fb1-b512-c9738b1fe617","timestamp":"2026-01-20T23:33:50.805Z","cwd":"/home/user/project"}`, g.Uint32())
}

func (g lineGenerator) user() []byte { return g.message("user", g.prose(g.size(90, 4_000))) }

func (g lineGenerator) assistant() []byte {
	return g.message("assistant", g.prose(g.size(300, 12_000)))
}

func (g lineGenerator) toolResult() []byte {
	return g.message("toolResult", g.prose(g.size(750, 116_000)))
}

// size draws a length with the given median and a long tail up to limit.
func (g lineGenerator) size(median, limit float64) int {
	return int(min(limit, median*g.ExpFloat64()*g.ExpFloat64()*2.2))
}

func (g lineGenerator) message(role, text string) []byte {
	quoted := jsonl.AppendString(nil, text)
	line := fmt.Appendf(nil, `{"type":"message","id":"%08x","parentId":"%08x","timestamp":"2026-01-20T23:33:50.805Z","message":{"role":"%s",`,
		g.Uint32(), g.Uint32(), role)
	switch role {
	case "toolResult":
		line = fmt.Appendf(line, `"toolCallId":"toolu_017qEkVzzPb7b7o4FkgJLF%02x","toolName":"read","content":[{"type":"text","text":%s}],"isError":false,`, g.IntN(256), quoted)
	case "assistant":
		line = fmt.Appendf(line, `"content":[{"type":"text","text":%s},{"type":"toolCall","id":"toolu_%08x","name":"bash","arguments":{"command":"go test ./..."}}],"api":"anthropic-messages","provider":"anthropic","model":"claude-sonnet-4-5",`, quoted, g.Uint32())
		line = fmt.Appendf(line, `"usage":{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":0,"totalTokens":%d,"cost":{"input":%g,"output":0.00213,"cacheRead":0,"cacheWrite":0,"total":0.0234}},"stopReason":"toolUse",`,
			g.IntN(5000), g.IntN(900), g.IntN(90_000), g.IntN(100_000), g.Float64()/10)
	default:
		line = fmt.Appendf(line, `"content":[{"type":"text","text":%s}],`, quoted)
	}
	return fmt.Appendf(line, `"timestamp":%d}}`, 1763681630791+g.Int64N(1_000_000))
}

// prose is about n bytes of words in lines of 10 to 90 bytes, with a quote, a
// tab or a character outside ASCII here and there.
func (g lineGenerator) prose(n int) string {
	words := strings.Fields("the session holds every entry of a tree and func (s *Session) Append(e Entry) error { return nil } is never rewritten if err != nil")
	var sb strings.Builder
	width := 0
	for sb.Len() < n {
		switch r := g.IntN(60); {
		case width > 10+g.IntN(80):
			sb.WriteString("\n")
			width = 0
			if r < 20 {
				sb.WriteString("\t")
			}
		case r == 0:
			sb.WriteString(`"quoted" `)
		case r == 1:
			sb.WriteString("→ ")
		}
		word := words[g.IntN(len(words))]
		sb.WriteString(word)
		sb.WriteByte(' ')
		width += len(word) + 1
	}
	return sb.String()
}

func TestGeneratedLinesAreJSON(t *testing.T) {
	gen := lineGenerator{rand.New(rand.NewPCG(1, 2))}
	for range 100 {
		if line := gen.any(); !json.Valid(line) {
			t.Errorf("generated line is not JSON: %s", line)
		}
	}
}

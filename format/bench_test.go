package format_test

import (
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
)

// benchLines have the sizes that are usual in long sessions.
func benchLines() map[string][]byte {
	prose := func(n int) string {
		const text = `The parser reads one line at a time.\nIt keeps \"raw\" bytes and decodes them on demand; `
		return strings.Repeat(text, n/len(text)+1)[:n/len(text)*len(text)+len(text)]
	}
	const head = `{"type":"message","id":"a1b2c3d4","parentId":"0a1b2c3d","timestamp":"2026-02-03T22:52:06.410Z","message":`
	return map[string][]byte{
		"user": []byte(head + `{"role":"user","content":[{"type":"text","text":"` + prose(150) + `"}],"timestamp":1770159126410}}`),
		"assistant": []byte(head + `{"role":"assistant","content":[{"type":"thinking","thinking":"` + prose(200) + `","thinkingSignature":"c2ln"},{"type":"text","text":"` +
			prose(200) + `"},{"type":"toolCall","id":"call_1","name":"bash","arguments":{"command":"ls"}}],"api":"a","provider":"p","model":"m","usage":` +
			usageText + `,"stopReason":"toolUse","timestamp":1770159126410}}`),
		"toolResult": []byte(head + `{"role":"toolResult","toolCallId":"call_1","toolName":"bash","content":[{"type":"text","text":"` + prose(900) +
			`"}],"isError":false,"timestamp":1770159126410}}`),
		"largeToolResult": []byte(head + `{"role":"toolResult","toolCallId":"call_1","toolName":"bash","content":[{"type":"text","text":"` + prose(116<<10) +
			`"}],"isError":false,"timestamp":1770159126410}}`),
		"label": []byte(`{"type":"label","id":"a1b2c3d4","parentId":"0a1b2c3d","timestamp":"2026-02-03T22:52:06.410Z","targetId":"01234567","label":"mark"}`),
	}
}

func BenchmarkDecodeEntry(b *testing.B) {
	for name, line := range benchLines() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := format.DecodeEntry(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendEntry(b *testing.B) {
	for name, line := range benchLines() {
		e := rebuilt(b, line)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = format.AppendEntry(buf[:0], e)
			}
		})
	}
}

func BenchmarkMigrateEntry(b *testing.B) {
	line := []byte(`{"type":"message","timestamp":"2025-12-01T10:00:00.000Z","message":{"role":"hookMessage","customType":"h","content":"` +
		strings.Repeat("old text ", 100) + `","display":true,"timestamp":1764583200000}}`)
	h := &format.Header{ID: "s", Version: 1}
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	m := format.NewMigrator(h, func([]byte, int) string { return "a1b2c3d4" })
	for b.Loop() {
		m.Entry(line)
	}
}

func BenchmarkParseTime(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := format.ParseTime("2026-02-03T22:52:06.410Z"); !ok {
			b.Fatal("not a time")
		}
	}
}

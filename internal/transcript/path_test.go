package transcript_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/transcript"
)

// A memoryPath is a path through a session that is held in memory. Like a file
// it hands out one buffer for all lines, so that a test notices bytes that were
// kept for too long; benchmarks get the lines themselves.
type memoryPath struct {
	log     []byte
	table   *journal.State
	entries []int
	buf     []byte
	reads   int
	direct  bool // no buffer
}

func (p *memoryPath) Len() int                     { return len(p.entries) }
func (p *memoryPath) At(pos int) *journal.Entry    { return p.table.At(p.entries[pos]) }
func (p *memoryPath) Line(pos int) ([]byte, error) { return p.line(p.At(pos)), nil }

func (p *memoryPath) line(e *journal.Entry) []byte {
	p.reads++
	if p.direct {
		return p.log[e.Offset : e.Offset+int64(e.Len)]
	}
	for i := range p.buf {
		p.buf[i] = '#'
	}
	p.buf = append(p.buf[:0], p.log[e.Offset:e.Offset+int64(e.Len)]...)
	return p.buf
}

// readTable finds the entries of a whole session file.
func readTable(t testing.TB, log []byte) *journal.State {
	t.Helper()
	table, err := journal.Scan(t.Context(), bytes.NewReader(log), int64(len(log)))
	if err != nil {
		t.Fatalf("Scan(%d bytes) = %v", len(log), err)
	}
	return table
}

// pathTo is the path to the last entry with that id.
func pathTo(table *journal.State, log []byte, leaf string) *memoryPath {
	byID := make(map[string]int)
	for i := range table.Len() {
		byID[table.ID(i)] = i
	}
	p := &memoryPath{log: log, table: table}
	for i, ok := byID[leaf]; ok && len(p.entries) <= table.Len(); i, ok = byID[table.At(i).Parent] {
		p.entries = append(p.entries, i)
		if table.At(i).Parent == "" {
			break
		}
	}
	for i, j := 0, len(p.entries)-1; i < j; i, j = i+1, j-1 {
		p.entries[i], p.entries[j] = p.entries[j], p.entries[i]
	}
	return p
}

// chain is the path along lines that are written one below the other: each gets
// the ids e1, e2, … and the one before as its parent. A line starts with what
// follows the envelope, as in `"message","message":{…}`.
func chain(t testing.TB, lines ...string) *memoryPath {
	t.Helper()
	var log strings.Builder
	log.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}` + "\n")
	parent := "null"
	for i, line := range lines {
		id := `"e` + string(jsonOf(t, i+1)) + `"`
		log.WriteString(`{"id":` + id + `,"parentId":` + parent + `,"timestamp":"2026-01-01T00:00:01.000Z","type":` + line + "}\n")
		parent = id
	}
	return wholePath([]byte(log.String()), readTable(t, []byte(log.String())))
}

// wholePath takes all entries in file order as one path.
func wholePath(log []byte, table *journal.State) *memoryPath {
	p := &memoryPath{log: log, table: table}
	for i := range table.Len() {
		p.entries = append(p.entries, i)
	}
	return p
}

// collect builds the context of a path and copies its messages.
func collect(t testing.TB, p transcript.Path) (*transcript.Plan, []transcript.Message) {
	t.Helper()
	plan, err := transcript.Build(p, transcript.Origin{})
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	var msgs []transcript.Message
	for m, err := range plan.Messages(p) {
		if err != nil {
			t.Fatalf("Messages = %v", err)
		}
		msgs = append(msgs, transcript.Message{Pos: m.Pos, Raw: bytes.Clone(m.Raw)})
	}
	return plan, msgs
}

// context is the messages of a path, one a line.
func context(t testing.TB, p transcript.Path) string {
	t.Helper()
	_, msgs := collect(t, p)
	return joined(msgs)
}

func joined(msgs []transcript.Message) string {
	var lines []string
	for _, m := range msgs {
		lines = append(lines, string(m.Raw))
	}
	return strings.Join(lines, "\n")
}

func jsonOf(t testing.TB, v any) []byte {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("Marshal(%v) = %v", v, err)
	}
	return out
}

func valueOf(t testing.TB, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("Unmarshal(%s) = %v", raw, err)
	}
	return v
}

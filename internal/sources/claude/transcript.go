package claude

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// A transcript is a file of Claude Code with its lines linked.
type transcript struct {
	file    *os.File
	size    int64 // of the lines that were scanned
	records []record
	byUUID  map[string]int
	cwd     string // the first one, or that to which the session moved last
	version string // of the program that wrote the last line
	prices  prices
	pointer int              // record named by last-prompt; -1 for none
	exact   bool             // the pointer means exactly that record, not the end of its branch
	long    map[int64][]byte // replacements for lines that are too long, by offset

	window   []byte // part of the file
	windowAt int64  // its offset
}

const noUUID = "00000000-0000-0000-0000-000000000000"

// readTranscript scans the lines of a file.
func readTranscript(ctx context.Context, path string) (*transcript, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &transcript{file: f, byUUID: map[string]int{}, pointer: -1}
	if err := t.scan(ctx); err != nil {
		f.Close()
		return nil, err
	}
	t.link()
	return t, nil
}

func (t *transcript) scan(ctx context.Context) error {
	var pointer, relocated string
	var spans [lineKeyCount]jsonl.Span
	err := sources.LinesOf(ctx, t.file, func(offset int64, line []byte) error {
		t.size = offset + int64(len(line))
		r, ok := scanLine(line, offset, &spans)
		if _, again := t.byUUID[r.uuid]; !ok || again && r.uuid != "" {
			return nil
		}
		switch r.kind {
		case sources.LongKind:
			if t.long == nil {
				t.long = map[int64][]byte{}
			}
			t.long[offset] = bytes.Clone(line)
		case "last-prompt":
			l := sources.Object(line)
			pointer, t.exact = l.Text("leafUuid"), l.Bool("explicit")
			if pointer == noUUID {
				pointer, t.exact = "", false
			}
		case "relocated":
			relocated = cmp.Or(sources.Object(line).Text("relocatedCwd"), relocated)
		case "cost-state":
			t.prices = readPrices(sources.Object(line).Raw("modelUsage"))
		}
		if t.cwd == "" {
			t.cwd, _ = jsonl.String(spans[atCwd].Of(line))
		}
		if v, _ := jsonl.String(spans[atVersion].Of(line)); v != "" {
			t.version = v
		}
		if r.uuid != "" {
			t.byUUID[r.uuid] = len(t.records)
		}
		t.records = append(t.records, r)
		return nil
	})
	t.cwd = cmp.Or(relocated, t.cwd)
	if i, ok := t.byUUID[pointer]; ok && pointer != "" {
		t.pointer = i
	}
	return err
}

// windowSize is the number of bytes that one read returns. Records are mostly
// read in order.
const windowSize = 1 << 20

// body reads the line of a record. The bytes are valid until the next call.
func (t *transcript) body(i int) ([]byte, error) {
	r := &t.records[i]
	if line, ok := t.long[r.offset]; ok {
		return line, nil
	}
	at := r.offset - t.windowAt
	if at < 0 || at+int64(r.size) > int64(len(t.window)) {
		size := max(r.size, int(min(windowSize, t.size-r.offset)))
		if cap(t.window) < size {
			t.window = make([]byte, size)
		}
		n, err := t.file.ReadAt(t.window[:size], r.offset)
		if n < r.size {
			t.window = t.window[:0]
			return nil, cmp.Or(err, io.ErrUnexpectedEOF)
		}
		t.window, t.windowAt, at = t.window[:n], r.offset, 0
	}
	return t.window[at : at+int64(r.size) : at+int64(r.size)], nil
}

// link sets the parent of every record in the way Claude Code resumes the file.
func (t *transcript) link() {
	leaders := map[string]int{}
	last := -1
	for i := range t.records {
		r := &t.records[i]
		r.leader = i
		if r.uuid == "" {
			r.parent = last
			continue
		}
		if p, ok := t.byUUID[r.parentUUID]; ok && r.parentUUID != "" && p != i {
			r.parent = p
		} else if r.parentUUID != "" {
			r.parent = last // its parent was never written
		}
		if r.message != "" {
			if first, ok := leaders[r.message]; ok {
				r.leader = first
			} else {
				leaders[r.message] = i
			}
		}
		last = i
	}
	t.linkCompactions()
	t.breakCycles()
	t.chainResults()
}

// linkCompactions puts a boundary below the entry that it follows, and the lines
// that continue from a kept message below the boundary.
func (t *transcript) linkCompactions() {
	keeper := map[string]int{} // the last boundary that keeps a message
	for i := range t.records {
		r := &t.records[i]
		p, known := t.byUUID[r.parentUUID]
		if at, ok := keeper[r.parentUUID]; ok && r.uuid != "" && p < at {
			r.parent = at
		}
		if r.summary && known && p < i {
			if b := t.records[p].boundary; b != nil && b.summary < 0 {
				b.summary, r.parent, r.leader = i, p, p
				b.from = b.from || r.from // 2.1.328 says so with the summary
				t.placeBoundary(p)
			}
		}
		b := r.boundary
		if b == nil {
			continue
		}
		t.placeBoundary(i)
		for uuid := range b.kept {
			keeper[uuid] = i
		}
	}
}

// placeBoundary puts a boundary below the entry that it follows.
func (t *transcript) placeBoundary(i int) {
	b := t.records[i].boundary
	above := b.logicalParent
	if b.from && b.tail != "" {
		above = b.tail
	}
	if p, ok := t.byUUID[above]; ok && p < i {
		t.records[i].parent = p
	}
}

// breakCycles turns a record that is its own ancestor into a root.
func (t *transcript) breakCycles() {
	const unseen, walking, done = 0, 1, 2
	state := make([]byte, len(t.records))
	for i := range t.records {
		var path []int
		for at := i; at >= 0 && state[at] != done; at = t.above(at) {
			if state[at] == walking {
				t.records[at].parent = -1
				break
			}
			state[at] = walking
			path = append(path, at)
		}
		for _, at := range path {
			state[at] = done
		}
	}
}

// above returns the record of the parent entry: the leader of the parent.
func (t *transcript) above(i int) int {
	p := t.records[t.records[i].leader].parent
	if p < 0 {
		return -1
	}
	return t.records[p].leader
}

// chainResults puts the results of parallel calls one below the other. In the
// file they are below the lines of their calls, which looks like branches.
func (t *transcript) chainResults() {
	last := map[int]int{}    // the last result below a response
	answers := map[int]int{} // the response that a result belongs to
	for i := range t.records {
		r := &t.records[i]
		if !r.results || r.parent < 0 {
			continue
		}
		call := t.records[r.parent].leader
		if a, ok := answers[r.parent]; ok { // a result below another result
			call = a
		}
		if t.records[call].kind != "assistant" {
			continue
		}
		if l, ok := last[call]; ok && r.parent != l {
			r.parent = l
		}
		last[call], answers[i] = i, call
	}
	for i := range t.records {
		r := &t.records[i]
		if r.results || r.parent < 0 || r.leader != i {
			continue
		}
		if call, ok := answers[r.parent]; ok && last[call] < i {
			r.parent = last[call]
		}
	}
}

// leaf returns the record at which Claude Code resumes, or -1 for an empty
// session.
func (t *transcript) leaf(sidechain bool) int {
	if t.pointer >= 0 && t.exact {
		return t.records[t.pointer].leader
	}
	below := t.branch()
	for i := len(t.records) - 1; i >= 0; i-- {
		r := &t.records[i]
		if r.uuid != "" && r.sidechain == sidechain && below(r.leader) {
			return r.leader
		}
	}
	return -1
}

// branch returns a function that reports whether a record is on the branch
// through the pointer. Without a pointer every record is.
func (t *transcript) branch() func(i int) bool {
	if t.pointer < 0 {
		return func(int) bool { return true }
	}
	const unknown, inside, outside = 0, 1, 2
	state := make([]byte, len(t.records))
	state[t.records[t.pointer].leader] = inside
	var path []int
	return func(i int) bool {
		path = path[:0]
		for ; i >= 0 && state[i] == unknown; i = t.above(i) {
			path = append(path, i)
		}
		found := byte(outside)
		if i >= 0 {
			found = state[i]
		}
		for _, at := range path {
			state[at] = found
		}
		return found == inside
	}
}

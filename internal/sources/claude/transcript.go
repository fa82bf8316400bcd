package claude

import (
	"bytes"
	"context"
	"os"

	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/sources"
)

// A transcript is a file of Claude Code with its lines linked.
type transcript struct {
	file    *os.File
	records []record
	byUUID  map[string]int
	cwd     string
	version string
	prices  prices
	pointer int              // record that last-prompt names; -1 for none
	exact   bool             // the pointer means exactly that record, not the end of its branch
	long    map[int64][]byte // what stands in for lines that are too long, by offset
	buf     []byte
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
	var pointer string
	err := sources.LinesOf(ctx, t.file, func(offset int64, line []byte) error {
		r, ok := scanLine(line, offset)
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
		case "cost-state":
			t.prices = readPrices(sources.Object(line).Raw("modelUsage"))
		}
		if t.cwd == "" {
			t.cwd = jsonl.LookupString(line, "cwd")
		}
		if t.version == "" {
			t.version = jsonl.LookupString(line, "version")
		}
		if r.uuid != "" {
			t.byUUID[r.uuid] = len(t.records)
		}
		t.records = append(t.records, r)
		return nil
	})
	if i, ok := t.byUUID[pointer]; ok && pointer != "" {
		t.pointer = i
	}
	return err
}

// body reads the line of a record. The bytes are valid until the next call.
func (t *transcript) body(i int) ([]byte, error) {
	r := &t.records[i]
	if line, ok := t.long[r.offset]; ok {
		return line, nil
	}
	if cap(t.buf) < r.size {
		t.buf = make([]byte, r.size)
	}
	line := t.buf[:r.size]
	_, err := t.file.ReadAt(line, r.offset)
	return line, err
}

// link sets the parent of every record, as Claude Code resumes the file.
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
	for i := range t.records {
		b := t.records[i].boundary
		if b == nil {
			continue
		}
		above := b.logicalParent
		if b.from && b.tail != "" {
			above = b.tail
		}
		if p, ok := t.byUUID[above]; ok && p < i {
			t.records[i].parent = p
		}
		for j := i + 1; j < len(t.records); j++ {
			r := &t.records[j]
			switch {
			case r.summary && r.parentUUID == t.records[i].uuid && b.summary < 0:
				b.summary = j
			case r.uuid != "" && b.kept[r.parentUUID] && t.byUUID[r.parentUUID] < i:
				r.parent = i
			}
		}
		if b.summary >= 0 {
			t.records[b.summary].leader = i
		}
	}
}

// breakCycles makes a root of a record that is its own ancestor.
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

// above is the record whose entry an entry hangs below: the leader of its parent.
func (t *transcript) above(i int) int {
	p := t.records[t.records[i].leader].parent
	if p < 0 {
		return -1
	}
	return t.records[p].leader
}

// chainResults puts the results of parallel calls one below the other. In the file
// they hang below the lines of their calls, which looks like branches.
func (t *transcript) chainResults() {
	last := map[int]int{}    // the last result below a response
	answers := map[int]int{} // the response that a result is for
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

// leaf is the record at which Claude Code resumes; -1 for an empty session.
func (t *transcript) leaf(sidechain bool) int {
	if t.pointer >= 0 && t.exact {
		return t.records[t.pointer].leader
	}
	for i := len(t.records) - 1; i >= 0; i-- {
		r := &t.records[i]
		if r.uuid == "" || r.sidechain != sidechain {
			continue
		}
		if t.pointer < 0 || t.below(i, t.pointer) {
			return r.leader
		}
	}
	return -1
}

// below reports whether record i is in the branch that goes through record p.
func (t *transcript) below(i, p int) bool {
	p = t.records[p].leader
	for i = t.records[i].leader; i >= 0; i = t.above(i) {
		if i == p {
			return true
		}
	}
	return false
}

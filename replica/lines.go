package replica

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
	entry "github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A line describes a line without its bytes.
type line struct {
	off, size  int64 // without the line end
	id, parent string
	sum        [sha256.Size]byte
	kind       entry.Kind
	marker     bool // whether it records a leaf, which is separate for each machine
	redacted   bool // whether a secret was replaced in it
	header     bool
	blank      bool
	setting    *setting // name or label that it sets
}

// A setting is a name of the session or a label of an entry. The last one in a
// file applies.
type setting struct {
	of   string // labeled entry; "" for the name
	text string
	time string
}

// entry returns a new entry with the same name or label.
func (s *setting) entry(id, parent string) format.Entry {
	if s.of == "" {
		return &format.SessionInfo{Base: format.Base{Type: format.TypeSessionInfo, ID: id, ParentID: parent, Timestamp: s.time}, Name: s.text}
	}
	return &format.Label{Base: format.Base{Type: format.TypeLabel, ID: id, ParentID: parent, Timestamp: s.time}, TargetID: s.of, Label: s.text}
}

// later returns the later of two settings, either of which may be nil. Of two
// at the same time it returns the one with the greater text, so that all
// machines agree.
func (s *setting) later(other *setting) *setting {
	if s == nil || other == nil {
		return cmp.Or(s, other)
	}
	a, errA := time.Parse(time.RFC3339, s.time)
	b, errB := time.Parse(time.RFC3339, other.time)
	switch {
	case errA != nil && errB == nil || errA == nil && errB == nil && a.Before(b):
		return other
	case (errA != nil) == (errB != nil) && a.Equal(b) && s.text < other.text:
		return other
	}
	return s
}

// redactedMark is the prefix of the placeholders of package redact.
var redactedMark = []byte("[redacted:")

// lines describes the lines of a file or log.
type lines struct {
	all    []line
	byID   map[string][]int
	sums   map[[sha256.Size]byte]bool
	torn   bool // the last line has no line end
	header []byte
	// settings holds the current settings by their target.
	settings map[string]*setting
}

func readLines(ctx context.Context, src io.Reader) (*lines, error) {
	l := &lines{byID: map[string][]int{}, sums: map[[sha256.Size]byte]bool{}, settings: map[string]*setting{}}
	r := bufio.NewReaderSize(src, 1<<18)
	var record entry.Record
	for n, off := 0, int64(0); ; n++ {
		text, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return l, err
		}
		if n%1000 == 0 && ctx.Err() != nil {
			return l, ctx.Err()
		}
		if len(text) > 0 {
			l.torn = text[len(text)-1] != '\n'
			l.add(&record, bytes.TrimSuffix(text, []byte{'\n'}), off)
			off += int64(len(text))
		}
		if err != nil {
			return l, nil
		}
	}
}

func (l *lines) add(record *entry.Record, text []byte, off int64) {
	at := len(l.all)
	n := line{off: off, size: int64(len(text)), sum: sha256.Sum256(text), blank: len(bytes.TrimSpace(text)) == 0}
	first := true
	record.Each(text, func(r *entry.Record) {
		if !first {
			return
		}
		first = false
		if !r.IsEntry() {
			if l.header == nil && string(r.Type()) == string(format.TypeSession) {
				n.header, l.header = true, bytes.Clone(text)
			}
			return
		}
		n.id, n.parent, n.kind = string(r.ID()), string(r.Parent()), r.Kind()
		at := string(jsonl.TextOf(r.RawTime()))
		n.marker = n.kind == entry.KindCustom && string(jsonl.TextOf(r.Member("customType"))) == format.LeafCustomType
		switch n.kind {
		case entry.KindSessionInfo:
			n.setting = &setting{"", jsonl.LookupString(r.Line(), "name"), at}
		case entry.KindLabel:
			n.setting = &setting{jsonl.LookupString(r.Line(), "targetId"), jsonl.LookupString(r.Line(), "label"), at}
		}
		if n.setting != nil {
			l.settings[n.setting.of] = n.setting
		}
	})
	n.redacted = bytes.Contains(text, redactedMark)
	l.all = append(l.all, n)
	l.sums[n.sum] = true
	if n.id != "" {
		l.byID[n.id] = append(l.byID[n.id], at)
	}
}

// onlyMarkers reports whether all lines with an id only record a leaf.
func (l *lines) onlyMarkers(id string) bool {
	return !slices.ContainsFunc(l.byID[id], func(i int) bool { return !l.all[i].marker })
}

// afterHeader returns the offset of the line after the header.
func (l *lines) afterHeader() int64 {
	for _, n := range l.all {
		if n.header {
			return n.off + n.size + 1
		}
	}
	return 0
}

func (l *lines) version() int {
	if l.header == nil {
		return 0
	}
	raw, _ := jsonl.Lookup(l.header, "version")
	if n, ok := jsonl.Int(raw); ok {
		return int(n)
	}
	return 1
}

// A clash is an entry that both sides have with different bytes.
type clash struct{ id string }

// union returns the indices of the lines of theirs that ours lacks, parents
// first. Lines that record a leaf are included only if entries are below them.
// If there is a clash, the two cannot be merged.
func union(ours, theirs *lines) (missing []int, c *clash) {
	// In version 1 lines have no ids.
	if ours.version() != theirs.version() || ours.version() < 2 && len(theirs.all) > 0 {
		return nil, &clash{}
	}
	usable := theirs.all
	if theirs.torn {
		usable = usable[:len(usable)-1]
	}
	fresh := map[int]bool{}
	for i, n := range usable {
		switch {
		case n.header || n.blank || ours.sums[n.sum]:
			continue
		case n.id != "" && len(ours.byID[n.id]) > 0:
			if !ours.sameEntry(n) {
				return nil, &clash{n.id}
			}
			continue
		}
		fresh[i] = true
	}
	done := map[int]bool{}
	for i, n := range usable {
		if fresh[i] && !n.marker {
			missing = theirs.withParents(i, fresh, done, missing)
		}
	}
	return missing, nil
}

// sameEntry reports whether an entry with the id of one of ours is the same entry,
// redacted on one side.
func (l *lines) sameEntry(n line) bool {
	for _, i := range l.byID[n.id] {
		if n.redacted || l.all[i].redacted {
			return l.all[i].kind == n.kind && l.all[i].parent == n.parent
		}
	}
	return false
}

// withParents appends a line after its missing ancestors. A cycle of parents
// ends where it started.
func (l *lines) withParents(i int, fresh, done map[int]bool, out []int) []int {
	var chain []int
	for !done[i] {
		done[i] = true
		chain = append(chain, i)
		parents := l.byID[l.all[i].parent]
		if len(parents) == 0 || !fresh[parents[0]] {
			break
		}
		i = parents[0]
	}
	slices.Reverse(chain)
	return append(out, chain...)
}

// descends reports whether an entry equals another one or is below it.
func (l *lines) descends(id, above string) bool {
	for range 1 << 24 {
		if id == above {
			return true
		}
		at := l.byID[id]
		if len(at) == 0 || l.all[at[0]].parent == id {
			return false
		}
		id = l.all[at[0]].parent
	}
	return false
}

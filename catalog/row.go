package catalog

import (
	"encoding/json"
	"io"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/sessiondir"
)

// A rowKind states how much a row contains.
type rowKind int

const (
	rowWhole rowKind = iota // all facts
	rowHead                 // facts of the header; the rest was not requested
	rowOther                // the file is not a session
)

// A brief is the part of a row that tells whether a file is unchanged, and which
// session it contains.
type brief struct {
	id          int64
	path        string
	dev, ino    int64
	size, mtime int64 // of the part that was read, and in nanoseconds
	kind        rowKind

	session, cwd string
	version      int
	internal     bool
	used         int64 // Info.Modified in milliseconds, or 0 if it is the time of the file

	responses, touches int // number of rows in other tables; -1 if they were not collected

	asked, omitted bool // by Options.Omit, in this list
}

// briefColumns are the columns of a brief, without its id and its sum, in the
// order of its fields.
const briefColumns = "path, dev, ino, size, mtime, kind, session, cwd, version, internal, used, responses, touches"

func (b *brief) fields() []any {
	return []any{&b.path, &b.dev, &b.ino, &b.size, &b.mtime, (*int)(&b.kind), &b.session, &b.cwd, &b.version, &b.internal, &b.used, &b.responses, &b.touches}
}

// A row contains what the index knows about a file: its identity, how far it
// was read, its facts, and from where reading can continue.
type row struct {
	brief
	archived                            bool
	parent, created                     string
	headerTitle, slotTitle, recordTitle string
	name                                string
	named                               bool
	program                             int
	model, first, other                 string
	status, messages, entries, findings int
	branches                            int
	activity                            int64
	spent                               format.Spent
	unknown                             string // see prices.Unknown
	start                               start
	last, ends                          string
	responsesSum, touchesSum            int64
	runs                                bool
	openCalls                           string

	found collection // loaded, or to be stored
	base  *row       // the row that this one continues, of the same file; nil if there is none
}

// rowColumns are the columns of a row, without its id and its sums, in the order
// of its fields.
const rowColumns = briefColumns + `, archived, parent, created, header_title, slot_title, record_title, name, named, program,
	model, first_text, other_text, status, messages, entries, findings, branches, activity,
	input, output, cache_read, cache_write, tokens, cost, unpriced, unpriced_calls, read_to, head_hash, tail_hash, last_entry, branch_ends, responses_sum, touches_sum, runs, open_calls`

func (r *row) fields() []any {
	u, s := &r.spent, &r.start
	return append(r.brief.fields(), &r.archived, &r.parent, &r.created, &r.headerTitle, &r.slotTitle, &r.recordTitle, &r.name, &r.named, &r.program,
		&r.model, &r.first, &r.other, &r.status, &r.messages, &r.entries, &r.findings, &r.branches, &r.activity,
		&u.Input, &u.Output, &u.CacheRead, &u.CacheWrite, &u.Tokens, (*int64)(&u.Cost), &u.Unpriced, &r.unknown, &s.end, &s.head, &s.tail, &r.last, &r.ends, &r.responsesSum, &r.touchesSum, &r.runs, &r.openCalls)
}

// of sets the identity of a row.
func (b *brief) of(f *file) {
	b.path, b.mtime = f.path(), f.modified.UnixNano()
	b.dev, b.ino = int64(f.inode.Device), int64(f.inode.Number)
}

// isOf reports whether a row describes this file, unchanged.
func (b *brief) isOf(f *file) bool {
	return (b.size == f.size || f.isForeign()) && b.mtime == f.modified.UnixNano() && b.inode() == f.inode
}

func (b *brief) inode() cache.Inode { return cache.Inode{Device: uint64(b.dev), Number: uint64(b.ino)} }

// suffices reports whether a row answers the query.
func (b *brief) suffices(q *query) bool {
	switch {
	case b.kind == rowOther, !q.wants(b.cwd, b.internal):
		return true
	case q.text:
		return false
	}
	return q.headOnly || b.kind == rowWhole && (!q.spent || b.responses >= 0) && (!q.touched || b.touches >= 0)
}

// info returns the facts of a header.
func (b *brief) info(of *file) Info {
	return Info{Path: of.path(), Root: of.root(), Size: b.size, Inode: Inode(of.inode), FileTime: of.modified, ID: b.session, Cwd: b.cwd, Version: b.version, Internal: b.internal}
}

// holds puts facts into a row.
func (r *row) holds(f *facts) {
	h := &f.head
	r.session, r.cwd, r.version, r.internal = h.ID, h.Cwd, h.Version, h.Internal
	if t := sessiondir.LastUsed(h, f.activity, time.Time{}); !t.IsZero() {
		r.used = t.UnixMilli()
	}
	r.archived, r.parent, r.created, r.headerTitle = h.Archived, h.Parent(), h.Timestamp, h.Title
	r.slotTitle, r.recordTitle, r.name, r.named, r.program = f.slot, f.title, f.name, f.named, int(f.sign)
	r.model, r.first, r.other = f.model, f.first[:shortEnd(f.first)], f.stopgap[:shortEnd(f.stopgap)]
	r.status, r.messages, r.entries, r.findings, r.branches = int(f.ends.state), f.messages, f.entries, f.findings, f.ends.count()
	r.activity, r.spent, r.unknown = f.activity, f.spent, f.unknown.Text()
	r.last, r.ends = string(f.ends.last), encodeEnds(f.ends.others)
}

// restore sets facts to those of a row.
func (r *row) restore(f *facts) {
	f.hasHeader = true
	f.head = format.Header{
		ID: r.session, Cwd: r.cwd, Version: r.version, Internal: r.internal, Archived: r.archived,
		ParentSession: r.parent, Timestamp: r.created, Title: r.headerTitle,
	}
	f.slot, f.title, f.name, f.named, f.sign = r.slotTitle, r.recordTitle, r.name, r.named, journal.Signature(r.program)
	f.model, f.first, f.stopgap = r.model, r.first, r.other
	f.ends.state = min(state(r.status), stateUnknown)
	f.messages, f.entries, f.findings = r.messages, r.entries, r.findings
	f.activity, f.spent = r.activity, r.spent
	_ = f.unknown.SetText(r.unknown) // written by this program
}

// resume sets facts to those of a row, such that reading can continue.
func (r *row) resume(f *facts) (ok bool) {
	r.restore(f)
	f.ends.any, f.ends.last, f.ends.trail.late = r.branches > 0, append(f.ends.last[:0], r.last...), true
	f.ends.others, ok = decodeEnds(r.ends)
	return ok && f.ends.count() == r.branches
}

// encodeEnds encodes the states at entries without children as pairs, because
// ids need not be UTF-8.
func encodeEnds(ends map[string]state) string {
	if len(ends) == 0 {
		return ""
	}
	type end struct {
		ID    []byte
		State state
	}
	list := make([]end, 0, len(ends))
	for id, at := range ends {
		list = append(list, end{[]byte(id), at})
	}
	text, _ := json.Marshal(list) // of plain values
	return string(text)
}

func decodeEnds(text string) (map[string]state, bool) {
	if text == "" {
		return nil, true
	}
	var list []struct {
		ID    []byte
		State state
	}
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil, false
	}
	ends := make(map[string]state, len(list))
	for _, e := range list {
		ends[string(e.ID)] = e.State
	}
	return ends, true
}

// whole returns what a query asks for of a row of this file; f is scratch space.
func (r *row) whole(of *file, q *query, f *facts) Info {
	r.restore(f)
	f.ends.others, f.ends.any = nil, false
	info := f.info(of, r.size)
	info.Branches = r.branches
	r.gives(&info, q)
	return info
}

// A start is an offset at which reading can continue, with hashes that show
// that the file before it is unchanged.
type start struct {
	end        int64
	head, tail int64 // of the first bytes and of those before end
}

// startAt returns the start at an offset. The first bytes are included because
// oh-my-pi overwrites its title slot in place.
func startAt(in io.ReaderAt, end int64) (s start, err error) {
	s.end = end
	if s.tail, err = cache.Fingerprint(in, end); err != nil {
		return s, err
	}
	if s.head = s.tail; end > cache.TailSize {
		s.head, err = cache.Fingerprint(in, cache.TailSize)
	}
	return s, err
}

package catalog

import (
	"encoding/binary"
	"io"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/index"
	"github.com/pith-sessions/pith/internal/cache/pack"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/sessiondir"
)

// rowVersion increases with every change of the content of rows or of the way
// facts are collected. Rows of other versions are not read.
const rowVersion = 10

// A rowKind states how much a row contains.
type rowKind byte

const (
	rowWhole rowKind = iota // all facts
	rowHead                 // facts of the header; the rest was not requested
	rowOther                // the file is not a session
)

// A row contains what the index knows about a file: its identity, how far it
// was read, and its facts. It is stored with a state from which reading can
// continue after the last whole line.
type row struct {
	inode index.Inode
	size  int64 // size of the part that was read
	mtime int64 // nanoseconds
	kind  rowKind

	cwd      string
	internal bool
	branches int
	used     int64  // Info.Modified in milliseconds, or 0 if it is the time of the file
	facts    string // as of size, encoded; "" for a file that is not a session
}

// rowRoom is the size of a row without its texts, or of a start, with a checksum.
const rowRoom = 104

func appendRow(b []byte, r *row) []byte {
	b = slices.Grow(b, len(r.cwd)+len(r.facts)+rowRoom)
	b = append(b, byte(r.kind))
	b = binary.AppendUvarint(b, r.inode.Device)
	b = binary.AppendUvarint(b, r.inode.Number)
	b = binary.AppendVarint(b, r.size)
	b = binary.AppendVarint(b, r.mtime)
	b = pack.AppendString(b, r.cwd)
	b = pack.AppendBool(b, r.internal)
	b = binary.AppendUvarint(b, uint64(r.branches))
	b = binary.AppendVarint(b, r.used)
	return pack.AppendString(b, r.facts)
}

func decodeRow(text string, r *row) error {
	d := pack.NewReader(text)
	r.kind = rowKind(d.Byte())
	r.inode = index.Inode{Device: d.Uint(), Number: d.Uint()}
	r.size, r.mtime = d.Int(), d.Int()
	r.cwd, r.internal, r.branches = d.String(), d.Bool(), int(d.Uint())
	r.used, r.facts = d.Int(), d.String()
	return d.Done()
}

// holds puts facts into a row.
func (r *row) holds(f *facts) {
	r.internal, r.branches, r.used = f.head.Internal, f.ends.count(), 0
	if t := sessiondir.LastUsed(&f.head, f.activity, time.Time{}); !t.IsZero() {
		r.used = t.UnixMilli()
	}
	f.encoded = appendFacts(f.encoded[:0], f)
	r.facts = string(f.encoded)
	d := pack.NewReader(r.facts) // which starts with the id and the directory
	_, r.cwd = d.String(), d.String()
}

func (r *row) id() string {
	d := pack.NewReader(r.facts) // which starts with it
	return d.String()
}

// info returns the facts of a row of this file; f is scratch space.
func (r *row) info(of *file, f *facts) (Info, error) {
	d := pack.NewReader(r.facts)
	decodeFacts(&d, f)
	if err := d.Done(); err != nil {
		return Info{}, err
	}
	info := f.info(of, r.size)
	info.Branches = r.branches
	return info, nil
}

// appendState encodes the facts from which reading can continue, and the ends
// of the branches.
func appendState(b []byte, f *facts) []byte {
	b = appendFacts(b, f)
	b = pack.AppendBool(b, f.ends.any)
	b = pack.AppendString(b, string(f.ends.last))
	b = binary.AppendUvarint(b, uint64(len(f.ends.others)))
	for id, at := range f.ends.others {
		b = append(pack.AppendString(b, id), byte(at))
	}
	return b
}

// A start is an offset at which reading can continue, with fingerprints that
// show that the file before it is unchanged. It is stored with the state and
// not taken from the row: another process may have replaced both since the row
// was loaded.
type start struct {
	end        int64
	head, tail uint64 // fingerprints of the first bytes and of those before end
}

// startAt returns the start at an offset. The first bytes are included because
// oh-my-pi overwrites its title slot in place.
func startAt(in io.ReaderAt, end int64) (s start, err error) {
	s.end = end
	if s.tail, err = index.Fingerprint(in, end); err != nil {
		return s, err
	}
	if s.head = s.tail; end > index.TailSize {
		s.head, err = index.Fingerprint(in, index.TailSize)
	}
	return s, err
}

func appendStart(b []byte, s start) []byte {
	b = binary.AppendVarint(b, s.end)
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, s.head), s.tail)
}

// decodeState reads the output of appendStart and appendState.
func decodeState(text string, f *facts) (from start, err error) {
	d := pack.NewReader(text)
	from = start{d.Int(), d.Fixed(), d.Fixed()}
	decodeFacts(&d, f)
	f.ends.any = d.Bool()
	f.ends.last = append(f.ends.last[:0], d.String()...)
	f.ends.trail.late = true
	n := d.Uint()
	if n > uint64(d.Len()) {
		return start{}, pack.ErrMalformed
	}
	f.ends.others = nil
	if n > 0 {
		f.ends.others = make(map[string]state, n)
	}
	for range n {
		id := d.String()
		f.ends.others[id] = state(d.Byte())
	}
	return from, d.Done()
}

func appendFacts(b []byte, f *facts) []byte {
	h := &f.head
	for _, s := range [...]string{h.ID, h.Cwd, h.Parent(), h.Timestamp, h.Title, f.slot, f.name, f.title, f.model, f.first[:shortEnd(f.first)], f.stopgap[:shortEnd(f.stopgap)]} {
		b = pack.AppendString(b, s)
	}
	b = pack.AppendBool(b, h.Internal)
	b = pack.AppendBool(b, h.Archived)
	b = pack.AppendBool(b, f.named)
	b = append(b, byte(f.ends.state), byte(f.sign))
	u := &f.spent
	for _, n := range [...]int64{int64(h.Version), int64(f.entries), int64(f.findings), int64(f.messages), f.activity,
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Tokens, int64(u.Cost), u.Unpriced} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func decodeFacts(d *pack.Reader, f *facts) {
	f.hasHeader = true
	f.head = format.Header{ID: d.String(), Cwd: d.String(), ParentSession: d.String(), Timestamp: d.String(), Title: d.String()}
	f.slot, f.name, f.title = d.String(), d.String(), d.String()
	f.model, f.first, f.stopgap = d.String(), d.String(), d.String()
	f.head.Internal, f.head.Archived, f.named = d.Bool(), d.Bool(), d.Bool()
	f.ends.state, f.sign = state(d.Byte()), envelope.Signature(d.Byte())
	f.head.Version, f.entries, f.findings, f.messages = int(d.Int()), int(d.Int()), int(d.Int()), int(d.Int())
	f.activity = d.Int()
	f.spent = format.Spent{Input: d.Int(), Output: d.Int(), CacheRead: d.Int(), CacheWrite: d.Int(), Tokens: d.Int(), Cost: format.Money(d.Int()), Unpriced: d.Int()}
}

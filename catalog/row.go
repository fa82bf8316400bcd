package catalog

import (
	"encoding/binary"
	"errors"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/index"
	"github.com/pith-sessions/pith/internal/envelope"
)

// rowVersion rises with every change of what rows hold or of how facts are
// gathered. Rows of other versions are not read.
const rowVersion = 5

// A rowKind says how much a row knows.
type rowKind byte

const (
	rowWhole rowKind = iota // all facts
	rowHead                 // those of the header: the rest was not asked for
	rowOther                // the file is no session
)

// A row is what the index keeps about a file: which file it was, how far it was
// read, and what was found. Beside it a state is kept with which reading can go
// on where the last whole line ended.
type row struct {
	inode index.Inode
	size  int64 // of what was read
	mtime int64 // nanoseconds
	kind  rowKind

	cwd      string
	internal bool
	branches int
	facts    string // as of size, encoded; "" for a file that is no session
}

var errRow = errors.New("not a row of this version")

// appendRow encodes what every list needs.
func appendRow(b []byte, r *row) []byte {
	b = append(b, byte(r.kind))
	b = binary.AppendUvarint(b, r.inode.Device)
	b = binary.AppendUvarint(b, r.inode.Number)
	b = binary.AppendVarint(b, r.size)
	b = binary.AppendVarint(b, r.mtime)
	b = appendString(b, r.cwd)
	b = appendBool(b, r.internal)
	b = binary.AppendUvarint(b, uint64(r.branches))
	return appendString(b, r.facts)
}

// decodeRow reads what appendRow wrote.
func decodeRow(text string, r *row) error {
	d := decoder{text: text}
	r.kind = rowKind(d.byte())
	r.inode = index.Inode{Device: d.uint(), Number: d.uint()}
	r.size, r.mtime = d.int(), d.int()
	r.cwd, r.internal, r.branches = d.string(), d.bool(), int(d.uint())
	r.facts = d.string()
	return d.done()
}

// holds puts facts into a row.
func (r *row) holds(f *facts) {
	r.cwd, r.internal, r.branches = f.head.Cwd, f.head.Internal, f.ends.count()
	r.facts = string(appendFacts(nil, f))
}

// info are the facts of a row of this very file; f is scratch space.
func (r *row) info(of *file, f *facts) (Info, error) {
	d := decoder{text: r.facts}
	d.facts(f)
	if err := d.done(); err != nil {
		return Info{}, err
	}
	info := f.info(of, r.size)
	info.Branches = r.branches
	return info, nil
}

// appendState encodes the facts that reading can go on with, and the ends of the
// branches.
func appendState(b []byte, f *facts) []byte {
	b = appendFacts(b, f)
	b = appendBool(b, f.ends.any)
	b = appendString(b, string(f.ends.last))
	b = append(b, byte(f.ends.state))
	b = binary.AppendUvarint(b, uint64(len(f.ends.others)))
	for id, at := range f.ends.others {
		b = append(appendString(b, id), byte(at))
	}
	return b
}

// A start is where reading can go on, and what shows that the file is still the
// one that was read up to there. It is kept before the state and not taken from
// the row: another process may have replaced both since the row was loaded.
type start struct {
	end        int64
	head, tail uint64 // fingerprints of the first bytes and of those before end
}

// startAt is the start at an offset. The first bytes count because oh-my-pi
// overwrites its title slot in place.
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

// decodeState reads what appendStart and appendState wrote.
func decodeState(text string, f *facts) (from start, err error) {
	d := decoder{text: text}
	from = start{d.int(), d.fixed(), d.fixed()}
	d.facts(f)
	f.ends.any = d.bool()
	f.ends.last = append(f.ends.last[:0], d.string()...)
	f.ends.state = state(d.byte())
	f.ends.trail.late = true
	n := d.uint()
	if n > uint64(len(d.text)) {
		return start{}, errRow
	}
	f.ends.others = nil
	if n > 0 {
		f.ends.others = make(map[string]state, n)
	}
	for range n {
		id := d.string()
		f.ends.others[id] = state(d.byte())
	}
	return from, d.done()
}

func appendFacts(b []byte, f *facts) []byte {
	h := &f.head
	for _, s := range [...]string{h.ID, h.Cwd, h.Parent(), h.Timestamp, h.Title, f.slot, f.name, f.title, f.model, f.first, f.stopgap} {
		b = appendString(b, s)
	}
	b = appendBool(b, h.Internal)
	b = appendBool(b, f.named)
	b = append(b, byte(f.ends.stand), byte(f.sign))
	u := &f.spent
	for _, n := range [...]int64{int64(h.Version), int64(f.entries), int64(f.findings), int64(f.messages), f.activity,
		u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Tokens, int64(u.Cost)} {
		b = binary.AppendVarint(b, n)
	}
	return b
}

func (d *decoder) facts(f *facts) {
	f.begun = true
	f.head = format.Header{ID: d.string(), Cwd: d.string(), ParentSession: d.string(), Timestamp: d.string(), Title: d.string()}
	f.slot, f.name, f.title = d.string(), d.string(), d.string()
	f.model, f.first, f.stopgap = d.string(), d.string(), d.string()
	f.head.Internal, f.named = d.bool(), d.bool()
	f.ends.stand, f.sign = state(d.byte()), envelope.Signature(d.byte())
	f.head.Version, f.entries, f.findings, f.messages = int(d.int()), int(d.int()), int(d.int()), int(d.int())
	f.activity = d.int()
	f.spent = format.Spent{Input: d.int(), Output: d.int(), CacheRead: d.int(), CacheWrite: d.int(), Tokens: d.int(), Cost: format.Money(d.int())}
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendBool(b []byte, v bool) []byte {
	if v {
		return append(b, 1)
	}
	return append(b, 0)
}

// A decoder reads values one by one. Strings are parts of the text that it was
// given. After a fault it gives zeros; done tells.
type decoder struct {
	text string
	bad  bool
}

func (d *decoder) take(n int) string {
	if n > len(d.text) {
		d.text, d.bad = "", true
		return ""
	}
	out := d.text[:n]
	d.text = d.text[n:]
	return out
}

func (d *decoder) byte() byte {
	if b := d.take(1); b != "" {
		return b[0]
	}
	return 0
}

func (d *decoder) bool() bool { return d.byte() != 0 }

func (d *decoder) fixed() uint64 {
	b := d.take(8)
	var v uint64
	for i := len(b) - 1; i >= 0; i-- {
		v = v<<8 | uint64(b[i])
	}
	return v
}

func (d *decoder) uint() uint64 {
	var v uint64
	for shift := uint(0); shift < 64; shift += 7 {
		b := d.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
	d.text, d.bad = "", true
	return 0
}

func (d *decoder) int() int64 {
	v := d.uint()
	return int64(v>>1) ^ -int64(v&1)
}

func (d *decoder) string() string {
	n := d.uint()
	if n > uint64(len(d.text)) {
		d.text, d.bad = "", true
		return ""
	}
	return d.take(int(n))
}

// done fails if anything was wrong, or if something is left.
func (d *decoder) done() error {
	if d.bad || len(d.text) > 0 {
		return errRow
	}
	return nil
}

package replica

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"math"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/cost"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/internal/cache/pack"
)

// A FactStore is a Store that also holds facts of unencrypted copies, so that a
// reader can list, count and search sessions without their bytes.
type FactStore interface {
	Store
	// KeepsFacts reports whether the store really does.
	KeepsFacts() bool
	// FactsCovered returns how many bytes of this person's log its facts cover.
	FactsCovered(ctx context.Context, name string) (int64, error)
	// AddFacts adds facts. It changes nothing if the facts of the log do not cover
	// exactly the bytes before f.From.
	AddFacts(ctx context.Context, name string, f NewFacts) error
}

// NewFacts are the facts of the bytes of a log from one offset to another.
type NewFacts struct {
	From, To int64
	Row      []byte // describes the log up to To: see [LogFacts]
	Spent    []byte // made by a [cost.Tally]
	Sums     []byte // made by [cost.Sum] of the log up to To; empty if unknown
	Used     int64  // see [Used]; 0 if Row is empty
	Lines    []LineWords
}

// LineWords are the words of a line, as a [search.WordCollector] finds them.
type LineWords struct {
	Offset int64
	Size   int // without the line ending
	Words  string
}

// LogFacts are a log that a reader may read, with its facts. Facts are not
// trustworthy.
type LogFacts struct {
	Number  int64 // of the log
	Name    string
	Size    int64
	Covered int64  // how many bytes the facts cover; negative if there are none
	Row     string // facts for a list; "" if unknown
	Sums    string // see [NewFacts]
	Used    int64  // if the log was chosen by it: see [Used]
}

// Used returns the number by which the store sorts a list: when the session was
// used, in nanoseconds since 1970, or 0 for one that a list leaves out.
func Used(i *catalog.Info) int64 {
	switch {
	case i.Internal:
		return 0
	case i.Modified.Year() < 1970:
		return 1
	case i.Modified.Year() > 2261:
		return math.MaxInt64
	}
	return max(1, i.Modified.UnixNano())
}

// A row starts with a version and the hash of the log's content.
const (
	rowVersion  = 1
	rowHasWords = 1 // the words of all lines are known
	rowHead     = 2 + sha256.Size
)

const (
	// mostLine is the length of the longest line with facts. A session with a
	// longer one has none.
	mostLine = 15 << 20
	// mostWords is the number of bytes of words in a line up to which
	// PostgreSQL can index them. A session with a longer line has no words.
	mostWords = 512 << 10
	// manyFacts is the number of bytes of facts after which they are written.
	manyFacts = 4 << 20
)

// A factWriter collects the facts of a copy while it is pushed. Everything that
// is pushed is written to it, from the start of the log.
type factWriter struct {
	store FactStore
	name  string
	next  NewFacts // facts not written yet
	ready int64    // how much of the log is in the store
	size  int64    // how much was written to the collector, up to the end of a line
	line  []byte   // start of the next line
	count int      // bytes of next

	info  catalog.Collector
	tally cost.Tally
	words search.WordCollector
	buf   []byte

	unfit    bool // the copy cannot have facts
	wordless bool // the words of a line are too many
}

// newFacts returns a writer for the facts of a log, or nil if the store holds
// none.
func (p *pushing) newFacts(ctx context.Context, r Replica, have int64) (*factWriter, error) {
	s, ok := p.store.(FactStore)
	if !ok || !s.KeepsFacts() || r.Sealed {
		return nil, nil
	}
	w := &factWriter{store: s, name: r.Log(), ready: have}
	if have > 0 {
		covered, err := s.FactsCovered(ctx, w.name)
		if err != nil {
			return nil, err
		}
		w.next.From = covered
	}
	return w, nil
}

// tee returns a reader of src that collects the facts of what it reads.
func (w *factWriter) tee(ctx context.Context, src io.Reader) io.Reader {
	if w == nil {
		return src
	}
	return io.TeeReader(src, writerFunc(func(p []byte) (int, error) { return len(p), w.collect(ctx, p) }))
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// collect adds the next bytes of the log.
func (w *factWriter) collect(ctx context.Context, p []byte) error {
	for len(p) > 0 && !w.unfit {
		end := bytes.IndexByte(p, '\n')
		if end < 0 {
			w.line = append(w.line, p...)
			w.unfit = len(w.line) > mostLine
			break
		}
		line := p[:end]
		if len(w.line) > 0 {
			w.line = append(w.line, line...)
			line = w.line
		}
		w.add(line)
		w.line, p = w.line[:0], p[end+1:]
	}
	return w.stored(ctx, w.ready)
}

// add adds a line without its line ending.
func (w *factWriter) add(line []byte) {
	if len(line) > mostLine {
		w.unfit = true
		return
	}
	at := w.size
	w.size += int64(len(line)) + 1
	w.info.Line(line)
	if at < w.next.From && len(line) <= mostWords {
		return
	}
	w.buf = w.words.Append(w.buf[:0], line)
	w.wordless = w.wordless || len(w.buf) > mostWords
	if at < w.next.From {
		return
	}
	w.tally.Line(line)
	if len(w.buf) > 0 && len(w.buf) <= mostWords {
		w.next.Lines = append(w.next.Lines, LineWords{at, len(line), string(w.buf[1:])})
		w.count += len(w.buf)
	}
}

// stored is called when the log has grown to a length.
func (w *factWriter) stored(ctx context.Context, size int64) error {
	if w == nil {
		return nil
	}
	w.ready = size
	if w.count > manyFacts && w.size <= size {
		return w.write(ctx, nil)
	}
	return nil
}

// finish writes the remaining facts of a log whose content has that hash.
// written is the time of its file.
func (w *factWriter) finish(ctx context.Context, written time.Time, sum []byte) error {
	if w == nil {
		return nil
	}
	info, ok := w.info.Info(written)
	switch {
	case w.unfit:
		w.next.Lines, w.size = nil, w.ready // the next push does not try again
		fallthrough
	case !ok || w.size != w.ready: // not a session, or the last line is incomplete
		return w.write(ctx, nil)
	}
	row := []byte{rowVersion, rowHasWords}
	if w.wordless {
		row[1] = 0
	}
	row = append(append(row, sum...), info.Pack()...)
	if len(row) > mostRow {
		row = nil
	} else {
		w.next.Used = Used(&info)
		if sums := cost.Sum(info.Responses); len(sums) <= mostRow {
			w.next.Sums = sums
		}
	}
	return w.write(ctx, row)
}

const mostRow = 64 << 10

// write writes the facts of all whole lines.
func (w *factWriter) write(ctx context.Context, row []byte) error {
	f := w.next
	if w.size <= w.next.From {
		return nil
	}
	f.To, f.Row, f.Spent = w.size, append([]byte{}, row...), w.tally.Pack()
	w.next, w.count = NewFacts{From: f.To}, 0
	return w.store.AddFacts(ctx, w.name, f)
}

// A Summary is the entry of a list that the facts of a copy give.
type Summary struct {
	Info catalog.Info // without a path
	Log  int64        // number of the log
	// Searchable is set if the facts have the words of all lines.
	Searchable bool
	Sums       string // see [NewFacts]
}

// Summarize returns the facts of a session from those of its copies, by the
// names of their logs. ok is false if the copies must be read: facts are
// missing, older than the log or malformed, or the copies differ.
func Summarize(copies []Replica, facts map[string]LogFacts) (_ Summary, ok bool) {
	f, ok := facts[copies[0].Log()]
	if !ok || copies[0].Sealed || f.Covered != f.Size || len(f.Row) < rowHead || f.Row[0] != rowVersion {
		return Summary{}, false
	}
	for _, r := range copies[1:] {
		other := facts[r.Log()]
		if r.Sealed || other.Covered != f.Size || other.Size != f.Size || len(other.Row) < rowHead || other.Row[:rowHead] != f.Row[:rowHead] {
			return Summary{}, false
		}
	}
	info, err := catalog.UnpackInfo(f.Row[rowHead:])
	if err != nil || info.ID != copies[0].Session || info.Size != f.Size {
		return Summary{}, false
	}
	return Summary{info, f.Number, f.Row[1]&rowHasWords != 0, f.Sums}, true
}

// PackFacts encodes facts, so that a list can be shown again without the store.
func PackFacts(all []LogFacts) []byte {
	size := 1
	for _, f := range all {
		size += len(f.Name) + len(f.Row) + 4*binary.MaxVarintLen64
	}
	b := append(make([]byte, 0, size), rowVersion)
	for _, f := range all {
		b = binary.AppendVarint(b, f.Size)
		b = binary.AppendVarint(b, f.Covered)
		b = pack.AppendString(pack.AppendString(b, f.Name), f.Row)
	}
	return b
}

// UnpackFacts decodes what PackFacts encoded.
func UnpackFacts(data []byte) (all []LogFacts, err error) {
	d := pack.NewReader(string(data))
	if d.Byte() != rowVersion {
		return nil, pack.ErrMalformed
	}
	for d.Len() > 0 {
		all = append(all, LogFacts{Size: d.Int(), Covered: d.Int(), Name: d.String(), Row: d.String()})
	}
	return all, d.Done()
}

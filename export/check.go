package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"hash/maphash"
	"html"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/pith-sessions/pith/redact"
)

// A LeakError means that the output contains a secret.
type LeakError struct {
	Findings []redact.Finding // Line is the line in the file
}

func (e *LeakError) Error() string { return "the output still contains secrets" }

// Check rereads the output of Write, decoded as a reader would decode it, and
// searches it for secrets. It returns a *LeakError if there are any. Write has
// already scanned the parts that it compressed; for those, Check only verifies
// that they are unchanged.
func (p *Plan) Check(ctx context.Context, written io.ReadSeeker) error {
	if p.redact == nil {
		return nil
	}
	if _, err := written.Seek(0, io.SeekStart); err != nil {
		return err
	}
	again, err := p.again()
	if err != nil {
		return err
	}
	c := &checker{plan: p, redact: again, pieces: make(chan piece)}
	for range min(runtime.GOMAXPROCS(0), mostCheckers) {
		c.workers.Go(c.work)
	}
	err = c.read(ctx, written)
	close(c.pieces)
	c.workers.Wait()
	if err := errors.Join(err, c.err); err != nil {
		return err
	}
	if len(c.found) > 0 {
		slices.SortStableFunc(c.found, func(a, b redact.Finding) int { return cmp.Compare(a.Line, b.Line) })
		return &LeakError{Findings: c.found}
	}
	return nil
}

// again returns a Redactor for the result, which also knows what the review has
// learned.
func (p *Plan) again() (*redact.Redactor, error) {
	r, err := redact.New(p.Options.Redact)
	if err == nil {
		r.LearnFrom(p.redact)
	}
	return r, err
}

// mostCheckers limits the number of buffers on machines with many cores.
const mostCheckers = 8

// checker reads the output and scans pieces of it in parallel.
type checker struct {
	plan    *Plan
	redact  *redact.Redactor
	plain   []byte // lines of text to be scanned together
	first   int    // number of the first of them
	pieces  chan piece
	workers sync.WaitGroup

	mu    sync.Mutex // guards the fields below
	found []redact.Finding
	err   error
}

// A piece is a part that is scanned separately.
type piece struct {
	line int
	kind pieceKind
	text []byte
}

type pieceKind uint8

const (
	pieceLine   pieceKind = iota // a line of a session
	pieceText                    // HTML or Markdown text
	piecePacked                  // base64 of compressed HTML or JSON
)

// plainPiece is about how much text is scanned at a time.
const plainPiece = 256 << 10

func (c *checker) read(ctx context.Context, text io.ReadSeeker) error {
	in := bufio.NewReaderSize(text, plainPiece)
	at := int64(0)
	for n := 1; ; n++ {
		line, err := nextLine(in, text, at)
		if err := ctx.Err(); err != nil {
			return err
		}
		c.line(n, line)
		if errors.Is(err, io.EOF) {
			c.flush()
			return nil
		}
		if err != nil {
			return err
		}
		at += int64(len(line))
	}
}

// nextLine returns the next line of in, which reads text and is at that offset.
// A long line is measured and then read again, so that it is in memory once.
func nextLine(in *bufio.Reader, text io.ReadSeeker, at int64) ([]byte, error) {
	part, err := in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return bytes.Clone(part), err
	}
	size := len(part)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = in.ReadSlice('\n')
		size += len(part)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if _, err := text.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	line := make([]byte, size)
	if _, err := io.ReadFull(text, line); err != nil {
		return nil, err
	}
	in.Reset(text)
	return line, err
}

const (
	dataPrefix = `<script type="text/plain" `
	dataSuffix = "</script>\n"
)

// line processes a line of the file and takes ownership of it.
func (c *checker) line(n int, line []byte) {
	starts := func(with string) bool { return bytes.HasPrefix(line, []byte(with)) }
	switch {
	case c.plan.Format == JSONL:
		c.pieces <- piece{n, pieceLine, bytes.TrimSuffix(line, []byte("\n"))}
	case c.plan.Format != HTML:
		c.add(n, line)
	case starts(dataPrefix):
		c.pieces <- piece{n, piecePacked, within(line)}
	case starts("<script>"), starts("<style>"), starts("<meta http-equiv"): // pith's own
	default:
		c.add(n, line)
	}
}

// within returns the content of a data element.
func within(line []byte) []byte {
	return bytes.TrimSuffix(line[bytes.IndexByte(line, '>')+1:], []byte(dataSuffix))
}

// add collects lines of text, so that a secret across a line end is found.
func (c *checker) add(n int, line []byte) {
	if len(c.plain) == 0 {
		c.first, c.plain = n, make([]byte, 0, plainPiece+len(line))
	}
	if c.plain = append(c.plain, line...); len(c.plain) >= plainPiece {
		c.flush()
	}
}

func (c *checker) flush() {
	if len(c.plain) > 0 {
		c.pieces <- piece{c.first, pieceText, c.plain}
		c.plain = nil
	}
}

// work scans pieces until the channel is closed.
func (c *checker) work() {
	var zip gzip.Reader
	var data []byte
	var text bytes.Buffer
	for p := range c.pieces {
		if p.kind == piecePacked {
			if found, ok := c.plan.watch.of(p.text); ok {
				c.leaked(p.line, found)
				continue
			}
			text.Reset()
			var err error
			data, err = base64.StdEncoding.AppendDecode(data[:0], p.text)
			if err == nil {
				err = zip.Reset(bytes.NewReader(data))
			}
			if err == nil {
				_, err = text.ReadFrom(&zip)
			}
			if err != nil {
				c.fail(err)
				continue
			}
			p.text = text.Bytes()
		}
		c.leaked(p.line, leaks(c.redact, p.kind, p.text))
	}
}

func (c *checker) leaked(line int, found []redact.Finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range found {
		f.Line = line
		c.found = append(c.found, f)
	}
}

// leaks returns the secrets in a text, decoded as a reader would decode it. It
// overwrites the text.
func leaks(r *redact.Redactor, kind pieceKind, text []byte) []redact.Finding {
	if kind != pieceLine && (kind != piecePacked || !bytes.HasPrefix(text, []byte("{"))) {
		text = unescaped(text)
	}
	// Entropy next to a name proves nothing in a page, where markup puts words
	// next to each other, and a page has random strings of its own. What the
	// review recognized is known here.
	return slices.DeleteFunc(r.Find(text), func(f redact.Finding) bool { return f.Kind == redact.ByEntropy || f.Kind == redact.Suspect })
}

// A watch scans text while it is being compressed, so that Check need not
// decompress it again.
type watch struct {
	redact *redact.Redactor
	seed   maphash.Seed

	mu    sync.Mutex // guards the fields below
	found map[uint64][]redact.Finding
}

// look records the secrets in a text under its packed form. It overwrites the
// text.
func (w *watch) look(packed, text []byte) {
	found := leaks(w.redact, piecePacked, text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found[maphash.Bytes(w.seed, packed)] = found
}

// of returns the secrets recorded for a packed text. ok is false if it was not
// scanned.
func (w *watch) of(packed []byte) (found []redact.Finding, ok bool) {
	if w == nil {
		return nil, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found, ok = w.found[maphash.Bytes(w.seed, packed)]
	return found, ok
}

// unescaped returns text as a browser reads it, reusing its memory.
func unescaped(text []byte) []byte {
	out := text[:0]
	for {
		plain := bytes.IndexByte(text, '&')
		if plain < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:plain]...), text[plain:]
		i := slices.IndexFunc(usual[:], func(u reference) bool { return bytes.HasPrefix(text, u.text) })
		if i < 0 { // not written by pith, but a browser would decode it
			return append(out, html.UnescapeString(string(text))...)
		}
		out, text = append(out, usual[i].means), text[len(usual[i].text):]
	}
}

// A reference is an HTML character reference.
type reference struct {
	text  []byte
	means byte
}

var usual = [...]reference{{[]byte("&#34;"), '"'}, {[]byte("&lt;"), '<'}, {[]byte("&gt;"), '>'}, {[]byte("&#39;"), '\''}, {[]byte("&amp;"), '&'}, {[]byte("&quot;"), '"'}}

func (c *checker) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = errors.Join(c.err, err)
}

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

	"filippo.io/age"
	"github.com/klauspost/compress/gzip"

	"github.com/pith-sessions/pith/redact"
)

// A LeakError means that something that must not leave is in what was written.
type LeakError struct {
	Findings []redact.Finding // Line counts the lines of the file
}

func (e *LeakError) Error() string { return "what was written holds what must not leave" }

// Check reads what Write wrote once more, as a reader would decode it, and looks for
// what must not leave. The error is a *LeakError when there is any. What Write compressed
// it looked at before; of that it is enough that it stands there as it was.
func (p *Plan) Check(ctx context.Context, written io.ReadSeeker) error {
	if p.redact == nil {
		return nil
	}
	if _, err := written.Seek(0, io.SeekStart); err != nil {
		return err
	}
	again, err := redact.New(p.Options.Redact)
	if err != nil {
		return err
	}
	var text io.Reader = written
	if p.Password != "" && p.Format != HTML {
		with, err := age.NewScryptIdentity(p.Password)
		if err != nil {
			return err
		}
		if text, err = age.Decrypt(written, with); err != nil {
			return err
		}
	}
	c := &checker{plan: p, redact: again, pieces: make(chan piece)}
	for range min(runtime.GOMAXPROCS(0), mostCheckers) {
		c.workers.Go(c.work)
	}
	err = c.read(ctx, text)
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

// mostCheckers limits the buffers in use on machines with many cores.
const mostCheckers = 8

// checker reads what was written and has pieces of it looked at side by side.
type checker struct {
	plan    *Plan
	redact  *redact.Redactor
	open    opener // decrypts the segments of a page behind a password
	rest    []byte // what is decrypted and has no line end yet
	plain   []byte // lines of text that wait to be looked at together
	first   int    // the number of the first of them
	pieces  chan piece
	workers sync.WaitGroup

	mu    sync.Mutex // guards what follows
	found []redact.Finding
	err   error
}

// A piece is something that is looked at on its own.
type piece struct {
	line int
	kind pieceKind
	text []byte
}

type pieceKind uint8

const (
	pieceLine   pieceKind = iota // a line of a session
	pieceText                    // text in HTML or Markdown
	piecePacked                  // base64 of compressed text in HTML, or JSON
)

// plainPiece is about how much text in lines is looked at together.
const plainPiece = 256 << 10

func (c *checker) read(ctx context.Context, text io.Reader) error {
	in := bufio.NewReaderSize(text, 64<<10)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.line(n, line); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			c.flush()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

const (
	dataPrefix    = `<script type="text/plain" `
	segmentPrefix = dataPrefix + `data-segment>`
	dataSuffix    = "</script>\n"
)

// line takes a line of the file; it is the caller's no more.
func (c *checker) line(n int, line []byte) (err error) {
	starts := func(with string) bool { return bytes.HasPrefix(line, []byte(with)) }
	switch {
	case c.plan.Format == JSONL:
		c.pieces <- piece{n, pieceLine, bytes.TrimSuffix(line, []byte("\n"))}
	case c.plan.Format == Markdown, c.plan.Format == ATIF:
		c.add(n, line)
	case starts(segmentPrefix):
		err = c.segment(n, within(line))
	case starts(dataPrefix):
		c.pieces <- piece{n, piecePacked, within(line)}
	case starts("<script>"), starts("<style>"), starts("<meta http-equiv"): // pith's own
	case starts(`<main class="lock"`):
		c.open, err = c.plan.opener(string(line))
	default:
		c.add(n, line)
	}
	return err
}

// within is what stands in an element of data.
func within(line []byte) []byte {
	return bytes.TrimSuffix(line[bytes.IndexByte(line, '>')+1:], []byte(dataSuffix))
}

// add collects lines of text, so that what goes over the end of one is seen.
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

// segment decrypts a piece of a page and takes the lines that are whole.
func (c *checker) segment(n int, data []byte) error {
	sealed, err := base64.StdEncoding.AppendDecode(nil, data)
	if err != nil {
		return err
	}
	text, err := c.open.next(sealed)
	if err != nil {
		return err
	}
	c.rest = append(c.rest, text...)
	for {
		end := bytes.IndexByte(c.rest, '\n') + 1
		if end == 0 {
			return nil
		}
		if err := c.line(n, c.rest[:end:end]); err != nil {
			return err
		}
		c.rest = c.rest[end:]
	}
}

// work looks at pieces until there are no more.
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

// leaks is what must not leave in a text, as a reader would decode it. The text is used
// up.
func leaks(r *redact.Redactor, kind pieceKind, text []byte) (found []redact.Finding) {
	if kind == pieceLine || kind == piecePacked && bytes.HasPrefix(text, []byte("{")) {
		_, found = r.Line(text)
	} else {
		found = r.Find(unescaped(text))
	}
	// Entropy beside a name is no proof in a page, where markup puts words beside each
	// other.
	return slices.DeleteFunc(found, func(f redact.Finding) bool { return f.Kind == redact.ByEntropy })
}

// A watch looks at what is compressed while it is at hand, so that the check need not
// unpack it again.
type watch struct {
	redact *redact.Redactor
	seed   maphash.Seed

	mu    sync.Mutex // guards what follows
	found map[uint64][]redact.Finding
}

// look notes what must not leave in a text, which it uses up, under what the text was
// packed into.
func (w *watch) look(packed, text []byte) {
	found := leaks(w.redact, piecePacked, text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.found[maphash.Bytes(w.seed, packed)] = found
}

// of is what was found in what is packed here; ok is false if nobody looked.
func (w *watch) of(packed []byte) (found []redact.Finding, ok bool) {
	if w == nil {
		return nil, false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	found, ok = w.found[maphash.Bytes(w.seed, packed)]
	return found, ok
}

// unescaped is text as a browser reads it, put together in the memory of the text.
func unescaped(text []byte) []byte {
	out := text[:0]
	for {
		plain := bytes.IndexByte(text, '&')
		if plain < 0 {
			return append(out, text...)
		}
		out, text = append(out, text[:plain]...), text[plain:]
		i := slices.IndexFunc(usual[:], func(u reference) bool { return bytes.HasPrefix(text, u.text) })
		if i < 0 { // none that pith writes: whoever did, a browser would read it
			return append(out, html.UnescapeString(string(text))...)
		}
		out, text = append(out, usual[i].means), text[len(usual[i].text):]
	}
}

// A reference is how HTML writes a character.
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

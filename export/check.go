package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"html"
	"io"
	"strings"

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
// what must not leave. The error is a *LeakError when there is any.
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
	c := &checker{plan: p, redact: again}
	in := bufio.NewReaderSize(text, 1<<20)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if err := ctx.Err(); err != nil {
			return err
		}
		if c.line(n, line); c.err != nil {
			return c.err
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	if len(c.found) > 0 {
		return &LeakError{Findings: c.found}
	}
	return nil
}

type checker struct {
	plan   *Plan
	redact *redact.Redactor
	open   opener // decrypts the segments of a page behind a password
	rest   string // what is decrypted and has no line end yet
	zip    gzip.Reader
	found  []redact.Finding
	err    error
}

const (
	dataPrefix    = `<script type="text/plain" `
	segmentPrefix = dataPrefix + `data-segment>`
	dataSuffix    = "</script>\n"
)

func (c *checker) line(n int, line string) {
	switch {
	case c.plan.Format == JSONL:
		c.note(n, func() []redact.Finding { _, f := c.redact.Line([]byte(strings.TrimSuffix(line, "\n"))); return f }())
	case c.plan.Format == Markdown:
		c.text(n, html.UnescapeString(line))
	case strings.HasPrefix(line, segmentPrefix):
		c.segment(n, base(line, segmentPrefix))
	case strings.HasPrefix(line, dataPrefix):
		c.packed(n, base(line, line[:strings.IndexByte(line, '>')+1]))
	case strings.HasPrefix(line, "<script>"), strings.HasPrefix(line, "<style>"), strings.HasPrefix(line, "<meta http-equiv"):
	case strings.HasPrefix(line, `<main class="lock"`):
		c.open, c.err = c.plan.opener(line)
	default:
		c.text(n, html.UnescapeString(line))
	}
}

func base(line, prefix string) []byte {
	out, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(line, prefix), dataSuffix))
	if err != nil {
		return nil
	}
	return out
}

func (c *checker) text(n int, text string) {
	_, found := c.redact.Text(text)
	c.note(n, found)
}

// note keeps what is surely a secret. Entropy beside a name is no proof in a page,
// where markup puts words beside each other.
func (c *checker) note(n int, found []redact.Finding) {
	for _, f := range found {
		if f.Kind != redact.ByEntropy {
			f.Line = n
			c.found = append(c.found, f)
		}
	}
}

func (c *checker) packed(n int, data []byte) {
	if c.err = c.zip.Reset(bytes.NewReader(data)); c.err != nil {
		return
	}
	text, err := io.ReadAll(&c.zip)
	if err != nil {
		c.err = err
		return
	}
	_, found := c.redact.Line(bytes.TrimSuffix(text, []byte("\n")))
	c.note(n, found)
	c.text(n, html.UnescapeString(string(text)))
}

// segment decrypts a piece of a page and checks the lines that are whole.
func (c *checker) segment(n int, data []byte) {
	text, err := c.open.next(data)
	if err != nil {
		c.err = err
		return
	}
	c.rest += string(text)
	for {
		line, rest, whole := strings.Cut(c.rest, "\n")
		if !whole {
			return
		}
		c.rest = rest
		c.line(n, line+"\n")
	}
}

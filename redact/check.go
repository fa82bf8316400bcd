package redact

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// checkPart is how much text that is not JSON is scanned at a time.
	checkPart = 512 << 10
	// checkOver is how much of it is scanned again with the next part, so that
	// nothing is missed at the border.
	checkOver = 64 << 10
	// checkLine is the size up to which a line is scanned as a whole. A longer
	// one is scanned as text, in parts.
	checkLine = 512 << 10
)

// Check scans written output, as Line does for lines of JSON and as Text does
// otherwise, and returns the secrets found. The caller must remove the output
// if there are any. The numbers are those of this Redactor; Line is the line
// number, and Offset is within that line.
//
// Check decodes the same layers as a scan. Data that will be encrypted or
// compressed must be checked before.
func (r *Redactor) Check(src io.Reader) ([]Finding, error) { return r.read(src, false) }

// read scans a file in parts. If it only learns, it returns no findings.
func (r *Redactor) read(src io.Reader, onlyLearn bool) ([]Finding, error) {
	c := checker{r: r, onlyLearn: onlyLearn, textLine: 1}
	in := bufio.NewReaderSize(src, 1<<16)
	var line []byte
	long := false // line is not the start of a line
	for n := 1; ; {
		piece, err := in.ReadSlice('\n')
		line = append(line, piece...)
		ended := err == nil
		switch {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull) && !errors.Is(err, io.EOF):
			return c.found, err
		case errors.Is(err, bufio.ErrBufferFull) && (long && len(line) < checkPart || !long && len(line) < checkLine):
			continue
		case long || errors.Is(err, bufio.ErrBufferFull):
			c.addText(line, n)
			long = !ended
		default:
			c.add(line, n)
		}
		line = line[:0]
		if ended {
			n++
		}
		if errors.Is(err, io.EOF) {
			c.flush(0)
			return c.found, nil
		}
	}
}

type checker struct {
	r         *Redactor
	onlyLearn bool
	found     []Finding
	text      []byte // lines that are not JSON, from line textLine on
	textLine  int
	fresh     int // the text was not scanned from here on
	before    int // bytes of line textLine that precede the text
}

func (c *checker) edits(text []byte, isJSON bool) []edit {
	if c.onlyLearn {
		c.r.learn(c.r.matches(text, isJSON))
		return nil
	}
	return c.r.edits(text, isJSON, numberAll)
}

func (c *checker) add(line []byte, n int) {
	if start := bytes.TrimLeft(line, " \t"); len(start) > 0 && (start[0] == '{' || start[0] == '[') && jsonl.Valid(line) {
		c.flush(0)
		for _, e := range c.edits(line, true) {
			f := e.finding
			f.Line, f.Offset = n, e.start
			one := []Finding{f}
			locate(line, one, []int{e.start})
			// The path is of the unredacted line, so it may contain the secret.
			one[0].Path, _ = c.r.Text(one[0].Path)
			c.found = append(c.found, one[0])
		}
		return
	}
	c.addText(line, n)
}

// addText adds a line, or a part of one, to the text.
func (c *checker) addText(line []byte, n int) {
	if len(c.text) == 0 && c.textLine != n {
		c.textLine, c.before = n, 0
	}
	if c.text = append(c.text, line...); len(c.text) >= checkPart {
		c.flush(checkOver)
	}
}

// flush scans the text and keeps about keep bytes of its end.
func (c *checker) flush(keep int) {
	for _, e := range c.edits(c.text, false) {
		if e.end <= c.fresh {
			continue
		}
		f := e.finding
		start := lineStart(c.text, e.start)
		f.Line = c.textLine + bytes.Count(c.text[:start], []byte{'\n'})
		f.Offset = e.start - start
		if start == 0 {
			f.Offset += c.before
		}
		c.found = append(c.found, f)
	}
	cut := len(c.text)
	if keep > 0 && cut > keep {
		if cut = lineStart(c.text, cut-keep); cut == 0 {
			cut = len(c.text) - keep // within a long line
		}
	}
	if start := lineStart(c.text, cut); start > 0 {
		c.textLine += bytes.Count(c.text[:start], []byte{'\n'})
		c.before = cut - start
	} else {
		c.before += cut
	}
	rest := len(c.text) - cut
	c.text = append(c.text[:0], c.text[cut:]...)
	c.fresh = rest
}

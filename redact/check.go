package redact

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/pith-sessions/pith/internal/jsonl"
)

const (
	// checkPart is how much text that is no JSON is looked at together.
	checkPart = 512 << 10
	// checkOver is how much of it is looked at again with what follows, so that
	// nothing hides at the border.
	checkOver = 64 << 10
	// checkLine is the size up to which a line is looked at as one. A longer one is
	// looked at as text, in parts.
	checkLine = 512 << 10
)

// Check looks through something that was written, as Line does where it is lines of
// JSON and as Text does elsewhere, and returns what should not be there. Whoever
// wrote it removes it when there is anything. The numbers are those of this
// Redactor; Line says where, and Offset is in that line.
//
// It decodes what a scan decodes. Data that is encrypted, or longer than a megabyte
// and compressed, has to be checked before it is.
func (r *Redactor) Check(src io.Reader) ([]Finding, error) {
	c := checker{r: r, textLine: 1}
	in := bufio.NewReaderSize(src, 1<<16)
	var line []byte
	long := false // line is not the beginning of one
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
	r        *Redactor
	found    []Finding
	text     []byte // lines that are no JSON, from line textLine on
	textLine int
	fresh    int // from here on the text was not looked at
	before   int // bytes of line textLine that stand before the text
}

func (c *checker) add(line []byte, n int) {
	if start := bytes.TrimLeft(line, " \t"); len(start) > 0 && (start[0] == '{' || start[0] == '[') && jsonl.Valid(line) {
		c.flush(0)
		for _, e := range c.r.edits(line, true, numberAll) {
			f := e.finding
			f.Line, f.Offset = n, e.start
			one := []Finding{f}
			locate(line, one, []int{e.start})
			// The path is of the line as it is, so it may hold what was found.
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

// flush looks at the text and keeps about so much of its end.
func (c *checker) flush(keep int) {
	for _, e := range c.r.edits(c.text, false, numberAll) {
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
			cut = len(c.text) - keep // inside of a long line
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

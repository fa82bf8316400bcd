// Package longline reads lines of sessions that are too long to be in memory.
package longline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/format"
)

const (
	// imageStart is the number of base64 digits that remain of a cut image.
	imageStart = 3 << 10
	// partSize is the approximate size of the parts of a cut image, and overlap
	// how much of a part is repeated at the start of the next one.
	partSize, overlap = 512 << 10, 64 << 10
)

// An ImageCutter reads lines and cuts their images, except for the first bytes.
// It recognizes an image by its first bytes and the name of its member. What
// looks like one may be in an argument of a tool: see Images.
type ImageCutter struct {
	in *bufio.Reader
	// part gets the digits that were cut, in overlapping parts, which are valid
	// until it returns; nil for none.
	part   func([]byte)
	most   int // maximum length of a line; 0 means no limit
	line   []byte
	window []byte // digits for part
	fresh  int    // number of bytes at the end of window that part has not seen
}

// NewImageCutter returns an ImageCutter that reads from src.
func NewImageCutter(src io.Reader, part func([]byte)) *ImageCutter {
	return &ImageCutter{in: bufio.NewReaderSize(src, 256<<10), part: part}
}

// errLong means that a line is too long although its images were cut.
var errLong = errors.New("line too long")

// Line returns the next line with its line end, and how many images were cut. It
// is valid until the next call. The error is io.EOF for a last line without a
// line end.
func (c *ImageCutter) Line() (line []byte, cuts int, err error) {
	c.line = c.line[:0]
	missing := 0
	for {
		chunk, err := c.in.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		if missing > 0 {
			n := countDigits(chunk)
			missing += n
			c.cut(chunk[:n])
			if n == len(chunk) && more {
				continue
			}
			c.flush()
			c.line = strconv.AppendInt(append(c.line, cutMark...), int64(missing), 10)
			chunk, missing = chunk[n:], 0
		}
		c.line = append(c.line, chunk...)
		if !more {
			return c.line, cuts, err
		}
		if c.most > 0 && len(c.line) > c.most {
			return nil, cuts, errLong
		}
		if start := openImage(c.line, len(c.line)-len(chunk)); start >= 0 {
			cuts++
			missing = len(c.line) - start
			c.cut(c.line[start:])
			c.line = c.line[:start]
		}
	}
}

// imageMember precedes the data of an image in a line.
const imageMember = `"data":"`

// signatures are the first digits of images in the formats that models accept,
// none of which is text or compressed text.
var signatures = [...]string{"iVBORw0KGg", "/9j/", "R0lGOD", "UklGR"}

// openImage returns the offset from which on to cut the image at the end of a
// line, or -1 if there is none. An image that starts before from was looked for
// already.
func openImage(line []byte, from int) int {
	from = max(0, from-imageStart-len(imageMember))
	at := bytes.LastIndex(line[from:], []byte(imageMember))
	if at < 0 {
		return -1
	}
	start := from + at + len(imageMember)
	for _, s := range signatures {
		if bytes.HasPrefix(line[start:], []byte(s)) && len(line)-start > imageStart && countDigits(line[start:]) == len(line)-start {
			return start + imageStart
		}
	}
	return -1
}

// isDigit is the set of base64 digits.
var isDigit = func() (t [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = true
	}
	return t
}()

// countDigits returns the number of base64 digits at the start of b.
func countDigits(b []byte) int {
	for i, c := range b {
		if !isDigit[c] {
			return i
		}
	}
	return len(b)
}

func (c *ImageCutter) cut(digits []byte) {
	if c.part == nil {
		return
	}
	c.window = append(c.window, digits...)
	if c.fresh += len(digits); len(c.window) >= partSize {
		c.part(c.window)
		c.window = append(c.window[:0], c.window[len(c.window)-overlap:]...)
		c.fresh = 0
	}
}

func (c *ImageCutter) flush() {
	if c.fresh > 0 {
		c.part(c.window)
	}
	c.window, c.fresh = c.window[:0], 0
}

// cutMark is between the start of a cut image and the number of missing digits.
const cutMark = "…"

// ImageSize returns the start of an image in base64 and the length of all of it.
// They differ if it was cut.
func ImageSize(data string) (start string, size int) {
	start, missing, isCut := strings.Cut(data, cutMark)
	if !isCut {
		return data, len(data)
	}
	digits := strings.TrimRight(missing, "=")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return data, len(data)
	}
	return start, len(start) + n + len(missing) - len(digits)
}

// Images reads a line with its images cut. ok is false if something other than
// an image of a message would be cut, or an image of at most least digits.
func Images(src io.Reader, least int, part func([]byte)) (line []byte, ok bool, err error) {
	return NewImageCutter(src, part).images(least)
}

func (c *ImageCutter) images(least int) (line []byte, ok bool, err error) {
	line, cuts, err := c.Line()
	if !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	e, err := format.DecodeEntry(line)
	if m, isMessage := e.(*format.MessageEntry); err == nil && isMessage {
		content, _ := format.ContentOf(m.Message)
		for _, b := range content.Blocks {
			if image, isImage := b.(*format.ImageBlock); isImage {
				if start, size := ImageSize(image.Data); len(start) < size && size > least {
					cuts--
				}
			}
		}
	}
	return line, err == nil && cuts == 0, nil
}

// Whole reads a whole line.
func Whole(line *io.SectionReader) ([]byte, error) {
	raw := make([]byte, line.Size())
	n, err := line.ReadAt(raw, 0)
	if n == len(raw) {
		err = nil
	}
	return raw, err
}

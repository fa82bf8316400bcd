package move

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A header is the line of a session's header and where it is in the file.
type header struct {
	at   int64
	line []byte // without its end
}

func (h *header) end() int64 { return h.at + int64(len(h.line)) }

var (
	errNoHeader = errors.New("its header is not on a line of its own; the file has to be repaired first")

	byteOrderMark = []byte("\xef\xbb\xbf")
)

// mostBefore is how far into a file its header is looked for.
const mostBefore = 16 << 20

// findHeader finds the header, behind lines that are not readable if there are
// any.
func findHeader(r io.ReaderAt, size int64) (*header, error) {
	in := bufio.NewReader(io.NewSectionReader(r, 0, min(size, mostBefore)))
	for at := int64(0); ; {
		line, err := in.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			return nil, errNoHeader
		}
		h := &header{at, bytes.TrimSuffix(line, []byte{'\n'})}
		if at == 0 && bytes.HasPrefix(h.line, byteOrderMark) {
			h.at, h.line = int64(len(byteOrderMark)), h.line[len(byteOrderMark):]
		}
		if jsonl.KindOf(h.line) == '{' && jsonl.Valid(h.line) {
			if jsonl.LookupString(h.line, "type") == string(format.TypeSession) {
				return h, nil
			}
			return nil, errNoHeader // an entry before the header
		}
		at += int64(len(line))
	}
}

// with is the header with another working directory and another parent; "" leaves
// either as it is.
func (h *header) with(cwd, parent string) ([]byte, error) {
	line := h.line
	for _, m := range []struct{ name, value string }{{"cwd", cwd}, {"parentSession", parent}} {
		if m.value == "" {
			continue
		}
		changed, ok := jsonl.SetIn(line, jsonl.AppendString(nil, m.value), m.name)
		if !ok && m.name == "cwd" {
			return nil, fmt.Errorf("its header has no member %s", m.name)
		}
		line = changed // a parent under another name of the member is found by its id
	}
	return line, nil
}

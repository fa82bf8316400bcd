package export

import (
	"bufio"
	"context"
	"io"

	"github.com/pith-sessions/pith/export/page"
	"github.com/pith-sessions/pith/format"
)

// jsonl writes a session file: the header and the wanted entries, in file order, so
// that every parent stands before its children as it did. What is no entry, such as
// a damaged line, is left out.
func (p *Plan) jsonl(ctx context.Context, w io.Writer) (r Report, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(p.header)
	out.WriteByte('\n')
	for _, i := range p.wanted {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		raw, err := p.line(i)
		if err != nil {
			return r, err
		}
		e, err := format.DecodeEntry(raw)
		if err != nil {
			continue
		}
		r.Entries++
		r.Pictures += page.Pictures(e)
		out.Write(raw)
		if err := out.WriteByte('\n'); err != nil {
			return r, err
		}
	}
	return r, out.Flush()
}

package export

import (
	"bufio"
	"cmp"
	"context"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/page"
)

// jsonl writes a session file: the header and the selected entries, in file
// order, so that parents still precede their children. It omits lines that are
// not entries, such as damaged ones. A single path is written as one chain,
// even if it is not one in the file.
func (p *Plan) jsonl(ctx context.Context, w io.Writer) (r Report, err error) {
	out := bufio.NewWriterSize(w, 64<<10)
	out.Write(p.header)
	out.WriteByte('\n')
	wanted, last := p.wanted, ""
	if p.Leaf != "" {
		wanted = p.path
	}
	for line, err := range p.view.Reader().LinesAt(wanted) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return r, err
		}
		raw := p.line(line.Pos, line.Raw)
		e, err := format.DecodeEntry(raw)
		if err != nil {
			continue
		}
		if p.Leaf != "" {
			raw = below(raw, e.Head().ParentID, last)
			last = e.Head().ID
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

// below returns the line of an entry with another parent.
func below(line []byte, is, parent string) []byte {
	switch {
	case is == parent:
		return line
	case parent == "":
		return jsonl.Set(line, "parentId", []byte("null"))
	}
	return jsonl.Set(line, "parentId", jsonl.AppendString(nil, parent))
}

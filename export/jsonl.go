package export

import (
	"bufio"
	"cmp"
	"context"
	"io"

	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
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
	reader := p.view.Reader()
	for line, err := range reader.LinesAt(wanted) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return r, err
		}
		raw := p.line(line.Pos, line.Raw)
		if !jsonl.Valid(raw) {
			continue
		}
		parent := jsonl.LookupString(raw, "parentId")
		if p.Leaf == "" {
			last = parent
		}
		r.Entries++
		r.Pictures += pictures(raw)
		out.Write(below(raw, parent, last))
		last = jsonl.LookupString(raw, "id")
		if err := out.WriteByte('\n'); err != nil {
			return r, err
		}
	}
	return r, out.Flush()
}

// pictures returns the number of images in the line of an entry.
func pictures(line []byte) (n int) {
	m := journal.MessageOf(line)
	for _, b := range journal.Blocks(m.Content) {
		if string(jsonl.TextOf(b.Type)) == "image" {
			n++
		}
	}
	return n
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

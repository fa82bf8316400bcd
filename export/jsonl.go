package export

import (
	"bufio"
	"cmp"
	"context"
	"io"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/longline"
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
	reader := p.view.Reader()
	var long *io.SectionReader // the current line, if its images were cut
	reader.ReadLong = func(pos int, line *io.SectionReader) ([]byte, error) {
		raw, err := p.readLong(pos, line)
		if int64(len(raw)) < line.Size() {
			long = line
		}
		return raw, err
	}
	for line, err := range reader.LinesAt(wanted) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return r, err
		}
		raw, source := p.line(line.Pos, line.Raw), long
		long = nil
		e, err := format.DecodeEntry(raw)
		if err != nil {
			continue
		}
		if p.Leaf == "" {
			last = e.Head().ParentID
		}
		r.Entries++
		r.Pictures += page.Pictures(e)
		if source != nil && len(raw) == len(line.Raw) && e.Head().ParentID == last {
			_, err = io.Copy(out, io.NewSectionReader(source, 0, source.Size()))
		} else {
			if source != nil {
				raw, err = longline.Whole(source)
				raw = p.line(line.Pos, raw)
			}
			out.Write(below(raw, e.Head().ParentID, last))
		}
		if last = e.Head().ID; err != nil {
			return r, err
		}
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

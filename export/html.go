package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/redact"
)

// html writes the page. Its head and the frame around the conversation come
// first but are known only after all entries, so the rest waits in temporary
// files.
func (p *Plan) html(ctx context.Context, w io.Writer) (r Report, err error) {
	waiting, err := newWaiting()
	if err != nil {
		return r, err
	}
	defer waiting.remove()
	d := page.NewDocument(page.Source{View: p.view, Path: p.path, Wanted: p.wanted, Choice: page.Choice{Only: page.Subset(p.Only)}, Line: p.line, Name: p.name, Agent: page.AgentOf(p.agent), Cwd: p.cwd, NoScript: true, Excerpt: len(p.turns) > 0})
	if p.redact != nil {
		again, err := p.again()
		if err != nil {
			return r, err
		}
		p.watch = &watch{redact: again, seed: maphash.MakeSeed(), found: map[uint64][]redact.Finding{}}
	}
	if err := waiting.fill(ctx, d, p.watch); err != nil {
		return r, err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	if err := p.page(out, d, waiting); err != nil {
		return r, err
	}
	return Report{Entries: p.count(p.wanted), Pictures: d.Facts.Pictures}, out.Flush()
}

// waiting holds the parts of a page until its start is known. The files vanish
// with the process, if the system allows that. Otherwise, or if the process ends
// before their names are removed, the next export removes them.
type waiting struct{ plain, index, parts *os.File }

func newWaiting() (*waiting, error) {
	w := new(waiting)
	for _, f := range w.files() {
		var err error
		if *f, err = os.CreateTemp("", unfinished); err != nil {
			w.remove()
			return nil, err
		}
		_ = os.Remove((*f).Name()) // otherwise remove does it
	}
	return w, nil
}

func (f *waiting) files() [3]**os.File { return [...]**os.File{&f.plain, &f.index, &f.parts} }

func (f *waiting) remove() {
	for _, file := range f.files() {
		if *file != nil {
			(*file).Close()
			_ = os.Remove((*file).Name())
		}
	}
}

// fill renders the parts in parallel, and writes each compressed.
func (f *waiting) fill(ctx context.Context, d *page.Document, w *watch) error {
	type outcome struct {
		part   *page.Part
		packed []byte
		err    error
	}
	ranges := d.Parts()
	level := levelFor(len(ranges))
	index := &packer{level: level, watch: w}
	for got := range parallel.InOrder(ctx, len(ranges), func(ctx context.Context, p *packer, k int) (o outcome) {
		p.level, p.watch = level, w
		if o.part, o.err = d.Render(ctx, ranges[k], p.text[:0]); o.err == nil {
			o.packed, o.err = p.pack("data-part", o.part.HTML)
			p.text, o.part.HTML = o.part.HTML, nil
		}
		return o
	}) {
		if got.err != nil {
			return got.err
		}
		d.Add(got.part)
		if d.PieceIsFull() {
			if err := f.addIndex(index, d.Piece()); err != nil {
				return err
			}
		}
		if _, err := f.parts.Write(got.packed); err != nil {
			return err
		}
		if _, err := d.Plain.WriteTo(f.plain); err != nil {
			return err
		}
	}
	err := errors.Join(ctx.Err(), f.addIndex(index, d.Index))
	for _, file := range f.files() {
		_, other := (*file).Seek(0, io.SeekStart)
		err = errors.Join(err, other)
	}
	return err
}

// addIndex writes the next piece of the index, compressed.
func (f *waiting) addIndex(p *packer, piece page.Index) error {
	text, err := json.Marshal(piece)
	if err != nil {
		return err
	}
	packed, err := p.pack("data-index", text)
	if err == nil {
		_, err = f.index.Write(packed)
	}
	return err
}

// levelFor returns the compression level for a number of parts: best for few,
// which takes no time, and fastest for many, at the cost of a tenth more.
func levelFor(parts int) int {
	const few = 40
	if parts <= few {
		return gzip.BestCompression
	}
	return gzip.BestSpeed
}

// packer compresses texts.
type packer struct {
	level int // level of package gzip; set before the first text
	watch *watch
	zip   *gzip.Writer
	buf   bytes.Buffer
	text  []byte // buffer for the caller to reuse
}

// pack returns a text as a compressed element of the page. It overwrites the
// text.
func (p *packer) pack(attribute string, text []byte) ([]byte, error) {
	p.buf.Reset()
	if p.zip == nil {
		var err error
		if p.zip, err = gzip.NewWriterLevel(&p.buf, p.level); err != nil {
			return nil, err
		}
	} else {
		p.zip.Reset(&p.buf)
	}
	p.zip.Write(text) // what fails here fails below too
	if err := p.zip.Close(); err != nil {
		return nil, err
	}
	size := len(dataPrefix) + len(attribute) + 1 + base64.StdEncoding.EncodedLen(p.buf.Len()) + len(dataSuffix)
	out := append(append(append(make([]byte, 0, size), dataPrefix...), attribute...), '>')
	out = append(base64.StdEncoding.AppendEncode(out, p.buf.Bytes()), dataSuffix...)
	if p.watch != nil {
		p.watch.look(within(out), text)
	}
	return out, nil
}

// page writes the whole page.
func (p *Plan) page(w io.Writer, d *page.Document, waiting *waiting) error {
	if err := head(w, d.TitleOf(p.title, p.id)); err != nil {
		return err
	}
	if err := p.body(w, d, waiting); err != nil {
		return err
	}
	_, err := io.WriteString(w, "<script>"+page.Scripts()+"</script></body></html>\n")
	return err
}

func head(w io.Writer, title string) error {
	_, err := io.WriteString(w, `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="`+page.Escaped(page.Policy())+`">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="generator" content="pith">
<title>`+page.Escaped(title)+`</title>
<style>`+page.Style()+`</style></head>
<body>
`)
	return err
}

// body writes the content of the page except its script.
func (p *Plan) body(w io.Writer, d *page.Document, waiting *waiting) error {
	frame := page.Frame{Title: d.TitleOf(p.title, p.id), Short: d.Short()}
	if p.cwd != "" {
		frame.Project = page.OneLine(path.Base(filepath.ToSlash(p.cwd)), 60)
	}
	for _, note := range p.notices() {
		frame.Notices = append(frame.Notices, page.Notice{Text: note})
	}
	// One by one, so that the system can copy from file to file.
	for _, part := range []io.Reader{strings.NewReader(frame.Begin(d)), waiting.plain, strings.NewReader(d.End()), waiting.index, waiting.parts} {
		if _, err := io.Copy(w, part); err != nil {
			return err
		}
	}
	return nil
}

// notices returns notes for the reader: about selected turns, redactions and
// damage.
func (p *Plan) notices() (notes []string) {
	if len(p.turns) > 0 {
		notes = append(notes, p.turnsNote()+".")
	}
	total := 0
	for _, c := range p.Redacted() {
		total += c.Places
	}
	if total > 0 {
		notes = append(notes, "Redacted: "+page.Count(int64(total), "occurrence")+" of secrets. Each is replaced by [redacted:…], and what only looks random by [suspect…].")
	}
	if p.faults > 0 {
		notes = append(notes, "The session file is damaged: "+page.Count(int64(p.faults), "finding")+". This page contains the readable part.")
	}
	return notes
}

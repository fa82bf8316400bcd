package export

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"

	"github.com/pith-sessions/pith/export/page"
	"github.com/pith-sessions/pith/internal/parallel"
)

// html writes the page. What is written first, the head and the plain text, is known
// only when all entries were seen; so the parts wait in a file.
func (p *Plan) html(ctx context.Context, w io.Writer) (Report, error) {
	parts, err := os.CreateTemp("", "pith-export-")
	if err != nil {
		return Report{}, err
	}
	defer os.Remove(parts.Name())
	defer parts.Close()
	d := page.NewDocument(page.Source{View: p.view, Path: p.path, Wanted: p.wanted, Choice: p.Choice, Entry: p.entry, Name: p.name})
	if err := build(ctx, d, parts); err != nil {
		return Report{}, err
	}
	if _, err := parts.Seek(0, io.SeekStart); err != nil {
		return Report{}, err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	body := func(w io.Writer) error { return p.body(w, d, parts) }
	if p.Password != "" {
		err = locked(out, p.Password, body)
	} else {
		err = readable(out, d.TitleOf(p.title, p.id), body)
	}
	if err != nil {
		return Report{}, err
	}
	return Report{Entries: len(p.wanted), Pictures: d.Facts.Pictures}, out.Flush()
}

// build renders the parts side by side, and writes each compressed.
func build(ctx context.Context, d *page.Document, w io.Writer) error {
	type outcome struct {
		part   *page.Part
		packed string
		err    error
	}
	ranges := d.Parts()
	for got := range parallel.InOrder(ctx, len(ranges), func(ctx context.Context, p *packer, k int) (o outcome) {
		if o.part, o.err = d.Render(ctx, ranges[k]); o.err == nil {
			o.packed, o.err = p.pack("data-part", o.part.HTML)
			o.part.HTML = nil
		}
		return o
	}) {
		if got.err != nil {
			return got.err
		}
		d.Add(got.part)
		if _, err := io.WriteString(w, got.packed); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// packer compresses values. The zero packer is ready.
type packer struct {
	zip *gzip.Writer
	buf bytes.Buffer
}

// pack is a value as an element of the page that holds it.
func (p *packer) pack(attribute string, value any) (string, error) {
	p.buf.Reset()
	if p.zip == nil {
		p.zip = gzip.NewWriter(&p.buf)
	} else {
		p.zip.Reset(&p.buf)
	}
	enc := json.NewEncoder(p.zip)
	enc.SetEscapeHTML(false)
	if err := errors.Join(enc.Encode(value), p.zip.Close()); err != nil {
		return "", err
	}
	return dataPrefix + attribute + ">" + base64.StdEncoding.EncodeToString(p.buf.Bytes()) + dataSuffix, nil
}

// readable writes the page as everybody can read it.
func readable(w io.Writer, title string, body func(io.Writer) error) error {
	if err := head(w, title); err != nil {
		return err
	}
	if err := body(w); err != nil {
		return err
	}
	_, err := io.WriteString(w, tail)
	return err
}

func head(w io.Writer, title string) error {
	_, err := io.WriteString(w, `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="`+page.Escaped(page.Policy())+`">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="referrer" content="no-referrer"><meta name="generator" content="pith">
<title>`+page.Escaped(title)+`</title>
<style>`+page.Style+`</style></head>
<body>
`)
	return err
}

var tail = "<script>" + page.Script + "</script></body></html>\n"

// body writes everything inside the page but its script.
func (p *Plan) body(w io.Writer, d *page.Document, parts io.Reader) error {
	frame := page.Frame{Title: d.TitleOf(p.title, p.id), Cwd: p.cwd, Notices: p.notices(d.Left)}
	var pack packer
	index, err := pack.pack(`id="index"`, d.Index)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.MultiReader(strings.NewReader(frame.Begin(d)), &d.Plain, strings.NewReader(page.End+index), parts))
	return err
}

// notices say what a reader must know: what was replaced, what is broken, what is
// left out.
func (p *Plan) notices(left int) (notes []string) {
	total := 0
	for _, c := range p.Redacted() {
		total += c.Places
	}
	if total > 0 {
		notes = append(notes, "Redacted before it was written: "+page.Count(int64(total), "place")+". Where a secret stood, [redacted:…] stands.")
	}
	if p.faults > 0 {
		notes = append(notes, "The session's file is not sound: "+page.Count(int64(p.faults), "finding")+". What could be read is here.")
	}
	if left > 0 {
		notes = append(notes, "This is a large session. Without scripts only its last part is shown; "+page.Count(int64(left), "earlier step")+" of this path are in the page's data.")
	}
	return notes
}

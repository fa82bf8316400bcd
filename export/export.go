package export

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/blobs"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/redact"
)

// A Format is an output format.
type Format uint8

// The formats.
const (
	HTML     Format = iota // one HTML page
	Markdown               // Markdown for GitHub
	JSONL                  // a session file
	ATIF                   // a trajectory in the Agent Trajectory Interchange Format
)

var (
	formats = [...]string{HTML: "html", Markdown: "md", JSONL: "jsonl", ATIF: "atif"}
	endings = [...]string{HTML: "html", Markdown: "md", JSONL: "jsonl", ATIF: "json"}
)

// String returns the name of a format.
func (f Format) String() string { return formats[f] }

// Ending returns the file name extension of a format, without the dot.
func (f Format) Ending() string { return endings[f] }

// ParseFormat returns the format with a name.
func ParseFormat(word string) (f Format, ok bool) {
	i := slices.Index(formats[:], word)
	return Format(max(i, 0)), i >= 0
}

// FormatOf returns the format of a file, by its extension.
func FormatOf(name string) (f Format, ok bool) {
	ending := strings.TrimPrefix(filepath.Ext(name), ".")
	i := slices.Index(endings[:], strings.ToLower(ending))
	return Format(max(i, 0)), i >= 0
}

// A Part is the part of a session that an export contains.
type Part uint8

// The parts.
const (
	Everything Part = iota
	Talk            // messages without thinking, tool calls and their results
	Prompts         // user messages
)

var parts = [...]string{Everything: "all", Talk: "talk", Prompts: "prompts"}

// String returns the name of a part.
func (p Part) String() string { return parts[p] }

// ParsePart returns the part with a name.
func ParsePart(word string) (p Part, ok bool) {
	i := slices.Index(parts[:], word)
	return Part(max(i, 0)), i >= 0
}

// ErrOneLeaf means that both a path and all branches were requested.
var ErrOneLeaf = errors.New("choose one path or all branches")

// ErrOnePath means that other branches were requested in a trajectory.
var ErrOnePath = errors.New("a trajectory contains one path")

// ErrWhole means that a part was requested in a format that is always complete.
var ErrWhole = errors.New("only HTML and Markdown can leave something out")

// ErrTurns means that turns were selected together with all branches, or for a
// format that cannot contain a part of a path.
var ErrTurns = errors.New("turns are part of one path, and need HTML or Markdown")

// Options configure an export. The zero Options write an HTML page of all
// branches, redacted with the built-in rules.
type Options struct {
	Format Format
	// Leaf is the entry whose path alone is written. Empty means all branches
	// or, for Markdown and ATIF, the active path.
	Leaf string
	// Turns selects turns of the path by number, as [inspect.Reading.Select]
	// does, except for turn 0. Only their messages are written: nothing from
	// other turns, and neither names nor summaries, which may describe them.
	// Empty means all turns.
	Turns string
	// AllBranches also writes the other branches in formats that write only the
	// active path by default.
	AllBranches bool
	// Only leaves out the other parts, in HTML and Markdown. For other formats
	// Review returns ErrWhole.
	Only Part
	// Redact determines what is redacted. NoRedact disables redaction.
	Redact   redact.Options
	NoRedact bool
}

// A Plan is an export that was reviewed and not written yet.
type Plan struct {
	Options
	view     *pith.View
	redact   *redact.Redactor // nil without redaction
	path     []int            // positions from the root to the leaf
	turns    string           // numbers of the selected turns; empty for all
	lastTurn int              // number of the last turn of the path
	wanted   []int            // positions of all entries to write, in file order
	dirty    map[int]bool     // entries that contain secrets
	found    []Place          // secrets in entries, header and names
	faults   int              // number of findings in the file
	longest  int              // size of the longest line that was scanned
	pictures blobs.Folder     // images stored outside the session

	source         string // file of the session, or ""
	title, id, cwd string // redacted
	header         []byte

	agent, agentVersion string                    // program of the session, and its version for a trajectory
	runs                map[string][]subagent.Run // subagent runs, by the calls that started them

	watch *watch // scans compressed text; nil before writing and without redaction
}

// A Place is the location of a redacted secret.
type Place struct {
	redact.Finding
	Entry string `json:"entryId" empty:"null"` // redacted id of the entry; "" for header and title
	// Around is the redacted text around a suspect.
	Around string
}

// A Report describes the output.
type Report struct {
	Entries int
	// Pictures is the number of images written. Images are not scanned for
	// secrets.
	Pictures int
}

// Review scans everything that would be written for secrets. It reads every
// line to be written, and writes nothing.
func Review(ctx context.Context, s *pith.Session, o Options) (*Plan, error) {
	if o.Leaf != "" && o.AllBranches {
		return nil, ErrOneLeaf
	}
	if o.Format == ATIF && o.AllBranches {
		return nil, ErrOnePath
	}
	if o.Only != Everything && o.Format != HTML && o.Format != Markdown {
		return nil, ErrWhole
	}
	if o.Turns != "" && (o.AllBranches || o.Format == JSONL || o.Format == ATIF) {
		return nil, ErrTurns
	}
	p := &Plan{Options: o, view: s.View(), source: s.File(), faults: len(s.Findings()), dirty: map[int]bool{}, pictures: blobs.Of(s.File())}
	if err := p.choose(s); err != nil {
		return nil, err
	}
	if !o.NoRedact {
		if err := p.look(ctx, s); err != nil {
			return nil, err
		}
	}
	header := s.Header()
	p.header = header.Raw
	if p.header == nil {
		p.header = format.AppendHeader(nil, header)
	}
	p.header = p.clean(p.header, "")
	p.id, p.cwd = p.text(header.ID), p.text(header.Cwd)
	p.agent = header.Source
	if o.Turns == "" {
		p.title = p.text(s.Name())
	} else {
		var err error
		if p.title, err = p.promptTitle(ctx); err != nil {
			return nil, err
		}
	}
	if o.Format == ATIF {
		p.agentVersion = jsonl.LookupString(p.header, "programVersion")
		var err error
		if p.runs, err = readRuns(ctx, s, cmp.Or(o.Leaf, s.LeafID())); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *Plan) choose(s *pith.Session) error {
	if p.Turns != "" {
		return p.chooseTurns(s)
	}
	var err error
	if p.path, err = p.view.Path(p.Leaf); err != nil {
		return err
	}
	if p.Leaf == "" && (p.Format == HTML || p.Format == JSONL || p.AllBranches) {
		p.wanted = make([]int, p.view.Len())
		for i := range p.wanted {
			p.wanted[i] = i
		}
	} else {
		p.wanted = slices.Sorted(slices.Values(p.path))
	}
	return nil
}

// chunk is how many entries are scanned at a time.
const chunk = 128

// look learns the secrets of the whole session, also of entries that are not
// written. Then it finds the entries that contain secrets, and redacts them in
// order, so that secrets are numbered in reading order.
func (p *Plan) look(ctx context.Context, s *pith.Session) error {
	var err error
	if p.redact, err = redact.New(p.Options.Redact); err != nil {
		return err
	}
	p.redact.Learn([]byte(s.Name()))
	p.redact.Learn([]byte(s.Cwd()))
	all := make([]int, p.view.Len())
	for i := range all {
		all[i] = i
	}
	suspicious := map[int]bool{}
	if err := p.scan(ctx, all, p.redact.Learn, func(pos int) error { suspicious[pos] = true; return nil }); err != nil {
		return err
	}
	again := slices.Clone(p.wanted)
	if p.redact.Learned() == 0 {
		again = slices.DeleteFunc(again, func(pos int) bool { return !suspicious[pos] })
	}
	return p.scan(ctx, again, func(raw []byte) bool { return !bytes.Equal(p.redact.MaskLine(raw), raw) }, func(pos int) error {
		line, err := p.view.Line(pos)
		if err == nil {
			p.clean(line.Raw, line.ID)
			p.dirty[pos] = true
		}
		return err
	})
}

// scan calls dirty for the lines of entries, in parallel, and note in order for
// those that are dirty.
func (p *Plan) scan(ctx context.Context, entries []int, dirty func(raw []byte) bool, note func(pos int) error) error {
	type outcome struct {
		dirty   []int
		longest int
		err     error
	}
	parts := slices.Collect(slices.Chunk(entries, chunk))
	for got := range parallel.InOrder(ctx, len(parts), func(ctx context.Context, reader **pith.Reader, k int) (o outcome) {
		if *reader == nil {
			*reader = p.view.Reader()
		}
		for line, err := range (*reader).LinesAt(parts[k]) {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return outcome{err: err}
			}
			o.longest = max(o.longest, len(line.Raw))
			if dirty(line.Raw) {
				o.dirty = append(o.dirty, line.Pos)
			}
		}
		return o
	}) {
		if got.err != nil {
			return got.err
		}
		p.longest = max(p.longest, got.longest)
		for _, pos := range got.dirty {
			if err := note(pos); err != nil {
				return err
			}
		}
	}
	p.collect()
	return ctx.Err()
}

// collect frees the buffers of a pass over long lines, because the next pass makes
// its own.
func (p *Plan) collect() {
	const long = 16 << 20
	if p.longest > long {
		runtime.GC()
	}
}

// Redacted counts the secrets that Write replaces by kind, the most certain
// first.
func (p *Plan) Redacted() []redact.Count {
	found := make([]redact.Finding, len(p.found))
	for i, at := range p.found {
		found[i] = at.Finding
	}
	return redact.Tally(found)
}

// Places returns the locations of the secrets that Write replaces.
func (p *Plan) Places() []Place { return p.found }

// Title returns the redacted title of the session.
func (p *Plan) Title() string { return p.title }

// Write writes the session to w.
func (p *Plan) Write(ctx context.Context, w io.Writer) (Report, error) {
	switch p.Format {
	case HTML:
		return p.html(ctx, w)
	case Markdown:
		return p.markdown(ctx, w)
	case ATIF:
		return p.atif(ctx, w)
	}
	return p.jsonl(ctx, w)
}

// clean returns the redacted line of an entry and records its secrets.
func (p *Plan) clean(raw []byte, id string) []byte {
	if p.redact == nil {
		return raw
	}
	out, found := p.redact.Line(raw)
	p.note(out, found, id)
	return out
}

func (p *Plan) text(s string) string {
	if p.redact == nil {
		return s
	}
	out, found := p.redact.Text(s)
	p.note([]byte(out), found, "")
	return out
}

// note records the findings of a text, which out is without them.
func (p *Plan) note(out []byte, found []redact.Finding, id string) {
	for _, f := range found {
		place := Place{Finding: f, Entry: p.name(id)}
		if f.Kind == redact.Suspect {
			place.Around = around(out, fmt.Sprintf("[suspect#%d]", f.Number))
		}
		p.found = append(p.found, place)
	}
}

// around returns the text around a placeholder.
func around(text []byte, placeholder string) string {
	const far = 48 // bytes in each direction
	at := bytes.Index(text, []byte(placeholder))
	if at < 0 {
		return placeholder
	}
	return strings.ToValidUTF8(string(text[max(0, at-far):min(len(text), at+len(placeholder)+far)]), "")
}

// name returns a redacted short text of the session, such as an id or a label.
func (p *Plan) name(s string) string {
	if p.redact == nil {
		return s
	}
	out, _ := p.redact.Text(s)
	return out
}

// line returns the redacted line of an entry. It is safe for concurrent use.
func (p *Plan) line(pos int, raw []byte) []byte {
	if p.dirty[pos] {
		raw, _ = p.redact.Line(raw)
	}
	return p.pictures.Inline(raw)
}

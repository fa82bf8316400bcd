package edits

import (
	"bytes"
	"context"
	"io"
	"math"
	"strings"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/cache"
	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/parallel"
)

// mostLine is the longest line that is decoded.
const mostLine = 4 << 20

// A Touch is a call that names a file, and its result.
type Touch struct {
	Path string
	// From is the former path of a file that the call renames to Path; "" for other calls.
	From string
	// Reads says that the call only reads.
	Reads        bool
	Call, Result Span
}

// An Index finds the calls that touched files. It remembers them for sessions that do
// not change.
type Index struct{ kept *cache.Table[Touch] }

// Open returns an index that remembers in a cache directory, or not at all for "".
func Open(ctx context.Context, cacheDir string) *Index {
	columns := []string{"path", "renamed_from", "reads", "call_at", "call_size", "result_at", "result_size"}
	return &Index{cache.OpenTable(ctx, cacheDir, "touched", columns, func(t *Touch) []any {
		return []any{&t.Path, &t.From, &t.Reads, &t.Call.At, &t.Call.Size, &t.Result.At, &t.Result.Size}
	})}
}

// Close saves what is new.
func (x *Index) Close(ctx context.Context) { x.kept.Close(ctx) }

// Records calls take with what each session touched, in the order of the sessions. A
// session that cannot be read touched nothing.
func (x *Index) Records(ctx context.Context, infos []catalog.Info, take func(session int, r Record)) error {
	read := func(ctx context.Context, s *scanner, i int) Record {
		found, _ := x.kept.Of(infos[i].Path, func() (cache.Found[Touch], error) { return s.scan(ctx, infos[i].Path) })
		return found.Rows
	}
	i := 0
	for r := range parallel.InOrder(ctx, len(infos), read) {
		take(i, r)
		i++
	}
	return ctx.Err()
}

// A scanner finds the touches of a session.
type scanner struct {
	lines   jsonl.Lines
	record  journal.Record
	waiting map[string]waiting
	found   []Touch
}

// waiting is a call whose result did not come yet.
type waiting struct {
	use     use
	paths   []string
	renames []Change
	call    Span
}

var (
	callMark   = []byte(`"toolCall"`)
	resultMark = []byte(`"toolResult"`)
	idMark     = []byte(`"toolCallId":"`)
)

func (s *scanner) scan(ctx context.Context, path string) (cache.Found[Touch], error) {
	s.waiting, s.found = map[string]waiting{}, nil
	in, err := foreign.Open(ctx, path)
	if err != nil {
		return cache.Found[Touch]{}, err
	}
	defer in.Close()
	_, err = s.lines.Each(ctx, in, 0, math.MaxInt64, func(l *jsonl.Line) error { s.line(l); return nil })
	return cache.Found[Touch]{Rows: s.found}, err
}

func (s *scanner) line(l *jsonl.Line) {
	if l.Size > mostLine {
		return
	}
	if bytes.Contains(l.Data, callMark) {
		s.calls(l)
	}
	if len(s.waiting) > 0 && bytes.Contains(l.Data, resultMark) {
		s.result(l)
	}
}

func (s *scanner) calls(l *jsonl.Line) {
	if !s.record.Read(l.Data) {
		return
	}
	m := s.record.Message()
	if m == nil || m.Speaker() != journal.RoleAssistant {
		return
	}
	for _, b := range journal.Blocks(m.Content) {
		if string(jsonl.TextOf(b.Type)) != "toolCall" {
			continue
		}
		name, _ := jsonl.String(b.Name)
		use, known := tools[name]
		id, _ := jsonl.String(b.ID)
		if !known || id == "" {
			continue
		}
		w := waiting{use: use, call: Span{l.At, l.Size}}
		w.paths, w.renames = pathsOf(use, b.Arguments)
		if len(w.paths)+len(w.renames) > 0 || use == replaces {
			s.waiting[id] = w
		}
	}
}

// result finds the call of a result without reading the whole line, which is long.
func (s *scanner) result(l *jsonl.Line) {
	var id string
	if at := bytes.Index(l.Data, idMark); at >= 0 {
		rest := l.Data[at+len(idMark):]
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			id = string(rest[:end])
		}
	}
	if id == "" && s.record.Read(l.Data) { // written with blanks
		if m := s.record.Message(); m != nil {
			id, _ = jsonl.String(m.ToolCallID)
		}
	}
	w, ok := s.waiting[id]
	if !ok {
		return
	}
	if len(w.paths) == 0 && w.use == replaces {
		if !s.record.Read(l.Data) {
			return
		}
		if m := s.record.Message(); m != nil {
			w.paths = resultPaths(m.Details)
		}
	}
	delete(s.waiting, id)
	at := Span{l.At, l.Size}
	for _, p := range w.paths {
		s.found = append(s.found, Touch{Path: strings.Clone(p), Reads: w.use == reads, Call: w.call, Result: at})
	}
	for _, r := range w.renames {
		s.found = append(s.found, Touch{Path: strings.Clone(r.To), From: strings.Clone(r.Path), Call: w.call, Result: at})
	}
}

// A Record is what one session touched, in the order of the results.
type Record []Touch

// Paths returns the paths in a record, each once.
func (r Record) Paths() (paths []string) {
	known := map[string]bool{"": true}
	for i := range r {
		for _, path := range [...]string{r[i].Path, r[i].From} {
			if !known[path] {
				known[path] = true
				paths = append(paths, path)
			}
		}
	}
	return paths
}

// Decode reads the events of a session's touches, in their order. A touch whose call
// failed has none; several touches of one call have its events once.
func Decode(ctx context.Context, path string, touches []Touch) ([]Event, error) {
	f, err := foreign.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Event
	var d decoder
	done := map[[2]int64]bool{}
	for _, t := range touches {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if key := [2]int64{t.Call.At, t.Result.At}; !done[key] && t.Call.Size <= mostLine && t.Result.Size <= mostLine {
			done[key] = true
			out = append(out, d.events(ctx, f, t)...)
		}
	}
	return out, nil
}

// A decoder reads calls and results.
type decoder struct {
	lines        jsonl.Lines
	call, result journal.Record
	clock        journal.Clock
}

func (d *decoder) events(ctx context.Context, f io.ReaderAt, t Touch) []Event {
	line, err := d.lines.At(ctx, f, t.Result.At, t.Result.Size)
	if err != nil || !d.result.Read(bytes.Clone(line)) {
		return nil
	}
	r := d.result.Message()
	if r == nil || r.Speaker() != journal.RoleToolResult {
		return nil
	}
	if failed, _ := jsonl.Bool(r.IsError); failed {
		return nil
	}
	line, err = d.lines.At(ctx, f, t.Call.At, t.Call.Size)
	if err != nil || !d.call.Read(bytes.Clone(line)) {
		return nil
	}
	m := d.call.Message()
	if m == nil {
		return nil
	}
	id, _ := jsonl.String(r.ToolCallID)
	e := Event{Call: t.Call, Result: t.Result, EntryID: string(d.call.ID()), ResultID: string(d.result.ID()), CallID: id}
	stamp := d.result.RawTime()
	if ms, ok := jsonl.Int(stamp); ok {
		e.Time = time.UnixMilli(ms).UTC()
	} else if ms := d.clock.Read(stamp); ms != journal.NoTime {
		e.Time = time.UnixMilli(ms).UTC()
	}
	var changes []Change
	for _, b := range journal.Blocks(m.Content) { // of calls with one ID the last counts
		if call, _ := jsonl.String(b.ID); call == id && string(jsonl.TextOf(b.Type)) == "toolCall" {
			e.Tool, _ = jsonl.String(b.Name)
			changes = decode(e.Tool, b.Arguments, r)
		}
	}
	var out []Event
	for _, c := range changes {
		e.Change = c
		out = append(out, e)
	}
	return out
}

// Seen removes from lines those that a session's agent was shown before an offset: in
// user messages, commands and tool results, except in reads of files
// that other does not accept.
func Seen(ctx context.Context, path string, before int64, isOther func(path string) bool, lines map[string]bool) error {
	f, err := foreign.Open(ctx, path)
	if err != nil {
		return err
	}
	defer f.Close()
	var r jsonl.Lines
	var record journal.Record
	others := map[string]bool{}
	_, err = r.Each(ctx, f, 0, before, func(l *jsonl.Line) error {
		if len(lines) == 0 || !record.Read(l.Data) {
			return nil
		}
		m := record.Message()
		if m == nil {
			for _, name := range []string{"summary", "content"} {
				strike(lines, resultText(record.Member(name)))
			}
			return nil
		}
		switch m.Speaker() {
		case journal.RoleAssistant:
			for _, b := range journal.Blocks(m.Content) {
				name, _ := jsonl.String(b.Name)
				if use := tools[name]; use == reads || use == writes || use == replaces {
					if file, ok := text(b.Arguments, pathNames...); ok && isOther(file) {
						id, _ := jsonl.String(b.ID)
						others[id] = true
					}
				}
			}
			return nil
		case journal.RoleToolResult:
			if id, _ := jsonl.String(m.ToolCallID); others[id] {
				return nil
			}
		}
		strike(lines, resultText(m.Content))
		for _, raw := range [][]byte{m.Output, m.Command, m.Summary} {
			if s, ok := jsonl.String(raw); ok {
				strike(lines, s)
			}
		}
		return nil
	})
	return err
}

// strike removes the lines of a text from a set, also where a tool put a line number,
// a file name or the sign of a diff in front of them.
func strike(lines map[string]bool, text string) {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		delete(lines, line)
		if len(line) > 1 && (line[0] == '+' || line[0] == '-' || line[0] == ' ') {
			delete(lines, line[1:])
		}
		bare := Undecorated(line)
		if _, rest, ok := strings.Cut(line, ":"); ok && bare == line {
			bare = Undecorated(rest)
		}
		if bare != line {
			delete(lines, bare)
			delete(lines, strings.TrimPrefix(bare, " "))
		}
	}
}

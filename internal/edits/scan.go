package edits

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
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

// A Scanner finds the touches of a session, record by record in file order. The zero
// value is ready to use.
type Scanner struct {
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

var callMark = []byte(`"toolCall"`)

// Reset forgets the records, for another session.
func (s *Scanner) Reset() { *s = Scanner{} }

// Touches returns what was found, in the order of the results.
func (s *Scanner) Touches() []Touch { return s.found }

// An OpenCall is a call whose result did not come yet, and its line.
type OpenCall struct {
	Span
	ID string
}

// Open returns the open calls. A scanner for which they are reopened can continue after
// the last record.
func (s *Scanner) Open() (calls []OpenCall) {
	for id, w := range s.waiting {
		calls = append(calls, OpenCall{w.call, id})
	}
	slices.SortFunc(calls, func(a, b OpenCall) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) })
	return calls
}

// Reopen adds an open call, given the record in its line.
func (s *Scanner) Reopen(r *journal.Record, call OpenCall) {
	var line Scanner
	line.Record(r, call.Span)
	if w, ok := line.waiting[call.ID]; ok {
		s.wait(call.ID, w)
	}
}

func (s *Scanner) wait(id string, w waiting) {
	if s.waiting == nil {
		s.waiting = map[string]waiting{}
	}
	s.waiting[id] = w
}

// Record adds a record in a line.
func (s *Scanner) Record(r *journal.Record, at Span) {
	if at.Size > mostLine {
		return
	}
	m := r.Message()
	if m == nil {
		return
	}
	switch m.Speaker() {
	case journal.RoleAssistant:
		s.calls(m, at)
	case journal.RoleToolResult:
		s.result(m, at)
	}
}

func (s *Scanner) calls(m *journal.Message, at Span) {
	if !bytes.Contains(m.Content, callMark) {
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
		w := waiting{use: use, call: at}
		w.paths, w.renames = pathsOf(use, b.Arguments)
		if len(w.paths)+len(w.renames) > 0 || use == replaces {
			s.wait(id, w)
		}
	}
}

func (s *Scanner) result(m *journal.Message, at Span) {
	w, ok := s.waiting[string(jsonl.TextOf(m.ToolCallID))]
	if !ok {
		return
	}
	if len(w.paths) == 0 && w.use == replaces {
		w.paths = resultPaths(m.Details)
	}
	delete(s.waiting, string(jsonl.TextOf(m.ToolCallID)))
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
	var places []foreign.Place
	for _, t := range touches {
		if t.Call.Size <= mostLine && t.Result.Size <= mostLine {
			places = append(places, foreign.Place(t.Call), foreign.Place(t.Result))
		}
	}
	lines, err := foreign.LinesAt(ctx, path, new(jsonl.Lines), places)
	if err != nil {
		return nil, err
	}
	var out []Event
	var d decoder
	done := map[[2]int64]bool{}
	for _, t := range touches {
		if key := [2]int64{t.Call.At, t.Result.At}; !done[key] {
			done[key] = true
			out = append(out, d.events(lines, t)...)
		}
	}
	return out, nil
}

// A decoder reads calls and results.
type decoder struct {
	call, result journal.Record
}

func (d *decoder) events(lines map[int64][]byte, t Touch) []Event {
	if !d.result.Read(lines[t.Result.At]) {
		return nil
	}
	r := d.result.Message()
	if r == nil || r.Speaker() != journal.RoleToolResult {
		return nil
	}
	if failed, _ := jsonl.Bool(r.IsError); failed {
		return nil
	}
	if !d.call.Read(lines[t.Call.At]) {
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
	} else if ms := journal.TimeOf(stamp); ms != journal.NoTime {
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
	var record journal.Record
	others := map[string]bool{}
	_, err := foreign.Lines(ctx, path, new(jsonl.Lines), 0, before, func(l *jsonl.Line) error {
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

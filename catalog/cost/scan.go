package cost

import (
	"context"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/cache/scans"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// A found is a response that was found in a file, possibly a copy.
type found struct {
	key fingerprint
	Response
	entry, call string // for a tool result: its entry, and the call that it belongs to
}

// A scanner reads the spending recorded in files.
type scanner struct {
	lines  envelope.Lines
	record envelope.Record
	taker  func(*envelope.Record) // s.take, allocated once
	print  printer
	models map[string]string // so that each name is stored once

	kept *scans.Kept // results of earlier scans

	found []found
	runs  bool // the file contains results of subagents
}

// file finds all responses in a session file, in file order, and returns them
// packed.
func (s *scanner) file(ctx context.Context, path string) (string, error) {
	text, err := s.kept.Of(path, func() ([]byte, error) {
		err := s.scan(ctx, path)
		return s.pack(), err
	})
	if wrong := s.unpack(text); wrong != nil { // stored by another program
		err = s.scan(ctx, path)
		text = string(s.pack())
	}
	return text, err
}

// scan reads a file.
func (s *scanner) scan(ctx context.Context, path string) error {
	s.found, s.runs = s.found[:0], false
	_, err := s.lines.File(ctx, path, func(line *envelope.Line) { s.line(line.Data) })
	return err
}

// line adds the responses of a line.
func (s *scanner) line(line []byte) {
	// Quotes inside strings are escaped, so a line that does not contain the
	// quoted member name has no usage.
	s.runs = s.runs || tellsOfRuns(line)
	if usageName.in(line) {
		if s.taker == nil {
			s.taker = s.take
		}
		s.record.Each(line, s.taker)
	}
}

var usageName = newNeedle("usage", 'g')

// take adds a record that may have a usage.
func (s *scanner) take(r *envelope.Record) {
	spent := format.DecodeSpent(r.Usage())
	if spent.IsZero() {
		return
	}
	f := found{Response: Response{Spent: spent}}
	var name []byte // the response id given by the provider
	switch r.Kind() {
	case envelope.KindMessage:
		m := r.Message()
		f.Time = moment(m.Timestamp)
		name = envelope.TextOf(m.ResponseID)
		if f.Kind = Answer; m.Speaker() == envelope.RoleAssistant {
			f.Model = s.model(envelope.TextOf(m.Provider), envelope.TextOf(m.Model))
			break
		}
		f.Kind, f.entry, f.call = Tool, string(r.ID()), string(envelope.TextOf(m.ToolCallID))
	case envelope.KindCompaction:
		f.Kind = Compaction
	case envelope.KindBranchSummary:
		f.Kind = BranchSummary
	default:
		f.Kind = Accounting
		provider, _ := envelope.Text(r.Member("provider"))
		model, _ := envelope.Text(r.Member("model"))
		f.Model = s.model(provider, model)
	}
	s.keep(f, r, name)
}

// keep adds a response. A response with an id of its provider is identified by
// that id, any other by its entry, which copies keep.
func (s *scanner) keep(f found, r *envelope.Record, name []byte) {
	if at := moment(r.RawTime()); !at.IsZero() {
		f.Time = at
	}
	if len(name) > 0 {
		f.key = s.print.of(f.Spent, []byte("response"), name)
	} else {
		f.key = s.print.of(f.Spent, []byte("entry"), r.RawID(), r.RawTime())
	}
	s.found = append(s.found, f)
}

// model returns the name of a model without a copy for each response.
func (s *scanner) model(p, m []byte) string {
	var buf [96]byte
	name := append(buf[:0], p...)
	if len(p) > 0 && len(m) > 0 {
		name = append(name, '/')
	}
	return s.once(append(name, m...))
}

// once returns name as a string that is shared by all equal names.
func (s *scanner) once(name []byte) string {
	if len(name) == 0 {
		return ""
	}
	if known, ok := s.models[string(name)]; ok {
		return known
	}
	if s.models == nil {
		s.models = map[string]string{}
	}
	kept := string(name)
	s.models[kept] = kept
	return kept
}

// moment returns a time as a file stores it: text, or milliseconds since 1970.
func moment(raw []byte) time.Time {
	const most = 8_640_000_000_000_000 // the last JavaScript date
	if ms, ok := jsonl.Int(raw); ok && ms >= -most && ms <= most {
		return time.UnixMilli(ms)
	}
	text, _ := envelope.Text(raw)
	t, _ := format.ParseTime(string(text))
	return t
}

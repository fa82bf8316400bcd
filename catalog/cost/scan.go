package cost

import (
	"context"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/envelope"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/lines"
)

// A found response is one that stands in a file, perhaps as a copy.
type found struct {
	key fingerprint
	Response
	entry, call string // of the result of a tool: its entry, and what it answers
}

// A scanner reads what files say was spent.
type scanner struct {
	lines  lines.Reader
	print  printer
	models map[string]string // so that a name is kept once

	found []found
	runs  bool // there are results of subagents
}

// file reads all responses of a session's file, in file order.
func (s *scanner) file(ctx context.Context, path string) ([]found, error) {
	s.found, s.runs = nil, false
	_, err := s.lines.File(ctx, path, s.line)
	return s.found, err
}

var usageName = newNeedle("usage", 'g')

// line takes a line. Quotes inside of strings are escaped, so a line that does
// not hold the name of the member has no usage.
func (s *scanner) line(line []byte) {
	s.runs = s.runs || tellsOfRuns(line)
	if usageName.in(line) {
		s.record(line)
	}
}

var entryKeys = jsonl.NewKeys("type", "id", "timestamp", "message", "usage", "provider", "model")

const (
	keyType = iota
	keyID
	keyTime
	keyMessage
	keyUsage
	keyProvider
	keyModel
)

// record takes one entry, or those on a line that holds several (pitfall 4).
func (s *scanner) record(line []byte) {
	var spans [7]jsonl.Span
	switch shape, _ := entryKeys.Scan(line, spans[:]); shape {
	case jsonl.Object:
		s.entry(line, &spans)
	case jsonl.Invalid:
		for _, span := range envelope.Records(line) {
			if shape, _ := entryKeys.Scan(span.Of(line), spans[:]); shape == jsonl.Object {
				s.entry(span.Of(line), &spans)
			}
		}
	}
}

func (s *scanner) entry(line []byte, spans *[7]jsonl.Span) {
	kind, _ := envelope.Text(spans[keyType].Of(line))
	f := found{}
	switch format.Type(kind) {
	case format.TypeMessage:
		s.message(line, spans)
		return
	case format.TypeCompaction:
		f.Kind = Compaction
	case format.TypeBranchSummary:
		f.Kind = BranchSummary
	case format.TypeUsage, format.TypeModelUsage:
		f.Kind = Accounting
		f.Model = s.model(spans[keyProvider].Of(line), spans[keyModel].Of(line))
	default:
		return
	}
	f.Spent = format.DecodeSpent(spans[keyUsage].Of(line))
	s.keep(f, line, spans, nil)
}

var messageKeys = jsonl.NewKeys("role", "provider", "model", "usage", "responseId", "timestamp", "toolCallId")

const (
	messageRole = iota
	messageProvider
	messageModel
	messageUsage
	messageResponse
	messageTime
	messageCall
)

func (s *scanner) message(line []byte, entry *[7]jsonl.Span) {
	msg := entry[keyMessage].Of(line)
	var spans [7]jsonl.Span
	if shape, _ := messageKeys.Scan(msg, spans[:]); shape != jsonl.Object {
		return
	}
	role, _ := envelope.Text(spans[messageRole].Of(msg))
	f := found{}
	switch format.Role(role) {
	case format.RoleAssistant:
		f.Kind = Answer
		f.Model = s.model(spans[messageProvider].Of(msg), spans[messageModel].Of(msg))
	case format.RoleToolResult:
		f.Kind = Tool
		f.entry, _ = jsonl.String(entry[keyID].Of(line))
		f.call, _ = jsonl.String(spans[messageCall].Of(msg))
	default:
		return
	}
	f.Spent = format.DecodeSpent(spans[messageUsage].Of(msg))
	f.Time = moment(spans[messageTime].Of(msg))
	name, _ := envelope.Text(spans[messageResponse].Of(msg))
	s.keep(f, line, entry, name)
}

// keep takes a response, unless it cost nothing. One that its provider named is
// known by that; any other by its entry, which copies keep.
func (s *scanner) keep(f found, line []byte, entry *[7]jsonl.Span, name []byte) {
	if f.IsZero() {
		return
	}
	if at := moment(entry[keyTime].Of(line)); !at.IsZero() {
		f.Time = at
	}
	if len(name) > 0 {
		f.key = s.print.of(f.Spent, []byte("response"), name)
	} else {
		f.key = s.print.of(f.Spent, []byte("entry"), entry[keyID].Of(line), entry[keyTime].Of(line))
	}
	s.found = append(s.found, f)
}

// model is the name of a model, without a copy for each of its responses.
func (s *scanner) model(provider, model []byte) string {
	p, _ := envelope.Text(provider)
	m, _ := envelope.Text(model)
	if len(p) == 0 && len(m) == 0 {
		return ""
	}
	var buf [96]byte
	name := append(buf[:0], p...)
	if len(p) > 0 && len(m) > 0 {
		name = append(name, '/')
	}
	name = append(name, m...)
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

// moment is a time as a file has it: text, or milliseconds since 1970.
func moment(raw []byte) time.Time {
	const most = 8_640_000_000_000_000 // the last date of JavaScript
	if ms, ok := jsonl.Int(raw); ok && ms >= -most && ms <= most {
		return time.UnixMilli(ms)
	}
	text, _ := envelope.Text(raw)
	t, _ := format.ParseTime(string(text))
	return t
}

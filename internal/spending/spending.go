// Package spending finds the model calls that the records of a session report,
// with what each consumed.
//
// It decides what counts as one response and how its copies are recognized.
// Counting each response once, over many sessions, is up to the caller.
package spending

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/journal"
	"github.com/pith-sessions/pith/internal/jsonl"
)

// The kinds of responses.
const (
	Answer        = "answer"
	Tool          = "tool"
	Compaction    = "compaction"
	BranchSummary = "branchSummary"
	Accounting    = "usage"
	CacheWarm     = "cacheWarm" // a request that only keeps a prompt cache alive
	Subagent      = "subagent"
)

// A Response is one model call found in a session, possibly a copy.
type Response struct {
	Key   Fingerprint
	Kind  string
	Time  time.Time // zero if the record has none
	Model string    // provider/id, or ""
	format.Spent
	Entry, Call string // for a tool result: its entry, and the call that it belongs to
}

// A Fingerprint is equal for all copies of a response and, in practice,
// different for different responses.
type Fingerprint [16]byte

// Found are the responses in a session, in file order.
type Found struct {
	Responses []Response
	Runs      bool // a record may be a result of subagents
}

// A Scanner collects the responses of a session, record by record in file
// order. The zero value is ready to use.
type Scanner struct {
	found []Response
	runs  bool

	record journal.Record
	taker  func(*journal.Record) // s.take, allocated once
	buf    []byte
	models map[string]string // so that each name is stored once
}

// Reset forgets the records, for another session.
func (s *Scanner) Reset() { s.found, s.runs = s.found[:0], false }

// Found returns what was found since the last Reset.
func (s *Scanner) Found() Found { return Found{slices.Clone(s.found), s.runs} }

// Line adds the records of a line.
func (s *Scanner) Line(line []byte) {
	if s.taker == nil {
		s.taker = s.take
	}
	s.record.Each(line, s.taker)
}

func (s *Scanner) take(r *journal.Record) {
	var spent format.Spent
	if usage := r.Usage(); usage != nil {
		spent = format.DecodeSpent(usage)
	}
	s.Record(r, spent)
}

// Record adds a record, with the decoded value of its usage.
func (s *Scanner) Record(r *journal.Record, spent format.Spent) {
	s.runs = s.runs || mayBeRuns(r)
	if spent.IsZero() {
		return
	}
	f := Response{Spent: spent}
	f.Model, f.Time = s.Call(r)
	var name []byte // the response id given by the provider
	switch r.Kind() {
	case journal.KindMessage:
		m := r.Message()
		name = jsonl.TextOf(m.ResponseID)
		if f.Kind = Answer; m.Speaker() == journal.RoleAssistant {
			break
		}
		f.Kind, f.Entry, f.Call = Tool, string(r.ID()), string(jsonl.TextOf(m.ToolCallID))
	case journal.KindCompaction:
		f.Kind = Compaction
	case journal.KindBranchSummary:
		f.Kind = BranchSummary
	default:
		f.Kind = Accounting
		if kind, _ := jsonl.Text(r.Member("kind")); r.Kind() == journal.KindUsage && string(kind) == "cache_warm" {
			f.Kind = CacheWarm
		}
	}
	// A response with an id of its provider is identified by that id, any
	// other by its entry, which copies keep.
	if len(name) > 0 {
		f.Key = s.Fingerprint(f.Spent, []byte("response"), name)
	} else {
		f.Key = s.Fingerprint(f.Spent, []byte("entry"), r.RawID(), r.RawTime())
	}
	s.found = append(s.found, f)
}

// Call returns the model of a record with usage, as provider/id, and the time.
func (s *Scanner) Call(r *journal.Record) (model string, at time.Time) {
	at = s.moment(r.RawTime())
	switch r.Kind() {
	case journal.KindMessage:
		m := r.Message()
		if at.IsZero() {
			at = s.moment(m.Timestamp)
		}
		if m.Speaker() == journal.RoleAssistant {
			model = s.model(jsonl.TextOf(m.Provider), jsonl.TextOf(m.Model))
		}
	case journal.KindCompaction, journal.KindBranchSummary:
	default:
		provider, _ := jsonl.Text(r.Member("provider"))
		id, _ := jsonl.Text(r.Member("model"))
		model = s.model(provider, id)
	}
	return model, at
}

// Fingerprint returns the fingerprint of words and an amount. The amount is
// included because some servers give all their responses the same name.
func (s *Scanner) Fingerprint(a format.Spent, words ...[]byte) Fingerprint {
	s.buf = s.buf[:0]
	for _, w := range words {
		s.buf = binary.AppendUvarint(s.buf, uint64(len(w)))
		s.buf = append(s.buf, w...)
	}
	for _, n := range [...]int64{a.Input, a.Output, a.CacheRead, a.CacheWrite, a.Tokens, int64(a.Cost)} {
		s.buf = binary.AppendVarint(s.buf, n)
	}
	sum := sha256.Sum256(s.buf)
	return Fingerprint(sum[:16])
}

// headSize is the length of the part of a record that is searched for members
// that are written first.
const headSize = 1 << 10

var (
	slashResult = []byte(`"subagent-slash-result"`)
	results     = []byte(`"results"`)
	completions = []byte(`"completions"`)
	beforeList  = " \t\r\n:"
)

// mayBeRuns reports whether a record may be a result of subagents. Package
// subagent makes the decision. This test must miss none, and must be fast on
// the results of other tools, which are most of a large file.
func mayBeRuns(r *journal.Record) bool {
	if r.Kind() != journal.KindMessage {
		line := r.Line()
		return bytes.Contains(line[:min(len(line), headSize)], slashResult)
	}
	m := r.Message()
	if m == nil || m.Speaker() != journal.RoleToolResult {
		return false
	}
	switch string(jsonl.TextOf(m.ToolName)) {
	case "", "subagent", "task", "bg_wait", "subagent_wait":
		return true // without a name, let package subagent decide
	}
	return hasRuns(m.Details)
}

// hasRuns reports whether a list named results or completions may be in raw
// details. It looks for lists, not for names, because a bracket is rarer than a
// quote.
func hasRuns(details []byte) bool {
	for i := 0; ; i++ {
		next := bytes.IndexByte(details[i:], '[')
		if next < 0 {
			return false
		}
		i += next
		if name := bytes.TrimRight(details[:i], beforeList); bytes.HasSuffix(name, results) || bytes.HasSuffix(name, completions) {
			return true
		}
	}
}

// model returns the name of a model without a copy for each response.
func (s *Scanner) model(p, m []byte) string {
	var buf [96]byte
	name := append(buf[:0], p...)
	if len(p) > 0 && len(m) > 0 {
		name = append(name, '/')
	}
	return s.once(append(name, m...))
}

// once returns name as a string that is shared by all equal names.
func (s *Scanner) once(name []byte) string {
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
func (s *Scanner) moment(raw []byte) time.Time {
	if ms := journal.TimeOf(raw); ms != journal.NoTime {
		return time.UnixMilli(ms).UTC()
	}
	const most = 8_640_000_000_000_000 // the last JavaScript date
	if ms, ok := jsonl.Int(raw); ok && ms >= -most && ms <= most {
		return time.UnixMilli(ms)
	}
	return time.Time{}
}

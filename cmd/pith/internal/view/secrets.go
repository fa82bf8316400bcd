package view

import (
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/redact"
)

// A SecretCount is the number of secrets that a rule found.
type SecretCount struct {
	Rule     Text   `json:"rule"`
	Kind     string `json:"kind"`
	Secrets  int    `json:"secrets"`
	Places   int    `json:"places"`
	Sessions *int   `json:"sessions,omitempty"`
}

// SecretCounts returns counts of secrets. inSessions has the number of sessions
// with secrets of each rule; it may be nil.
func SecretCounts(counts []redact.Count, inSessions map[string]int) []SecretCount {
	out := make([]SecretCount, len(counts))
	for i, c := range counts {
		out[i] = SecretCount{Rule: Text(c.Rule), Kind: c.Kind.String(), Secrets: c.Secrets, Places: c.Places}
		if n, ok := inSessions[c.Rule]; ok {
			out[i].Sessions = &n
		}
	}
	return out
}

// Secrets is the result of a search for secrets.
type Secrets struct {
	Checked  int             `json:"checked"`
	Found    []SecretCount   `json:"found"`
	Sessions []SecretSession `json:"sessions"`
}

// A SecretSession is a session with secrets.
type SecretSession struct {
	Path   Text          `json:"path"`
	Places []SecretPlace `json:"places"`
}

// A SecretPlace is a place of a secret in a session file.
type SecretPlace struct {
	Rule   Text `json:"rule"`
	Number int  `json:"number"`
	Line   int  `json:"line"`
	Path   Text `json:"path"`
}

// AddSession adds the findings in a session file, if there are any.
func (s *Secrets) AddSession(path string, found []redact.Finding) {
	if len(found) == 0 {
		return
	}
	places := make([]SecretPlace, len(found))
	for i, f := range found {
		places[i] = SecretPlace{Text(f.Rule), f.Number, f.Line, Text(f.Path)}
	}
	s.Sessions = append(s.Sessions, SecretSession{Text(path), places})
}

// An Export is a planned or written export.
type Export struct {
	File     *Text         `json:"file"` // null if nothing was written
	Format   string        `json:"format"`
	Entries  *int          `json:"entries"`
	Pictures *int          `json:"pictures"`
	Redacted []SecretCount `json:"redacted"`
	Places   []ExportPlace `json:"places"`
}

// An ExportPlace is a place of a replaced secret in an exported session.
type ExportPlace struct {
	Rule    Text  `json:"rule"`
	Number  int   `json:"number"`
	EntryID *Text `json:"entryId"` // null for the header and the title
	Path    Text  `json:"path"`
}

// ExportOf describes an export. name and r are nil if it was only planned.
func ExportOf(plan *export.Plan, name *string, r *export.Report) Export {
	out := Export{Format: plan.Format.String(), Redacted: SecretCounts(plan.Redacted(), nil), Places: []ExportPlace{}}
	for _, at := range plan.Places() {
		out.Places = append(out.Places, ExportPlace{Text(at.Rule), at.Number, TextOrNull(at.Entry), Text(at.Path)})
	}
	if name != nil {
		out.File, out.Entries, out.Pictures = TextOrNull(*name), &r.Entries, &r.Pictures
	}
	return out
}

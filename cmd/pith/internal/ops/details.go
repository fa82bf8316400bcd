package ops

import (
	"context"
	"os"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// Details are the facts of one session.
type Details struct {
	Ref
	Original          string          `json:"original,omitempty"`
	Source            string          `json:"source,omitempty"` // another agent's name
	ParentSessionPath string          `json:"parentSessionPath" empty:"null"`
	Created           time.Time       `json:"created"`
	Version           int             `json:"version"` // of the file
	NeedsMigration    bool            `json:"needsMigration"`
	Size              int64           `json:"size"`
	Entries           int             `json:"entries"`
	Branches          int             `json:"branches"`
	LeafID            string          `json:"leafId" empty:"null"`
	AtID              string          `json:"atId" empty:"null"` // the entry to which model and thinking level apply
	Model             *format.Model   `json:"model"`
	ThinkingLevel     string          `json:"thinkingLevel"`
	Totals            *inspect.Totals `json:"totals"`
	Models            []ModelTotals   `json:"models"` // the most expensive first
	Findings          []pith.Finding  `json:"findings"`
}

// ModelTotals are the totals of the calls of one model.
type ModelTotals struct {
	Model      string `json:"model"` // provider/id; "" if the entry names none
	Calls      int    `json:"calls"`
	Tokens     int64  `json:"tokens"`
	CostMicros int64  `json:"costMicros"`
	Estimated  bool   `json:"estimated,omitempty"` // some of the cost
	Unpriced   int64  `json:"unpriced,omitempty"`  // calls without a known cost
}

// DetailsOf collects the facts of a session whose file has a version, as read at an
// entry. leaf is the session's leaf as people see it.
func DetailsOf(ctx context.Context, s *pith.Session, version int, leaf, at string) (*Details, error) {
	h, v := s.Header(), s.View()
	d := &Details{
		Ref: SessionRef(s), Original: h.Original, Source: h.Source, ParentSessionPath: h.Parent(), Version: version, NeedsMigration: s.NeedsMigration(),
		Entries: v.Len(), Branches: leaves(v), LeafID: leaf, AtID: ShownEntry(s, leaf, at), Findings: s.Findings(),
	}
	if info, err := os.Stat(s.File()); err == nil {
		d.Size = info.Size()
	}
	d.Created, _ = h.Time()
	var err error
	if d.Totals, err = inspect.Count(ctx, s); err != nil {
		return nil, err
	}
	for _, m := range d.Totals.Models() {
		d.Models = append(d.Models, ModelTotals{string(m.Model), m.Calls, m.Tokens, m.Cost.Micros(), m.Estimated, m.Unpriced})
	}
	c, err := v.Context(at)
	if err != nil {
		return nil, err
	}
	d.Model, d.ThinkingLevel = c.Model, c.ThinkingLevel
	return d, nil
}

// ShownEntry returns the entry at which a session is read as people see it.
func ShownEntry(s *pith.Session, leaf, at string) string {
	if at == s.LeafID() {
		return leaf
	}
	return at
}

// leaves returns the number of entries without children.
func leaves(v *pith.View) int {
	n := 0
	chains := v.DepthFirst()
	for i := range chains { // the chain of a first child is next to that of its parent
		if i+1 == len(chains) || int(chains[i+1].Parent) != i {
			n++
		}
	}
	return n
}

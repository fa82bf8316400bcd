package view

import (
	"context"
	"os"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// Details are the facts of one session.
type Details struct {
	Ref
	Original          Text            `json:"original,omitempty"`
	Source            string          `json:"source,omitempty"` // another agent's name
	ParentSessionPath *Text           `json:"parentSessionPath"`
	Created           Time            `json:"created"`
	Version           int             `json:"version"` // of the file
	NeedsMigration    bool            `json:"needsMigration"`
	Size              int64           `json:"size"`
	Entries           int             `json:"entries"`
	Branches          int             `json:"branches"`
	LeafID            *Text           `json:"leafId"`
	AtID              *Text           `json:"atId"` // the entry to which model and thinking level apply
	Model             *format.Model   `json:"model"`
	ThinkingLevel     Text            `json:"thinkingLevel"`
	Totals            *inspect.Totals `json:"totals"`
	Models            []ModelTotals   `json:"models"` // the most expensive first
	Findings          []Finding       `json:"findings"`
}

// ModelTotals are the totals of the calls of one model.
type ModelTotals struct {
	Model      Text  `json:"model"` // provider/id; "" if the entry names none
	Calls      int   `json:"calls"`
	Tokens     int64 `json:"tokens"`
	CostMicros int64 `json:"costMicros"`
	Estimated  bool  `json:"estimated,omitempty"` // some of the cost
	Unpriced   int64 `json:"unpriced,omitempty"`  // calls without a known cost
}

// A Position determines the entry at which a session is read.
type Position struct {
	Version int    // of the file; a session that will be migrated has another
	LeafID  string // shown as the session's leaf
	AtID    string // the entry that is read
}

// DetailsOf collects the facts of a session. If AtID is the session's leaf,
// LeafID is shown instead.
func DetailsOf(ctx context.Context, s *pith.Session, at Position) (*Details, error) {
	h, v := s.Header(), s.View()
	d := &Details{
		Ref: SessionRef(s), Original: Text(h.Original), Source: h.Source, ParentSessionPath: TextOrNull(h.Parent()), Version: at.Version, NeedsMigration: s.NeedsMigration(),
		Entries: v.Len(), Branches: leaves(v), LeafID: TextOrNull(at.LeafID), AtID: TextOrNull(at.Shown(s)), Models: []ModelTotals{}, Findings: FindingsOf(s),
	}
	if info, err := os.Stat(s.File()); err == nil {
		d.Size = info.Size()
	}
	if t, ok := h.Time(); ok {
		d.Created = Time{Time: t}
	}
	var err error
	if d.Totals, err = inspect.Count(ctx, s); err != nil {
		return nil, err
	}
	for _, m := range d.Totals.Models() {
		d.Models = append(d.Models, ModelTotals{m.Model, m.Calls, m.Tokens, m.Cost.Micros(), m.Estimated, m.Unpriced})
	}
	c, err := v.Context(at.AtID)
	if err != nil {
		return nil, err
	}
	d.Model, d.ThinkingLevel = c.Model, Text(c.ThinkingLevel)
	return d, nil
}

// Shown returns the entry that is read, as displayed.
func (p Position) Shown(s *pith.Session) string {
	if p.AtID == s.LeafID() {
		return p.LeafID
	}
	return p.AtID
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

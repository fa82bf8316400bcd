package ops

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/sessiondir"
)

// A ShowView is a view of the turns of a session.
type ShowView string

// The views of [Show].
const (
	Conversation ShowView = "conversation" // the first is the usual one
	Contents     ShowView = "toc"
	Issues       ShowView = "issues"
	Tools        ShowView = "tools"
	Costs        ShowView = "costs"
)

// Words implements [Words].
func (ShowView) Words() []string {
	return []string{string(Conversation), string(Contents), string(Issues), string(Tools), string(Costs)}
}

// ShowParams choose the turns of Show.
type ShowParams struct {
	Path       string   `json:"path" need:"value"`
	View       ShowView `json:"view"`
	Turns      string   `json:"turns"` // numbers of turns: see [inspect.Reading.Select]
	LeafID     string   `json:"leafId"`
	MaxContent int      `json:"maxContent"` // characters of a text; 0 means all
	Budget     int      `json:"budget"`     // tokens; 0 means no limit
}

// Shown are turns in one of the views.
type Shown struct {
	Items []any  `json:"items"`
	Total int    `json:"total"`             // of the chosen turns
	Next  string `json:"next" empty:"null"` // the turns that did not fit the budget
}

// Show returns the items from the first chosen turn, as many as fit the budget but at
// least one.
func Show(ctx context.Context, a *App, p ShowParams) (*Shown, error) {
	s, err := a.open(ctx, p.Path)
	if err != nil {
		return nil, err
	}
	defer s.Close() // only read
	r, err := inspect.Open(s, inspect.Scope{Leaf: p.LeafID})
	if err != nil {
		return nil, err
	}
	chosen, err := r.Select(p.Turns)
	if err != nil {
		return nil, &ParamError{"turns", err.Error()}
	}
	failed, err := r.FailedRuns()
	if err != nil {
		return nil, err
	}
	out, used, done := &Shown{Items: []any{}, Total: len(chosen)}, int64(0), 0
	for _, i := range chosen {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		item, err := p.item(r, i, p.MaxContent, failed)
		if err != nil {
			return nil, err
		}
		if item == nil {
			done++
			continue
		}
		if p.Budget > 0 {
			raw, err := present.JSON(item)
			if err != nil {
				return nil, err
			}
			if used += inspect.Tokens(string(raw)); used > int64(p.Budget) && done > 0 {
				break
			} else if used > int64(p.Budget) {
				if item, err = p.item(r, i, inspect.Short.MaxContent(p.MaxContent), failed); err != nil {
					return nil, err
				}
			}
		}
		out.Items, done = append(out.Items, item), done+1
	}
	out.Next = r.Numbers(chosen[done:])
	return out, nil
}

// item returns one turn in the view; nil if the view has nothing of it.
func (p *ShowParams) item(r *inspect.Reading, i, most int, failed inspect.FailedRuns) (any, error) {
	x, err := r.Turn(i, inspect.Detail{MaxContent: most})
	if err != nil {
		return nil, err
	}
	switch p.View {
	case Contents:
		return x.Contents(), nil
	case Costs:
		return x.Costs(), nil
	case Issues:
		if t := x.Issues(failed, i == r.Len()-1); len(t.Issues) > 0 {
			return t, nil
		}
		return nil, nil
	case Tools:
		x.Items = slices.DeleteFunc(x.Items, func(it inspect.Item) bool { return it.Tool == nil })
		if len(x.Items) == 0 {
			return nil, nil
		}
	}
	return x, nil
}

// SubagentsParams choose the runs of Subagents.
type SubagentsParams struct {
	Path        string `json:"path" need:"value"`
	LeafID      string `json:"leafId"` // or another reference to an entry
	AllBranches bool   `json:"allBranches"`
}

// AgentRuns are the subagent runs of a session.
type AgentRuns struct {
	Ref
	LeafID      string `json:"leafId" empty:"null"`
	AllBranches bool   `json:"allBranches"`
	*subagent.Report
	// Partial says that the session has entries outside the path that was read.
	Partial  bool
	Findings int // in the file
}

// Subagents returns the subagent runs of a session.
func Subagents(ctx context.Context, a *App, p SubagentsParams) (*AgentRuns, error) {
	s, err := a.open(ctx, p.Path)
	if err != nil {
		return nil, err
	}
	defer s.Close() // only read
	leaf, err := EntryOf(s, p.LeafID)
	if err != nil {
		return nil, err
	}
	r, err := subagent.Read(ctx, s, subagent.Options{Leaf: leaf, AllBranches: p.AllBranches, Environment: a.Environment})
	if err != nil {
		return nil, err
	}
	path, err := s.View().PathIDs(leaf)
	return &AgentRuns{
		Ref: SessionRef(s), LeafID: leaf, AllBranches: p.AllBranches, Report: r,
		Partial: !p.AllBranches && (err != nil || len(path) < s.View().Len()), Findings: len(s.Findings()),
	}, nil
}

// EntryOf returns the ID of the entry that a reference names; the leaf for "".
func EntryOf(s *pith.Session, ref string) (string, error) {
	if ref == "" {
		return s.LeafID(), nil
	}
	return catalog.ResolveEntry(s, ref)
}

// DiffParams name two leaves of one session or of two, by references to entries.
type DiffParams struct {
	Path        string `json:"path" need:"value"`
	OtherPath   string `json:"otherPath"` // "" means Path
	LeafID      string `json:"leafId"`
	OtherLeafID string `json:"otherLeafId"`
	// OtherBranch compares with the most recent other branch of the session.
	OtherBranch bool `json:"-"`
}

// ErrOneBranch means that a session has no other branch to compare with.
var ErrOneBranch = errors.New("this session has only one branch")

// A Compared is two leaves and their differences. The sessions are closed.
type Compared struct {
	Left, Right diff.Side
	*diff.Comparison
}

// Record returns the differences as they are encoded.
func (c *Compared) Record() any {
	type side struct {
		Ref
		LeafID string `json:"leafId" empty:"null"`
		*diff.Branch
	}
	return struct {
		Related bool `json:"related"` // the paths have entries in common
		*diff.Comparison
		Left  side `json:"a"`
		Right side `json:"b"`
	}{
		c.Common.Entries > 0, c.Comparison,
		side{SessionRef(c.Left.Session), c.Left.Leaf, &c.A}, side{SessionRef(c.Right.Session), c.Right.Leaf, &c.B},
	}
}

// Diff compares two leaves.
func Diff(ctx context.Context, a *App, p DiffParams) (*Compared, error) {
	var sides [2]diff.Side
	for i, at := range [2][2]string{{p.Path, p.LeafID}, {cmp.Or(p.OtherPath, p.Path), p.OtherLeafID}} {
		s, err := a.open(ctx, at[0])
		if err != nil {
			return nil, err
		}
		defer s.Close() // only read
		leaf, err := EntryOf(s, at[1])
		if err != nil {
			return nil, err
		}
		sides[i] = diff.Side{Session: s, Leaf: leaf}
	}
	if p.OtherBranch {
		var ok bool
		if sides[1].Leaf, ok = diff.OtherEnd(sides[0].Session); !ok {
			return nil, ErrOneBranch
		}
	}
	c, err := diff.Compare(ctx, sides[0], sides[1])
	return &Compared{sides[0], sides[1], c}, err
}

// PathParams name the file of a session.
type PathParams struct {
	Path string `json:"path" need:"value"`
}

// An Examination is what Examine finds in a file.
type Examination struct {
	Path     string           `json:"path"`
	Version  int              `json:"version"`
	Entries  int              `json:"entries"`
	Findings []doctor.Finding `json:"findings"`
}

// Examine checks a session file.
func Examine(ctx context.Context, a *App, p PathParams) (*Examination, error) {
	r, err := doctor.Check(ctx, sessiondir.ExpandPath(p.Path, ""), doctor.Options{Store: a.Store, Now: a.Now})
	if err != nil {
		return nil, err
	}
	return &Examination{r.File, r.Version, r.Entries, r.Findings}, nil
}

// A Mended session is read as a repair would leave its file. Done is called after closing it.
type Mended struct {
	*pith.Session
	Findings []doctor.Finding
	Done     func()
}

// OpenMended opens a file that is not a session, because it lost its header.
func OpenMended(ctx context.Context, a *App, path string) (*Mended, error) {
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		return nil, pith.ErrNotSession
	}
	m, err := doctor.OpenRepaired(ctx, path, doctor.Options{Now: a.Now})
	if err != nil {
		return nil, err
	}
	o := a.Engine()
	o.ReadOnly, o.Store = true, m.Store
	s, err := pith.Open(ctx, path, o)
	if err != nil {
		m.Close()
		return nil, err
	}
	return &Mended{s, m.Report.Findings, m.Close}, nil
}

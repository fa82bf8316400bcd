package show

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/sources/all"
)

// facts are what show says about a session before its conversation. In JSON
// they are the object that docs/reference/json.md describes.
type facts struct {
	ID            view.Text       `json:"id"`
	File          view.Text       `json:"file"`
	Original      view.Text       `json:"original,omitempty"`
	Source        string          `json:"source,omitempty"`
	Name          *view.Text      `json:"name"`
	Cwd           view.Text       `json:"cwd"`
	ParentSession *view.Text      `json:"parentSession"`
	Created       *string         `json:"created"`
	Version       int             `json:"version"`
	Migrates      bool            `json:"needsMigration"`
	Size          int64           `json:"size"`
	Entries       int             `json:"entries"`
	Branches      int             `json:"branches"`
	Leaf          *view.Text      `json:"leaf"`
	At            *view.Text      `json:"at"`
	Model         *format.Model   `json:"model"`
	ThinkingLevel view.Text       `json:"thinkingLevel"`
	Totals        *inspect.Totals `json:"totals"`
	Models        []modelTotals   `json:"models"`
	Findings      []findingRecord `json:"findings"`

	created time.Time
}

type findingRecord struct {
	Line    int        `json:"line"`
	Byte    int64      `json:"byte"`
	EntryID *view.Text `json:"entryId"`
	Code    string     `json:"code"`
	Text    string     `json:"text"`
}

// factsOf collects the facts of a session, those about the model at an entry.
// version is the file's, which the session does not know any more when it is
// going to be migrated.
func factsOf(ctx context.Context, s *pith.Session, version int, at string) (*facts, error) {
	h := s.Header()
	f := &facts{
		ID: view.Text(s.ID()), File: view.Text(s.File()), Original: view.Text(h.Original), Source: h.Source, Name: view.TextOrNull(s.Name()), Cwd: view.Text(s.Cwd()),
		ParentSession: view.TextOrNull(h.Parent()), Version: version, Migrates: s.NeedsMigration(), Entries: s.View().Len(),
		Branches: tips(s),
		Findings: []findingRecord{},
	}
	if info, err := os.Stat(s.File()); err == nil {
		f.Size = info.Size()
	}
	if t, ok := h.Time(); ok {
		f.created, f.Created = t, view.TimeOrNull(t)
	}
	leaf, err := lookup.Position(s)
	if err != nil {
		return nil, err
	}
	f.Leaf, f.At = view.TextOrNull(leaf), view.TextOrNull(seenAs(s, at, leaf))
	if f.Totals, err = inspect.Count(ctx, s); err != nil {
		return nil, err
	}
	f.Models = modelsOf(f.Totals)
	c, err := s.View().Context(at)
	if err != nil {
		return nil, err
	}
	f.Model, f.ThinkingLevel = c.Model, view.Text(c.ThinkingLevel)
	for _, x := range s.Findings() {
		f.Findings = append(f.Findings, findingRecord{x.Line, x.Offset, view.TextOrNull(x.EntryID), x.Code, x.Text})
	}
	return f, nil
}

// seenAs is the entry at which people see a session stand for the one at which it
// stands, and any other entry itself.
func seenAs(s *pith.Session, id, position string) string {
	if id == s.LeafID() {
		return position
	}
	return id
}

// tips is how many entries nothing follows: the ends of the branches.
func tips(s *pith.Session) int {
	n := 0
	todo := s.View().Tree()
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], node.Children...)
		if len(node.Children) == 0 {
			n++
		}
	}
	return n
}

func (a *Commands) printFacts(f *facts) {
	if f.Name != nil {
		a.Out.Print(a.Colors.Bold(layout.OneLine(string(*f.Name))) + "\n")
	}
	a.Fact("id", string(f.ID))
	if who := a.Who(string(f.File)); who != "" {
		a.Fact("person", who)
	}
	if p, ok := all.Find(f.Source); ok {
		a.Fact("agent", p.Title())
	}
	a.Fact("file", string(cmp.Or(f.Original, f.File)))
	a.Fact("project", cmp.Or(string(f.Cwd), "unknown")) // pitfall 23
	if f.ParentSession != nil {
		a.Fact("parent", string(*f.ParentSession))
	}
	a.Fact("created", humanize.Time(f.created))
	version := fmt.Sprint(f.Version)
	if f.Version > format.Version {
		version += ", newer than this pith writes: for reading only"
	} else if f.Migrates {
		version += ", the first write brings it to the present one; see pith migrate"
	}
	a.Fact("version", version)
	a.Fact("size", fmt.Sprintf("%s, %s, %s", humanize.Bytes(f.Size), humanize.Count(f.Entries, "entry"), humanize.Count(f.Branches, "branch")))
	leaf := "before the first entry"
	if f.Leaf != nil {
		leaf = string(*f.Leaf)
	}
	a.Fact("leaf", leaf)
	if f.Model != nil {
		a.Fact("model", fmt.Sprintf("%s, thinking %s", cmp.Or(format.ModelName(f.Model.Provider, f.Model.ModelID), "without a name"), f.ThinkingLevel))
	}
	t := f.Totals
	a.Fact("messages", fmt.Sprintf("%s: %s user, %s assistant, %s, %s", humanize.Number(int64(t.Messages)), humanize.Number(int64(t.User)), humanize.Number(int64(t.Assistant)),
		humanize.Count(t.ToolCalls, "tool call"), humanize.Count(t.ToolResults, "tool result")))
	a.printSpending(f)
}

func (a *Commands) printSpending(f *facts) {
	t := f.Totals
	if t.Tokens == 0 && t.Cost == 0 {
		return
	}
	in := format.Plus(t.Input, format.Plus(t.CacheRead, t.CacheWrite))
	cached := ""
	if t.CacheRead > 0 || t.CacheWrite > 0 {
		cached = fmt.Sprintf(" (%s cached, %.0f%%; %s not)", humanize.Number(t.CacheRead), 100*float64(t.CacheRead)/float64(max(in, 1)), humanize.Number(in-t.CacheRead))
	}
	a.Fact("tokens", fmt.Sprintf("%s: %s in%s, %s out", humanize.Number(t.Tokens), humanize.Number(in), cached, humanize.Number(t.Output)))
	a.Fact("cost", humanize.Dollars(t.Cost.Micros()))
	if len(f.Models) < 2 {
		return
	}
	for _, m := range f.Models {
		a.Fact("", fmt.Sprintf("%s  %s, %s tokens", humanize.Dollars(m.CostMicros), layout.OneLine(cmp.Or(string(m.Model), "other")), humanize.Number(m.Tokens)))
	}
}

// shownFindings is how many findings are listed for reading.
const shownFindings = 20

func (a *Commands) printFindings(list []findingRecord) {
	if len(list) == 0 {
		return
	}
	a.Out.Print("\n" + a.Colors.Paint(tone.Warning, humanize.Count(len(list), "finding")+":") + "\n")
	for i, f := range list {
		if i == shownFindings {
			a.Out.Printf("  … %d more; --json lists all\n", len(list)-i)
			break
		}
		var b strings.Builder
		fmt.Fprintf(&b, "line %d, byte %d", f.Line, f.Byte)
		if f.EntryID != nil {
			fmt.Fprintf(&b, ", entry %s", layout.OneLine(string(*f.EntryID)))
		}
		a.Out.Print("  " + termsafe.Line(b.String()+": "+f.Text) + "\n")
	}
}

// modelTotals are what one model was used for.
type modelTotals struct {
	Model      inspect.Text `json:"model"` // provider/id; "" where the entry does not say
	Calls      int          `json:"calls"`
	Tokens     int64        `json:"tokens"`
	CostMicros int64        `json:"costMicros"`
}

// modelsOf are the totals of each model, the one that cost most first.
func modelsOf(t *inspect.Totals) []modelTotals {
	out := []modelTotals{}
	for _, m := range t.Models() {
		out = append(out, modelTotals{m.Model, m.Calls, m.Tokens, m.Cost.Micros()})
	}
	return out
}

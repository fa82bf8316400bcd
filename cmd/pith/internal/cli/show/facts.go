package show

import (
	"cmp"
	"fmt"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/amount"
)

func (a *Commands) printFacts(f *ops.Details) {
	if f.Name != "" {
		a.Out.Print(a.Colors.Bold(layout.OneLine(f.Name)) + "\n")
	}
	a.Fact("id", f.ID)
	if agent := ops.AgentTitle(f.Source); agent != "" {
		a.Fact("agent", agent)
	}
	a.Fact("file", cmp.Or(f.Original, f.Path))
	a.Fact("project", cmp.Or(f.Cwd, "unknown")) // pitfall 23
	if f.ParentSessionPath != "" {
		a.Fact("parent", f.ParentSessionPath)
	}
	a.Fact("created", humanize.Time(f.Created))
	version := fmt.Sprint(f.Version)
	if f.Version > format.Version {
		version += ", newer than this pith; read-only"
	} else if f.NeedsMigration {
		version += ", upgraded by the first write or pith doctor --fix"
	}
	a.Fact("version", version)
	a.Fact("size", fmt.Sprintf("%s, %s, %s", humanize.Bytes(f.Size), humanize.Count(f.Entries, "entry"), humanize.Count(f.Branches, "branch")))
	a.Fact("leaf", cmp.Or(f.LeafID, "before the first entry"))
	if f.Model != nil {
		a.Fact("model", fmt.Sprintf("%s, thinking %s", cmp.Or(format.ModelName(f.Model.Provider, f.Model.ModelID), "without a name"), f.ThinkingLevel))
	}
	t := f.Totals
	a.Fact("messages", fmt.Sprintf("%s: %s user, %s assistant, %s, %s", humanize.Number(int64(t.Messages)), humanize.Number(int64(t.User)), humanize.Number(int64(t.Assistant)),
		humanize.Count(t.ToolCalls, "tool call"), humanize.Count(t.ToolResults, "tool result")))
	a.printSpending(f)
}

func (a *Commands) printSpending(f *ops.Details) {
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
	a.Fact("cost", cmp.Or(amount.Cost(t.Spent), "none"))
	if len(f.Models) < 2 {
		return
	}
	for _, m := range t.Models() {
		a.Fact("", fmt.Sprintf("%s  %s, %s tokens", cmp.Or(amount.Cost(m.Spent), "none"), layout.OneLine(cmp.Or(string(m.Model), "other")), humanize.Number(m.Tokens)))
	}
}

// shownFindings is the number of findings that are listed for people.
const shownFindings = 20

func (a *Commands) printFindings(list []pith.Finding) {
	a.Out.Print("\n" + a.Colors.Paint(tone.Warning, humanize.Count(len(list), "finding")+":") + "\n")
	for i, f := range list {
		if i == shownFindings {
			a.Out.Printf("  … %d more; --json lists all\n", len(list)-i)
			break
		}
		where := fmt.Sprintf("line %d, byte %d", f.Line, f.Offset)
		if f.EntryID != "" {
			where += ", entry " + layout.OneLine(f.EntryID)
		}
		a.Out.Print("  " + termsafe.Line(where+": "+f.Text) + "\n")
	}
}

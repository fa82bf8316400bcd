package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
)

// facts are what show says about a session before its conversation. In JSON
// they are the object that docs/cli.md describes.
type facts struct {
	ID            jsText          `json:"id"`
	File          jsText          `json:"file"`
	Name          *jsText         `json:"name"`
	Cwd           jsText          `json:"cwd"`
	ParentSession *jsText         `json:"parentSession"`
	Created       *string         `json:"created"`
	Version       int             `json:"version"`
	Migrates      bool            `json:"needsMigration"`
	Size          int64           `json:"size"`
	Entries       int             `json:"entries"`
	Branches      int             `json:"branches"`
	Leaf          *jsText         `json:"leaf"`
	At            *jsText         `json:"at"`
	Model         *pith.Model     `json:"model"`
	ThinkingLevel jsText          `json:"thinkingLevel"`
	Totals        *inspect.Totals `json:"totals"`
	Models        []modelTotals   `json:"models"`
	Findings      []findingRecord `json:"findings"`

	created time.Time
}

type findingRecord struct {
	Line    int     `json:"line"`
	Byte    int64   `json:"byte"`
	EntryID *jsText `json:"entryId"`
	Code    string  `json:"code"`
	Text    string  `json:"text"`
}

// factsOf collects the facts of a session, those about the model at an entry.
// version is the file's, which the session does not know any more when it is
// going to be migrated.
func factsOf(ctx context.Context, s *pith.Session, version int, at string) (*facts, error) {
	h := s.Header()
	f := &facts{
		ID: jsText(s.ID()), File: jsText(s.File()), Name: jsTextOrNull(s.Name()), Cwd: jsText(s.Cwd()),
		ParentSession: jsTextOrNull(h.Parent()), Version: version, Migrates: s.NeedsMigration(), Entries: s.Len(),
		Branches: tips(s), Leaf: jsTextOrNull(s.LeafID()), At: jsTextOrNull(at),
		Findings: []findingRecord{},
	}
	if info, err := os.Stat(s.File()); err == nil {
		f.Size = info.Size()
	}
	if t, ok := h.Time(); ok {
		f.created, f.Created = t, timeOrNull(t)
	}
	var err error
	if f.Totals, err = inspect.Count(ctx, s); err != nil {
		return nil, err
	}
	f.Models = modelsOf(f.Totals)
	c, err := s.ContextAt(at)
	if err != nil {
		return nil, err
	}
	f.Model, f.ThinkingLevel = c.Model, jsText(c.ThinkingLevel)
	for _, x := range s.Findings() {
		f.Findings = append(f.Findings, findingRecord{x.Line, x.Offset, jsTextOrNull(x.EntryID), x.Code, x.Text})
	}
	return f, nil
}

// tips is how many entries nothing follows: the ends of the branches.
func tips(s *pith.Session) int {
	n := 0
	todo := s.Tree()
	for len(todo) > 0 {
		node := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], node.Children...)
		if len(node.Children) == 0 {
			n++
		}
	}
	return n
}

func (a *app) printFacts(f *facts) {
	if f.Name != nil {
		a.out.print(a.colors.bold(oneLine(string(*f.Name))) + "\n")
	}
	a.fact("id", string(f.ID))
	a.fact("file", string(f.File))
	a.fact("project", cmp.Or(string(f.Cwd), "unknown")) // pitfall 23
	if f.ParentSession != nil {
		a.fact("parent", string(*f.ParentSession))
	}
	a.fact("created", humanize.Time(f.created))
	version := fmt.Sprint(f.Version)
	if f.Version > format.Version {
		version += ", newer than this pith writes: for reading only"
	} else if f.Migrates {
		version += ", the first write brings it to the present one; see pith migrate"
	}
	a.fact("version", version)
	a.fact("size", fmt.Sprintf("%s, %s, %s", humanize.Bytes(f.Size), humanize.Count(f.Entries, "entry"), humanize.Count(f.Branches, "branch")))
	leaf := "before the first entry"
	if f.Leaf != nil {
		leaf = string(*f.Leaf)
	}
	a.fact("leaf", leaf)
	if f.Model != nil {
		a.fact("model", fmt.Sprintf("%s, thinking %s", cmp.Or(format.ModelName(f.Model.Provider, f.Model.ModelID), "without a name"), f.ThinkingLevel))
	}
	t := f.Totals
	a.fact("messages", fmt.Sprintf("%s: %s user, %s assistant, %s, %s", humanize.Number(int64(t.Messages)), humanize.Number(int64(t.User)), humanize.Number(int64(t.Assistant)),
		humanize.Count(t.ToolCalls, "tool call"), humanize.Count(t.ToolResults, "tool result")))
	a.printSpending(f)
}

func (a *app) printSpending(f *facts) {
	t := f.Totals
	if t.Tokens == 0 && t.Cost == 0 {
		return
	}
	in := format.Plus(t.Input, format.Plus(t.CacheRead, t.CacheWrite))
	cached := ""
	if t.CacheRead > 0 || t.CacheWrite > 0 {
		cached = fmt.Sprintf(" (%s cached, %.0f%%; %s not)", humanize.Number(t.CacheRead), 100*float64(t.CacheRead)/float64(max(in, 1)), humanize.Number(in-t.CacheRead))
	}
	a.fact("tokens", fmt.Sprintf("%s: %s in%s, %s out", humanize.Number(t.Tokens), humanize.Number(in), cached, humanize.Number(t.Output)))
	a.fact("cost", humanize.Dollars(t.Cost.Micros()))
	if len(f.Models) < 2 {
		return
	}
	for _, m := range f.Models {
		a.fact("", fmt.Sprintf("%s  %s, %s tokens", humanize.Dollars(m.CostMicros), oneLine(cmp.Or(string(m.Model), "other")), humanize.Number(m.Tokens)))
	}
}

// fact prints one line: a word and what there is to say.
func (a *app) fact(word, text string) {
	text = termsafe.Line(text)
	if w := a.width(); w > 0 && word != "file" && word != "parent" {
		text = termsafe.Fit(text, max(1, w-10)) // paths stay whole: they are there to be copied
	}
	a.out.print(a.colors.dim(termsafe.Pad(word, 10)) + text + "\n")
}

// shownFindings is how many findings are listed for reading.
const shownFindings = 20

func (a *app) printFindings(list []findingRecord) {
	if len(list) == 0 {
		return
	}
	a.out.print("\n" + a.colors.paint(toneWarning, humanize.Count(len(list), "finding")+":") + "\n")
	for i, f := range list {
		if i == shownFindings {
			a.out.printf("  … %d more; --json lists all\n", len(list)-i)
			break
		}
		var b strings.Builder
		fmt.Fprintf(&b, "line %d, byte %d", f.Line, f.Byte)
		if f.EntryID != nil {
			fmt.Fprintf(&b, ", entry %s", oneLine(string(*f.EntryID)))
		}
		a.out.print("  " + termsafe.Line(b.String()+": "+f.Text) + "\n")
	}
}

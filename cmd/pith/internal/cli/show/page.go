package show

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/present"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/parallel"
)

// A pageRecord describes in JSON which turns an output contains, and the
// commands for those before and after.
type pageRecord struct {
	Turns    int     `json:"turns"`    // all
	Matching int     `json:"matching"` // those that match the selection
	Count    int     `json:"count"`    // those on this page
	Next     *string `json:"next"`
	Earlier  *string `json:"earlier"`
	LeftOut  int     `json:"leftOut,omitempty"`  // list elements omitted by the budget
	Findings int     `json:"findings,omitempty"` // findings omitted by the budget
}

// A pager describes which part of a session is shown, and how to get the
// others.
type pager struct{ *showing }

func (v *showing) pager() pager { return pager{v} }

// page returns the record of the page without the first omitted turns,
// which do not fit.
func (v pager) page(omitted int) pageRecord {
	chosen, asked := v.chosen.Indexes, v.chosen.Asked
	p := pageRecord{Turns: v.reading.Len(), Matching: len(chosen), Count: len(chosen) - omitted, LeftOut: v.lost.elements}
	if v.lean {
		p.Findings = len(v.findings())
	}
	if len(asked) == 0 {
		return p
	}
	first, last := asked[0], asked[len(asked)-1]
	size := last - first + 1
	if end := v.reading.Len() - 1; last < end {
		p.Next = v.command(v.turns(last+1, min(end, last+size)))
	}
	switch {
	case v.lost.parts():
		given := v.turns(chosen[0], chosen[v.lost.through])
		if v.lost.through == len(chosen)-1 { // no fewer turns
			given = given.With("budget", strconv.FormatInt(2*v.flags.budget, 10))
		}
		p.Earlier = v.command(given)
	case omitted > 0:
		p.Earlier = v.command(v.turns(chosen[0], chosen[omitted-1]))
	case first > 0:
		p.Earlier = v.command(v.turns(max(0, first-size), first-1))
	}
	return p
}

// command returns the command line that shows this session with the given
// flags.
func (v pager) command(given flags.Given) *string {
	text := v.Hint(given.Arguments("show", v.ref)...)
	return &text
}

// turns returns the flags that select turns of the same path by their indexes.
func (v pager) turns(first, last int) flags.Given {
	var list []int
	for i := first; i <= last; i++ {
		list = append(list, i)
	}
	given := v.flags.all
	if v.leaf != v.s.LeafID() && !v.flags.allBranches && v.flags.subagent == "" {
		given = given.With("at", cmp.Or(v.flags.at, v.leaf))
	}
	return given.With("turns", v.reading.Numbers(list))
}

// fullCommand returns the command that shows one turn in full.
func (v pager) fullCommand(index int) *string {
	return v.command(v.turns(index, index).Only("all-branches", "at", "json", "max-chars", "subagent", "turns").With("view", viewFull))
}

// printPage prints the end of a page: which parts are omitted, and how to get
// them. shortened is the number of turns, from the first one shown, that
// are not complete.
func (v pager) printPage(omitted, shortened int) {
	p := v.page(omitted)
	var lines []string
	number := func(k int) int { return v.reading.Number(v.chosen.Indexes[k]) }
	if shortened > 0 {
		first, last := number(omitted), number(omitted+shortened-1)
		lines = append(lines, fmt.Sprintf("shortened to fit the budget: %s; to show one in full: %s", plural(first, last), *v.fullCommand(v.chosen.Indexes[omitted+shortened-1])))
	}
	if v.lost.elements > 0 {
		lines = append(lines, v.lossLine())
	} else if omitted > 0 {
		lines = append(lines, fmt.Sprintf("left out to fit the budget: %s", plural(number(0), number(omitted-1))))
	}
	if p.Earlier != nil {
		lines = append(lines, "earlier: "+*p.Earlier)
	}
	if p.Next != nil {
		lines = append(lines, "next: "+*p.Next)
	}
	if allBranches := v.onAllBranches(); allBranches != "" {
		lines = append(lines, "all branches: "+allBranches)
	}
	if len(lines) == 0 {
		return
	}
	v.Out.Print("\n")
	for _, line := range lines {
		v.Out.Print(v.Colors.Dim(termsafe.Line(line)) + "\n")
	}
}

// onAllBranches returns the same command for all branches if the user probably
// wants it: if nothing matches, and for costs, which every branch has.
func (v pager) onAllBranches() string {
	f := v.flags
	none := len(v.chosen.Indexes) == 0 && f.selects()
	if !none && f.view.Value != viewCosts || v.reading.Entries() >= v.s.View().Len() {
		return ""
	}
	if f.allBranches || f.given("at") {
		return ""
	}
	return *v.command(f.all.Without("turns").With("all-branches", ""))
}

// shownSession identifies in JSON the session of an output and the leaf of its
// path, which is null for all branches.
type shownSession struct {
	ops.Ref
	LeafID string `json:"leafId" empty:"null"`
}

func (v *showing) session() shownSession {
	r := shownSession{Ref: ops.SessionRef(v.s)}
	if leaf, err := ops.Position(v.s); !v.flags.allBranches && err == nil {
		r.LeafID = ops.ShownEntry(v.s, leaf, v.leaf)
	}
	return r
}

// facts returns the facts of the session, including all findings of its file.
func (v *showing) facts(ctx context.Context) (*ops.Details, error) {
	leaf, err := ops.Position(v.s)
	if err != nil {
		return nil, err
	}
	f, err := ops.DetailsOf(ctx, v.s, v.version, leaf, v.leaf)
	if err == nil {
		f.Findings = v.findings()
	}
	return f, err
}

func (v *showing) findings() []pith.Finding {
	var out []pith.Finding
	for _, x := range v.memoryFixes {
		if x.Severity >= doctor.Warning { // doctor prints notes
			out = append(out, pith.Finding{Line: x.Line, Offset: x.Offset, EntryID: x.EntryID, Code: string(x.Code), Text: x.What})
		}
	}
	return append(out, v.s.Findings()...)
}

// printFaults lists the findings of the file and the command that explains
// them.
func (v *showing) printFaults() {
	list := v.findings()
	if len(list) == 0 {
		return
	}
	if v.lean {
		v.Out.Print("\n" + v.Colors.Paint(tone.Warning, humanize.Count(len(list), "finding")) + ": " + termsafe.Line(v.Hint("doctor", v.ref)) + "\n")
		return
	}
	v.printFindings(list)
	v.Out.Print(v.Colors.Dim(termsafe.Line("explanations and repairs: "+v.Hint("doctor", v.ref))) + "\n")
}

// openJSON starts the object that all views but the first print: the session,
// the page, and the view's own list, which stays open.
func (v *showing) openJSON(list string, omitted int) error {
	return v.beginJSON(struct {
		View    string       `json:"view"`
		Session shownSession `json:"session"`
		Page    pageRecord   `json:"page"`
	}{v.flags.view.Value, v.session(), v.pager().page(omitted)}, list)
}

// closeJSON ends the list and adds further members and the findings.
func (v *showing) closeJSON(more ...jsonMember) error {
	v.Out.Print("]")
	findings := v.findings()
	if v.lean {
		findings = findings[:0]
	}
	more = append(more, jsonMember{"findings", findings})
	for _, m := range more {
		if err := v.jsonMember(m); err != nil {
			return err
		}
	}
	v.Out.Print("}\n")
	return nil
}

// jsonMember prints another member of the open object.
func (v *showing) jsonMember(m jsonMember) error {
	text, err := present.JSON(m.value)
	if err == nil {
		v.Out.Print(`,"` + m.name + `":`)
		_, _ = v.Out.Write(termsafe.JSON(text))
	}
	return err
}

// beginJSON starts an object with the members of value and leaves a list of
// that name open in it.
func (v *showing) beginJSON(value any, list string) error {
	head, err := present.JSON(value)
	if err == nil {
		_, _ = v.Out.Write(termsafe.JSON(head[:len(head)-1]))
		v.Out.Print(`,"` + list + `":[`)
	}
	return err
}

// title prints the head of a page: the session, and which part of it.
func (v pager) title() { v.Out.Print(v.titleText(v.chosen.Indexes[v.lost.turns:]) + "\n") }

func (v pager) titleText(indexes []int) string {
	name := cmp.Or(layout.OneLine(v.s.Name()), "session")
	rest := layout.OneLine(v.s.ID()) + " · " + v.pageOf(indexes)
	return v.Colors.Bold(name) + v.Colors.Dim(" · "+rest)
}

// each reads the chosen turns and calls do for each, in order.
func (v *showing) each(ctx context.Context, d inspect.Detail, do func(i int, x *inspect.Turn) error) error {
	var failed error
	err := parallel.Make(ctx, len(v.chosen.Indexes), func() func(int) (*inspect.Turn, error) {
		reading := v.reading.Another()
		return func(i int) (*inspect.Turn, error) { return reading.Turn(v.chosen.Indexes[i], d) }
	}, func(i int, x *inspect.Turn) bool {
		failed = do(i, x)
		return failed == nil && !v.Out.Failed()
	})
	return cmp.Or(failed, err)
}

// A jsonMember is a further member of a view's object.
type jsonMember struct {
	name  string
	value any
}

package show

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/inspect/diff"
	"github.com/pith-sessions/pith/internal/amount"
)

func (a *Commands) Diff() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff SESSION [OTHER | ENTRY ENTRY]",
		Short: "Compare two branches, or two sessions",
		Long: `Compare two branches of a session, or two sessions: where they diverge, and the
turns, tools, files, cost and final response of each since then.

With one session, compare its current branch with the most recent other branch.
With a session and two entries, compare the paths to these entries. With two
sessions, compare their current branches.`,
		Example: `  pith diff @
  pith diff @ 'dead end' @leaf
  pith diff 0199a 0199b --json | jq '.common.entries'`,
		Args:              flags.Takes(1, 3, -1),
		ValidArgsFunction: a.CompleteSession(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.diff(cmd.Context(), args, a.JSON)
		},
	}
	return cmd
}

func (a *Commands) diff(ctx context.Context, args []string, asJSON bool) error {
	first, err := a.Locate(ctx, args[0])
	if err != nil {
		return err
	}
	p := ops.DiffParams{Path: first.Path, OtherBranch: len(args) == 1}
	switch len(args) {
	case 2:
		second, err := a.Locate(ctx, args[1])
		if err != nil {
			return err
		}
		p.OtherPath = second.Path
	case 3:
		p.LeafID, p.OtherLeafID = args[1], args[2]
		if args[1] == "" || args[2] == "" {
			return exit.Usagef("ENTRY is empty; use an ID, a label, @leaf or @root")
		}
	}
	c, err := ops.Diff(ctx, a.App(), p)
	switch {
	case errors.Is(err, ops.ErrOneBranch):
		return exit.Missingf("%w; pass two entries or another session", err)
	case err != nil:
		return a.AdviseEntry(err, first.Path)
	case asJSON:
		return a.Out.JSON(c.Record())
	}
	a.diffHead("A", c.Left)
	a.diffHead("B", c.Right)
	a.printCommon(c.Comparison)
	a.printSides(c.Left, c.Right, c.Comparison)
	a.Out.Print("\n")
	a.readOn("A", c.Left, &c.A)
	a.readOn("B", c.Right, &c.B)
	return nil
}

// readOn prints how to read the entries of a side since the histories diverge.
func (a *Commands) readOn(letter string, s diff.Side, b *diff.Branch) {
	if len(b.Turns) == 0 {
		return
	}
	words := []string{"show", lookup.Name(s.Session)}
	if s.Leaf != s.Session.LeafID() {
		words = append(words, "--at", s.Leaf)
	}
	more := a.Hint(append(words, "--turns", "-"+strconv.Itoa(len(b.Turns)))...)
	a.Out.Print(a.Colors.Dim(termsafe.Line(letter+" in full: "+more)) + "\n")
}

// printSides prints one side after the other.
func (a *Commands) printSides(x, y diff.Side, c *diff.Comparison) {
	for _, s := range []diffSheet{a.branchSheet("A", x, &c.A, c), a.branchSheet("B", y, &c.B, c)} {
		a.Out.Print("\n")
		for _, l := range s.wrapped(a.Width()) {
			a.Out.Print(a.Colors.Paint(l.tone, l.text) + "\n")
		}
	}
}

// diffHead prints which session and leaf a side is.
func (a *Commands) diffHead(letter string, s diff.Side) {
	text := cmp.Or(s.Session.Header().Original, s.Session.File())
	if name := s.Session.Name(); name != "" {
		text += ", " + layout.OneLine(name)
	}
	a.Out.Print(a.Colors.Bold(letter) + "         " + termsafe.Line(text) + ", at " + layout.OneLine(s.Leaf) + "\n")
}

func (a *Commands) printCommon(c *diff.Comparison) {
	common := &c.Common
	if common.Entries == 0 {
		a.Out.Print(a.Colors.Paint(tone.Warning, "no common history; both are shown from the start") + "\n")
		return
	}
	a.Fact("common", strings.Join(layout.NonEmpty(humanize.Count(common.Entries, "entry"), humanize.Count(common.Turns, "turn"), amount.Cost(common.Spent)), ", "))
	parted := "after " + layout.OneLine(common.LastA)
	if common.LastB != common.LastA {
		parted += " (" + layout.OneLine(common.LastB) + " in B)"
	}
	if common.Turns > 0 {
		parted += fmt.Sprintf(", in turn %d: %s", common.Turns, layout.OneLine(common.Question))
	}
	a.Fact("diverged", parted)
	switch {
	case c.A.Entries == 0 && c.B.Entries == 0:
		a.Fact("", "both end there; they are the same")
	case c.A.Entries == 0:
		a.Fact("", "A ends there; B continues")
	case c.B.Entries == 0:
		a.Fact("", "B ends there; A continues")
	}
	for i, path := range c.BothModified {
		a.Fact(onFirst(i, "both edit"), a.ShortPath(path))
	}
}

// A diffLine is one line of a column: safe for a terminal, with the indent of
// its continuation lines.
type diffLine struct {
	text   string
	tone   tone.Tone
	indent int
}

// A diffSheet is the description of one side.
type diffSheet []diffLine

// answerLines is the number of lines shown of a final response.
const answerLines = 30

// branchSheet describes a side since the histories diverge.
func (a *Commands) branchSheet(letter string, s diff.Side, b *diff.Branch, c *diff.Comparison) diffSheet {
	var d diffSheet
	say := func(t tone.Tone, indent int, text string) { d = append(d, diffLine{termsafe.Line(text), t, indent}) }
	fact := func(word, text string) { say(tone.None, 10, termsafe.Pad(word, 10)+text) }
	title := "── " + letter + " · since then"
	if c.Common.Entries == 0 {
		title = "── " + letter + " · the whole path"
	}
	say(tone.User, 3, title+" · "+humanize.Count(b.Entries, "entry"))
	if b.Entries == 0 {
		fact("", "nothing")
		return d
	}
	for _, x := range b.Turns {
		text := fmt.Sprintf("%-3d %s", x.Number, layout.OneLine(x.Text))
		if x.Number == 0 {
			text = "…   continues the common turn"
		}
		if x.Calls > 0 {
			text += " (" + humanize.Count(x.Calls, "tool call")
			if x.Errors > 0 {
				text += ", " + humanize.Count(x.Errors, "error")
			}
			text += ")"
		}
		say(tone.Bold, 4, text)
	}
	if len(b.Tools) > 0 {
		fact("tools", toolCounts(b.Tools))
	}
	for i, path := range b.Modified {
		fact(onFirst(i, "modified"), a.ShortPath(path))
	}
	for i, path := range b.Read {
		fact(onFirst(i, "read"), a.ShortPath(path))
	}
	if b.Compactions+b.Summaries > 0 {
		fact("summaries", fmt.Sprintf("%s, %s", humanize.Count(b.Compactions, "compaction"), humanize.Count(b.Summaries, "branch summary")))
	}
	for i, model := range b.Models {
		fact(onFirst(i, "model"), layout.OneLine(model))
	}
	fact("cost", spending(b.Spent))
	if took := b.Ended.Sub(b.Begun); took > 0 {
		fact("time", humanize.Time(b.Begun)+" to "+humanize.Time(b.Ended))
	}
	a.sheetAnswer(&d, s, b)
	return d
}

// sheetAnswer adds the final response.
func (a *Commands) sheetAnswer(d *diffSheet, s diff.Side, b *diff.Branch) {
	if b.Failure != "" {
		*d = append(*d, diffLine{"! " + layout.OneLine(b.Failure), tone.Error, 2})
	}
	if b.Answer == "" {
		return
	}
	*d = append(*d, diffLine{"response", tone.Dim, 0})
	lines := strings.Split(strings.TrimSpace(termsafe.Text(b.Answer)), "\n")
	for i, line := range lines {
		if i == answerLines {
			more := a.Hint("show", lookup.Name(s.Session), "--at", b.AnswerEntry)
			*d = append(*d, diffLine{termsafe.Line(fmt.Sprintf("  … %d more lines: %s", len(lines)-i, more)), tone.Dim, 2})
			return
		}
		*d = append(*d, diffLine{"  " + strings.TrimRight(line, " "), tone.None, 2})
	}
}

func toolCounts(tools []diff.Tool) string {
	var parts []string
	for _, t := range tools {
		text := fmt.Sprintf("%s %d", layout.OneLine(t.Name), t.Calls)
		if t.Errors > 0 {
			text += fmt.Sprintf(" (%d failed)", t.Errors)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// onFirst returns word for the first line of a list, and "" for the others.
func onFirst(i int, word string) string {
	if i == 0 {
		return word
	}
	return ""
}

// wrapped returns a sheet with lines of at most the given number of cells; 0
// means no limit.
func (d diffSheet) wrapped(cells int) []diffLine {
	if cells <= 0 {
		return d
	}
	var out []diffLine
	for _, l := range d {
		for _, text := range layout.Wrap(l.text, cells, min(l.indent, cells/2)) {
			out = append(out, diffLine{text: text, tone: l.tone})
		}
	}
	return out
}

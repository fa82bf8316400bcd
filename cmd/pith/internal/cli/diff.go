package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/inspect/diff"
)

func (a *app) diffCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "diff SESSION [OTHER | ENTRY ENTRY]",
		Short: "Compare two branches, or two sessions",
		Long: `Compare two histories: where they part, and what each did from there on. With one
session, its active path and the most recent other branch; with a session and two
entries, the paths to these; with two sessions, their active paths, which begin
alike if one was made from the other.

Side by side on a wide terminal, otherwise one after the other. Sessions that
have nothing in common are compared as wholes, and it is said.`,
		Example: `  pith diff @
  pith diff @ 'dead end' @leaf
  pith diff 0199a 0199b --json | jq '.common.entries'`,
		Args:              takes(1, 3, -1),
		ValidArgsFunction: a.completeSession(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.diff(cmd.Context(), args, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

func (a *app) diff(ctx context.Context, args []string, asJSON bool) (err error) {
	first, err := a.openForReading(ctx, args[0])
	if err != nil {
		return err
	}
	defer closing(first, &err)
	second := first
	if len(args) == 2 {
		if second, err = a.openForReading(ctx, args[1]); err != nil {
			return err
		}
		defer closing(second, &err)
	}
	sideA, sideB, err := a.sides(first, second, args)
	if err != nil {
		return err
	}
	c, err := diff.Compare(ctx, sideA, sideB)
	if err != nil {
		return err
	}
	if asJSON {
		return a.out.json(diffReport(sideA, sideB, c))
	}
	a.printDiff(sideA, sideB, c)
	return nil
}

// sides are the two ends that the arguments name.
func (a *app) sides(first, second *pith.Session, args []string) (x, y diff.Side, err error) {
	x, y = diff.Side{Session: first, Leaf: first.LeafID()}, diff.Side{Session: second, Leaf: second.LeafID()}
	switch len(args) {
	case 1:
		other, ok := diff.OtherEnd(first)
		if !ok {
			return x, y, missingf("this session has no other branch; name two entries, or another session")
		}
		y.Leaf = other
	case 3:
		if x.Leaf, err = entryOf(first, args[1]); err != nil {
			return x, y, err
		}
		y.Leaf, err = entryOf(first, args[2])
	}
	return x, y, err
}

// Columns are narrower than this only one after the other.
const leastColumn = 56

func (a *app) printDiff(x, y diff.Side, c *diff.Comparison) {
	a.diffHead("A", x)
	a.diffHead("B", y)
	a.printCommon(c)
	a.printSides(x, y, c)
	a.out.print("\n")
	a.readOn("A", x, &c.A)
	a.readOn("B", y, &c.B)
}

// readOn says how to read what a side did since the histories part.
func (a *app) readOn(letter string, s diff.Side, b *diff.Branch) {
	if len(b.Exchanges) == 0 {
		return
	}
	words := []string{"show", s.Session.File()}
	if s.Leaf != s.Session.LeafID() {
		words = append(words, "--leaf", s.Leaf)
	}
	more := a.hint(append(words, "--last", strconv.Itoa(len(b.Exchanges)))...)
	a.out.print(a.colors.dim(termsafe.Line(letter+" in full: "+more)) + "\n")
}

// printSides tells what each side did, side by side where there is room.
func (a *app) printSides(x, y diff.Side, c *diff.Comparison) {
	w := a.width()
	column := (w - 3) / 2
	left, right := a.branchSheet("A", x, &c.A, c), a.branchSheet("B", y, &c.B, c)
	if column < leastColumn {
		for _, s := range []diffSheet{left, right} {
			a.out.print("\n")
			for _, l := range s.wrapped(w) {
				a.out.print(a.colors.paint(l.tone, l.text) + "\n")
			}
		}
		return
	}
	a.out.print("\n")
	l, r := left.wrapped(column), right.wrapped(column)
	for i := range max(len(l), len(r)) {
		var from, to diffLine
		if i < len(l) {
			from = l[i]
		}
		if i < len(r) {
			to = r[i]
		}
		line := a.colors.paint(from.tone, termsafe.Pad(from.text, column)) + a.colors.dim(" │")
		if to.text != "" {
			line += " " + a.colors.paint(to.tone, to.text)
		}
		a.out.print(line + "\n")
	}
}

// diffHead says what a side is.
func (a *app) diffHead(letter string, s diff.Side) {
	text := s.Session.File()
	if name := s.Session.Name(); name != "" {
		text += ", " + oneLine(name)
	}
	a.out.print(a.colors.bold(letter) + "         " + termsafe.Line(text) + ", at " + oneLine(s.Leaf) + "\n")
}

func (a *app) printCommon(c *diff.Comparison) {
	common := &c.Common
	if common.Entries == 0 {
		a.out.print(a.colors.paint(toneWarning, "these have no common history; each is told from its beginning") + "\n")
		return
	}
	a.fact("common", fmt.Sprintf("%s, %s, %s", humanize.Count(common.Entries, "entry"), humanize.Count(common.Exchanges, "exchange"), humanize.Dollars(common.Spent.Cost.Micros())))
	parted := "after " + oneLine(common.LastA)
	if common.LastB != common.LastA {
		parted += " (" + oneLine(common.LastB) + " in B)"
	}
	if common.Exchanges > 0 {
		parted += fmt.Sprintf(", in exchange %d: %s", common.Exchanges, oneLine(common.Question))
	}
	a.fact("parted", parted)
	switch {
	case c.A.Entries == 0 && c.B.Entries == 0:
		a.fact("", "both end there: they are the same")
	case c.A.Entries == 0:
		a.fact("", "A ends there; B went on")
	case c.B.Entries == 0:
		a.fact("", "B ends there; A went on")
	}
	for i, path := range c.BothModified {
		word := ""
		if i == 0 {
			word = "both edit"
		}
		a.fact(word, a.homely(path))
	}
}

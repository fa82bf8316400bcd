// Package show implements the commands that read one session or compare two:
// show, context, tree, subagents and diff.
package show

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/fullscreen"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/subagent"
)

// Commands holds the commands of this package.
type Commands struct{ *lookup.Sessions }

func (a *Commands) Show() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show [SESSION]",
		Short: "Show a session: conversation, issues, tools, files, cost",
		Long: `Show a session: by default the newest one of this project, and the conversation
from its first entry to the current one. Messages are printed in full, except
for those over 6 MB; thinking and tool output are shortened.

A turn is a user message and everything that follows it until the next one.
Entries before the first user message are turn 0.

Views:
  conversation  the messages (default)
  toc           one line per turn
  full          everything
  issues        tool errors, failed responses and subagents, retries, complaints
  tools         tool calls with their results
  costs         tokens and cost of each model call

--budget N fits the output into about N tokens. The newest turns come first;
older ones are shortened, then left out. The last lines show how to get them.`,
		Example: `  pith show @
  pith show @ --view toc
  pith show @ --turns -5 --budget 4000
  pith show @2 --turns 12 --view full
  pith show 0199a --search '"connection reset" retry' --role tool
  pith show 0199a --turns root-cause`,
		Args:              flags.Takes(0, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.settle(cmd); err != nil {
				return err
			}
			return a.show(cmd.Context(), sessionOf(args), &f)
		},
	}
	f.register(cmd)
	a.CompleteEntryFlag(cmd, "at")
	a.CompleteEntryFlag(cmd, "turns")
	return cmd
}

// newest is the default session reference.
const newest = "@"

func sessionOf(args []string) string {
	if len(args) == 0 {
		return newest
	}
	return args[0]
}

// OpenSession opens the session that a reference names in the app.
func (a *Commands) OpenSession(ctx context.Context, ref string) error {
	app := &fullscreen.App{Sessions: a.Sessions}
	if !app.CanShow() {
		show := a.Show()
		show.SetContext(ctx)
		return show.RunE(show, []string{ref})
	}
	found, err := a.Locate(ctx, ref)
	if err != nil {
		return err
	}
	return app.Show(ctx, fullscreen.View{Open: found.Path})
}

// A showing is one run of pith show: a session and the part of it to show.
type showing struct {
	*Commands
	ref     string
	flags   *showFlags
	s       *pith.Session
	version int    // of the file
	leaf    string // the end of the path
	reading *inspect.Reading
	chosen  inspect.Selection
	lost    loss // elements that the budget removed from a list
	lean    bool // the budget has no room for anything but the view itself
	// invocations returns the subagent calls by the entries of their results.
	// They are read on first use. After an error there are none.
	invocations func() map[string]*subagent.Invocation
	memoryFixes []doctor.Finding // repaired in memory so that the file could be read
}

func (a *Commands) show(ctx context.Context, ref string, f *showFlags) (err error) {
	v := &showing{Commands: a, ref: ref, flags: f}
	done, err := v.open(ctx)
	if err != nil {
		return err
	}
	defer done()
	defer lookup.Close(v.s, &err)
	if err := v.choose(ctx); err != nil {
		return err
	}
	v.invocations = sync.OnceValue(func() map[string]*subagent.Invocation {
		r, err := v.runs(ctx)
		if err != nil {
			return map[string]*subagent.Invocation{}
		}
		return byResult(r.Invocations)
	})
	return v.print(ctx)
}

// print prints the requested view.
func (v *showing) print(ctx context.Context) error {
	f := v.flags
	switch f.view.Value {
	case viewContents:
		return tableView{v}.contents(ctx)
	case viewIssues:
		return listView{v}.issues(ctx)
	case viewTools:
		return listView{v}.tools(ctx)
	case viewCosts:
		return tableView{v}.costs(ctx)
	}
	if v.JSON && !f.given("view") && !f.given("budget") {
		return lineView{v}.lines(ctx)
	}
	return turnView{v}.turns(ctx)
}

// open opens the session that the reference names for reading, and sets the
// version of its file, which a session that is about to be migrated no longer
// knows. The caller calls done after it closes the session.
func (v *showing) open(ctx context.Context) (done func(), err error) {
	done = func() {}
	s, found, err := v.openToRead(ctx, v.ref)
	v.s = s
	file := (*pith.FileError)(nil)
	if errors.Is(err, pith.ErrNotSession) && errors.As(err, &file) {
		done, err = v.openMended(ctx, file.Path, err)
	}
	if err != nil {
		return nil, err
	}
	if v.flags.subagent != "" {
		if s, err = v.openRun(ctx, v.s, v.flags.subagent); err != nil {
			lookup.Close(v.s, &err)
			done()
			return nil, err
		}
		lookup.Close(v.s, &err) // only read
		v.s, found.Version = s, 0
	}
	if v.version = found.Version; v.version == 0 {
		v.version = v.s.Header().Version
	}
	return done, nil
}

// openMended opens a file without a header as a repair would leave it, so that
// its messages can be read. why is the error of the ordinary open.
func (v *showing) openMended(ctx context.Context, path string, why error) (func(), error) {
	m, err := ops.OpenMended(ctx, v.App(), path)
	if err != nil {
		return nil, why
	}
	v.s, v.memoryFixes = m.Session, m.Findings
	return m.Done, nil
}

// choose sets the path to read and the turns of it to show.
func (v *showing) choose(ctx context.Context) (err error) {
	f := v.flags
	if v.leaf, err = lookup.AtFlag(v.s, f.at); err != nil {
		return err
	}
	if err = v.read(); err != nil {
		return err
	}
	choice := inspect.Choice{Turns: f.turns, Search: f.search, Roles: f.roles}
	v.chosen, err = v.reading.Choose(ctx, choice)
	bad := (*inspect.TurnsError)(nil)
	if !errors.As(err, &bad) {
		return err
	}
	id, missing := ops.EntryOf(v.s, f.turns)
	if missing != nil {
		return v.badTurns(bad, missing)
	}
	if !f.allBranches && !f.given("at") {
		v.leaf = cmp.Or(inspect.LeafThrough(v.s.View(), id), v.leaf)
		if err := v.read(); err != nil {
			return err
		}
	}
	i, err := v.reading.Holding(id)
	if err != nil {
		return err
	}
	choice.Turns = strconv.Itoa(v.reading.Number(i))
	v.chosen, err = v.reading.Choose(ctx, choice)
	return err
}

// read opens the path to the leaf.
func (v *showing) read() (err error) {
	v.reading, err = inspect.Open(v.s, inspect.Scope{Leaf: v.leaf, AllBranches: v.flags.allBranches})
	return err
}

// badTurns describes a value of --turns that selects nothing.
func (v *showing) badTurns(e *inspect.TurnsError, missing error) error {
	if strings.Trim(e.Turns, "0123456789,- ") == "" {
		if e.Last == 0 {
			return exit.Missingf("invalid --turns %q: there are no turns", e.Turns)
		}
		return exit.Missingf("invalid --turns %q: there are turns %d to %d; use 3-5, 2,4-6, 4- or -3", e.Turns, e.First, e.Last)
	}
	if none := (*catalog.NoEntryError)(nil); errors.As(missing, &none) {
		return exit.Missingf("invalid --turns %q: use 3-5, 2,4-6, 4-, -3 or an entry; %s lists the turns", e.Turns, v.Hint("show", v.ref, "--view", viewContents))
	}
	return missing
}

// mostText is the maximum number of characters of a text that is shown in full
// without being asked for.
const mostText = 512 << 10

// detail returns how much of a turn a level shows.
func (v *showing) detail(level inspect.Level) inspect.Detail {
	f := v.flags
	d := inspect.Detail{MaxContent: level.MaxContent(f.maxChars), Roles: f.roles}
	if d.MaxContent == 0 && v.mayShorten() {
		d.MaxContent = mostText
	}
	if f.given("budget") && f.view.Value == viewTools {
		d.MaxContent = v.shortText(inspect.Shortened.MaxContent(f.maxChars))
	}
	if f.brief() {
		d.Brief = true
		if level == inspect.Whole && !f.given("max-chars") {
			d.MaxSpeech = mostText
		}
	}
	return d
}

// pageOf describes which of how many turns are shown.
func (v pager) pageOf(indexes []int) string {
	most := 0
	if n := v.reading.Len(); n > 0 {
		most = v.reading.Number(n - 1)
	}
	if len(indexes) == 0 {
		return fmt.Sprintf("none of %s", humanize.Count(most, "turn"))
	}
	first, last := v.reading.Number(indexes[0]), v.reading.Number(indexes[len(indexes)-1])
	text := plural(first, last)
	if len(indexes) != last-first+1 {
		text = fmt.Sprintf("%s from %d to %d", humanize.Count(len(indexes), "turn"), first, last)
	}
	return fmt.Sprintf("%s of %d", text, most)
}

func plural(from, to int) string {
	if from == to {
		return fmt.Sprintf("turn %d", from)
	}
	return fmt.Sprintf("turns %d to %d", from, to)
}

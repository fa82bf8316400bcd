package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/blocks"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/conversation"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/dialog"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/input"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/live"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/transient"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/treeview"
)

// A goingBack is a move to an entry of the tree, with or without the files. It plans
// first, so that the dialog says what it leaves and changes.
type goingBack struct {
	app    *App
	row    treeview.Row
	open   *live.Session
	to     string // the entry that is chosen
	before string // the entry that becomes the current one
	files  []ops.RewoundFile
	reason error // why files cannot be restored
	left   blocks.Way
	turns  int
}

// goBack asks how to go back to a row. A session that is read-only shows the branch.
func (a branches) goBack(row treeview.Row) tea.Cmd {
	open := a.chat.open
	s := open.Current()
	g := &goingBack{app: a.App, row: row, open: open, to: row.Last, before: row.Last}
	if row.Way == nil && row.Kind == blocks.Prompt {
		g.to = row.Entry
	}
	switch {
	case row.Entry == "":
		return nil
	case g.to == currentEntry(s) && a.chat.branch == "":
		return a.say(paint.Dim, "already here")
	case s.Writable() != nil:
		return a.showBranch(g.to)
	case open.Setup.Settings.BranchSummary.SkipPrompt:
		a.closeTree()
		return g.navigate(false, "", nil)
	}
	return a.prepares("looking at what would change", func(ctx context.Context) done {
		if err := g.plan(ctx); err != nil {
			return done{err: err}
		}
		return done{then: g.ask}
	})
}

// showBranch shows the branch of an entry without going there.
func (a branches) showBranch(entry string) tea.Cmd {
	a.closeTree()
	return a.chat.read(func(_ context.Context, open *live.Session) transient.Then {
		branch := open.Branch(entry)
		source, err := open.Turns(branch)
		return func() tea.Cmd {
			if err != nil {
				return a.sayError(err)
			}
			a.chat.branch, a.chat.turns = branch, source
			cmds := []tea.Cmd{a.chat.page.Restart(source, source.Len()), a.chat.readForks()}
			if turn, ok := source.Holding(entry); ok {
				cmds = append(cmds, a.chat.page.Show(conversation.Place{Turn: turn, EntryID: entry}))
			}
			return tea.Batch(cmds...)
		}
	})
}

// errPlanned ends a rewind after its plan.
var errPlanned = errors.New("planned")

// plan finds out what is left behind, and which files changed since.
func (g *goingBack) plan(ctx context.Context) error {
	s := g.open.Current()
	v := s.View()
	pos, err := v.Find(g.to)
	if err != nil {
		return err
	}
	if g.row.Way == nil && g.row.Kind == blocks.Prompt {
		g.before = v.At(pos).ParentID
	}
	path, err := v.PathIDs("")
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	if kept, err := v.PathIDs(g.before); err == nil && g.before != "" {
		for _, id := range kept {
			keep[id] = true
		}
	}
	for _, id := range path {
		if !keep[id] {
			if g.left, g.turns, err = g.open.Left(ctx, id); err != nil {
				return err
			}
			break
		}
	}
	if g.before == "" {
		return nil
	}
	plan, err := g.rewind(ctx, func(context.Context, *ops.Rewound) error { return errPlanned })
	if plan != nil {
		g.files = plan.Files
	}
	if err != nil && !errors.Is(err, errPlanned) {
		g.reason = err
	}
	return nil
}

// rewind restores files; only those that are confirmed are restored whatever changed them
// since.
func (g *goingBack) rewind(ctx context.Context, agree func(context.Context, *ops.Rewound) error) (*ops.Rewound, error) {
	a := g.app
	past, err := ops.Past(ctx, a.c.App, g.open.Current())
	if err != nil {
		return nil, err
	}
	to, err := a.c.App.Trash()
	if err != nil {
		return nil, err
	}
	return ops.Rewind(ctx, ops.RewindParams{Entry: g.before, Past: past, Here: g.open.Current().Cwd(), Trash: to, Agree: agree})
}

// ask shows the dialog.
func (g *goingBack) ask() tea.Cmd {
	a := g.app
	k := a.c.Keys
	row := g.row
	about := "Continue after “" + termsafe.Fit(row.Text, 60) + "”."
	switch {
	case row.Way != nil:
		about = "Continue at the end of “" + termsafe.Fit(row.Text, 60) + "”."
	case row.Kind == blocks.Prompt:
		about = "Continue before “" + termsafe.Fit(row.Text, 60) + "”. Its text goes to the input."
	}
	leaves := "Nothing is deleted: the left branch stays in the tree."
	if g.left.Entries > 0 {
		leaves = "Leaves " + strings.Join(nonempty(plural(g.turns, "turn"), humanize.Count(g.left.Entries, "entry"), facts.Cost(g.left.Spent)), ", ") + ". " + leaves
	}
	box := &dialog.Box{Keys: k, Title: "Go back", Verb: "go back", Wide: true, About: []string{about, leaves}}
	add := func(text, key string, do func() tea.Cmd) {
		box.Rows = append(box.Rows, dialog.Row{Text: text, Keys: []string{key}, Do: func() tea.Cmd { branches{a}.closeTree(); return do() }})
	}
	add("Go back", "enter", func() tea.Cmd { return g.navigate(false, "", nil) })
	if g.left.Entries > 0 {
		add("Go back, and summarize the left branch for the model", "s", func() tea.Cmd { return g.navigate(true, "", nil) })
		box.Rows = append(box.Rows, dialog.Row{Text: "Go back, and summarize with instructions…", Keys: []string{"i"}, Do: g.askInstructions})
		box.Letters = append(box.Letters, paint.Hint{Key: "s", Word: "summarize"})
	}
	restorable, conflicts := 0, 0
	for i := range g.files {
		switch f := &g.files[i]; {
		case f.Err != nil:
		case f.Conflict():
			conflicts++
		default:
			restorable++
		}
	}
	if n := restorable + conflicts; n > 0 {
		files := humanize.Count(n, "file")
		if conflicts > 0 {
			files += fmt.Sprintf(", asking for %d", conflicts)
		}
		add("Go back, and rewind "+files, "w", func() tea.Cmd { return g.withFiles(true) })
		add("Rewind "+files+", stay here", "W", func() tea.Cmd { return g.withFiles(false) })
		box.Letters = append(box.Letters, paint.Hint{Key: "w", Word: "and rewind files"})
	}
	for i := range g.files {
		box.Below = append(box.Below, branches{a}.rewound(&g.files[i]))
	}
	if len(box.Below) > 0 {
		box.Below = append([][2][]paint.Span{{{{Text: "Files changed since"}}, nil}}, box.Below...)
		box.Show = func() tea.Cmd { g.showChanges(); return nil }
	} else if g.reason != nil {
		box.Below = [][2][]paint.Span{{{paint.Faint("Files: " + g.reason.Error())}, nil}}
	}
	a.ask(box)
	return nil
}

func plural(n int, noun string) string {
	if n == 0 {
		return ""
	}
	return humanize.Count(n, noun)
}

func nonempty(parts ...string) (out []string) {
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// rewound returns a file in the dialog: what happened to it since the entry.
func (a branches) rewound(f *ops.RewoundFile) [2][]paint.Span {
	sign, tone, why := "M", paint.Plain, ""
	switch {
	case f.Err != nil:
		sign, tone, why = "!", paint.Dim, "left: "+f.WhyLeft()
	case f.Conflict():
		sign, tone, why = "!", paint.Warning, "also changed by another program: asks first"
		if len(f.Others) > 0 {
			why = "also changed in another session: asks first"
		}
	case !f.Then.Exists:
		sign = "A"
	case !f.Now.Exists:
		sign = "D"
	}
	left := []paint.Span{{Tone: tone, Text: "  " + sign + " " + f.Name}}
	if why != "" {
		left = append(left, paint.Faint("   "+why))
	}
	added, removed := f.Lines()
	return [2][]paint.Span{left, facts.Changes(removed, added)} // since, not by restoring
}

// showChanges shows what restoring the files does.
func (g *goingBack) showChanges() {
	s := &dialog.Sheet{Keys: g.app.c.Keys, Title: "Changes that rewinding makes"}
	for i := range g.files {
		f := &g.files[i]
		s.Left = append(s.Left, dialog.Fact{Name: f.Name})
		for line := range strings.Lines(string(f.Patch())) {
			s.Left = append(s.Left, dialog.Fact{Name: " ", About: strings.TrimRight(line, "\n")})
		}
	}
	g.app.tell(s)
}

func (g *goingBack) askInstructions() tea.Cmd {
	line := input.New(g.app.c.Keys, "")
	g.app.ask(&dialog.Box{Keys: g.app.c.Keys, Title: "Instructions for the summary", Verb: "summarize", Wide: true, Type: &line, Typed: func(text string) tea.Cmd {
		branches{g.app}.closeTree()
		return g.navigate(true, text, nil)
	}})
	return nil
}

// navigate moves to the entry. If a summary is canceled, nothing changes, and the tree is
// shown again. undo takes back what was done before.
func (g *goingBack) navigate(summarize bool, instructions string, undo func(context.Context) (string, error)) tea.Cmd {
	a, open, from := g.app, g.open, g.open.Current().LeafID()
	what, work := "moving", a.prepares
	if summarize {
		what, work = "summarizing the branch", a.work
	}
	return work(what, func(ctx context.Context) done {
		n, err := open.Agent.Navigate(ctx, g.to, agent.NavigateOptions{Summarize: summarize, Instructions: instructions})
		switch {
		case errors.Is(err, agent.ErrAborted) || n.Aborted:
			return done{note: "summary canceled; nothing changed", then: func() tea.Cmd { return branches{a}.showTree(g.to) }}
		case err != nil:
			return done{err: err}
		case n.Cancelled:
			return done{note: "canceled"}
		}
		news := transient.News{Text: "Went back", Undo: func(ctx context.Context) (string, error) {
			if undo != nil {
				if _, err := undo(ctx); err != nil {
					return "", err
				}
			}
			_, err := open.Agent.Navigate(ctx, from, agent.NavigateOptions{})
			a.send(transient.Then(func() tea.Cmd { return a.chat.refresh(true) }))
			return "Back at the entry from before", err
		}}
		return done{then: func() tea.Cmd {
			if n.EditorText != "" && a.chat.editor.blank() {
				a.chat.editor.set(n.EditorText)
			}
			return tea.Batch(a.news.take(news), a.chat.refresh(true), a.chat.count())
		}}
	})
}

// withFiles restores the files, and goes back too if the conversation moves. It asks for
// each file that something else changed since.
func (g *goingBack) withFiles(move bool) tea.Cmd {
	var ask []int
	for i := range g.files {
		if f := &g.files[i]; f.Err == nil && f.Conflict() {
			ask = append(ask, i)
		}
	}
	confirmed := map[string]bool{}
	var next func() tea.Cmd
	next = func() tea.Cmd {
		if len(ask) == 0 {
			return g.restore(confirmed, move)
		}
		f := &g.files[ask[0]]
		ask = ask[1:]
		a := g.app
		a.ask(&dialog.Box{Keys: a.c.Keys, Title: "Rewind", About: []string{f.Name + " was also changed by something else since. Restore it anyway? A copy goes to the trash."}, Rows: []dialog.Row{
			{Text: "Restore it", Keys: []string{"y"}, Do: func() tea.Cmd { confirmed[f.Name] = true; return next() }},
			{Text: "Leave it", Keys: []string{"n"}, Do: func() tea.Cmd { return next() }},
		}})
		return nil
	}
	return next()
}

// restore restores the files.
func (g *goingBack) restore(confirmed map[string]bool, move bool) tea.Cmd {
	a := g.app
	return a.work("restoring files", func(ctx context.Context) done {
		plan, err := g.rewind(ctx, func(_ context.Context, plan *ops.Rewound) error {
			for i := range plan.Files {
				plan.Files[i].Confirmed = confirmed[plan.Files[i].Name]
			}
			return nil
		})
		if err != nil {
			return done{err: err}
		}
		n := 0
		for i := range plan.Files {
			if plan.Files[i].Done {
				n++
			}
		}
		undo := func(context.Context) (string, error) {
			to, err := a.c.App.Trash()
			if err == nil {
				err = ops.UndoRewind(plan.Files, to)
			}
			return "Restored " + humanize.Count(n, "file"), err
		}
		if move {
			return done{then: func() tea.Cmd { return g.navigate(false, "", undo) }}
		}
		return done{then: func() tea.Cmd {
			return a.news.take(transient.News{Text: "Rewound " + humanize.Count(n, "file"), Undo: undo})
		}}
	})
}

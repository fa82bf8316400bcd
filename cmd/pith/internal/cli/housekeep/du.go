package housekeep

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/doctor"
	"github.com/pith-sessions/pith/internal/housekeeping/diskusage"
)

type duFlags struct {
	lookup.Scope
	json  bool
	limit int
}

func (a *Commands) Du() *cobra.Command {
	var f duFlags
	cmd := &cobra.Command{
		Use:   "du [SESSION...]",
		Short: "Show the disk usage of sessions",
		Long: `Show how much disk space sessions use, by kind: images, tool output, thinking,
text, extension entries, and artifacts such as the sessions of subagents.
Without arguments, show the sessions of this project.`,
		Example: `  pith du
  pith du @
  pith du --all --limit 0
  pith du --all --json | jq '.kinds[] | select(.kind == "images") | .bytes'`,
		Args:              flags.Takes(0, -1, -1),
		ValidArgsFunction: a.CompleteSession(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && f.Given() {
				return exit.Usagef("sessions and --all, --here or --project cannot be used together")
			}
			return a.du(cmd.Context(), args, f)
		},
	}
	a.AddScope(cmd, &f.Scope, "measure", lookup.UsuallyHere)
	a.AddSources(cmd)
	cmd.Flags().IntVarP(&f.limit, "limit", "l", 10, "list at most `N` sessions and projects (0: all)")
	flags.OldShorthand(cmd, "n", "limit")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *Commands) du(ctx context.Context, refs []string, f duFlags) error {
	if f.limit < 0 {
		return exit.Usagef("invalid --limit %d: use 0 or more", f.limit)
	}
	infos, err := a.weighable(ctx, refs, f)
	if err != nil {
		return err
	}
	bar := a.Progress("measuring")
	weights, err := diskusage.Measure(ctx, infos, diskusage.Options{
		CacheDir: a.CacheDir(),
		Progress: func(done, total int) { bar.At(int64(done), int64(total), humanize.Number) },
		Skipped:  func(path string, err error) { a.Note("note: skipped %s: %v", path, lookup.Cause(err)) },
	})
	bar.Done()
	if err != nil {
		return err
	}
	r := newWeighing(infos, weights)
	if len(refs) == 0 && f.All && f.Project == "" {
		a.weighLeftovers(ctx, r)
	}
	switch {
	case f.json:
		return a.Out.JSON(r.record())
	case r.total.Total() == 0:
		if f.All || !a.HasAny(ctx) {
			a.NoteNoSessions()
		} else {
			a.Note("no sessions in this project; all projects: %s", a.Hint("du", "--all"))
		}
	default:
		a.printWeighing(ctx, r, f)
	}
	return nil
}

// weighLeftovers adds the leftovers of deleted sessions in their directories.
func (a *Commands) weighLeftovers(ctx context.Context, r *weighing) {
	var left diskusage.Share
	for _, root := range catalog.Roots(a.Listing(), a.Env.Here()) {
		for _, found := range doctor.Leftovers(ctx, root.Dir, doctor.Options{}) {
			if info, err := os.Lstat(found.File); err == nil {
				left.Count++
				left.Bytes += info.Size()
			}
		}
	}
	if left.Count == 0 {
		return
	}
	r.total[diskusage.Backups].Count += left.Count
	r.total[diskusage.Backups].Bytes += left.Bytes
	a.Note("%s in %s left behind by deleted sessions: %s", humanize.Bytes(left.Bytes), humanize.Count(left.Count, "file"), a.Hint("doctor", "--all", "--only", "leftover"))
}

// weighable returns the requested sessions.
func (a *Commands) weighable(ctx context.Context, refs []string, f duFlags) ([]catalog.Info, error) {
	if len(refs) > 0 {
		found, err := a.LocateAll(ctx, refs)
		if err != nil {
			return nil, err
		}
		return a.Facts(ctx, found)
	}
	infos, err := a.List(ctx, f.Everywhere(), true)
	of := a.Within(&f.Scope)
	return slices.DeleteFunc(infos, func(i catalog.Info) bool { return !of(i.Cwd) }), err
}

// A weighed is a session or a project with its weight.
type weighed struct {
	label    string
	info     *catalog.Info // nil for a project
	sessions int
	diskusage.Weight
}

// A weighing contains all weights, the heaviest first.
type weighing struct {
	total              diskusage.Weight
	sessions, projects []weighed
}

func newWeighing(infos []catalog.Info, weights []diskusage.Weight) *weighing {
	r := &weighing{}
	for i := range infos {
		r.total.Add(&weights[i])
		r.sessions = append(r.sessions, weighed{label: infos[i].Title(), info: &infos[i], sessions: 1, Weight: weights[i]})
	}
	for _, p := range project.Group(infos, project.Options{}) {
		w := weighed{label: p.Dir, sessions: len(p.Sessions)}
		for _, i := range p.Sessions {
			w.Add(&weights[i])
		}
		r.projects = append(r.projects, w)
	}
	heaviest := func(a, b weighed) int { return cmp.Compare(b.Total(), a.Total()) }
	slices.SortStableFunc(r.sessions, heaviest)
	slices.SortStableFunc(r.projects, heaviest)
	return r
}

// weighingRecord is a weighing in JSON, as docs/reference/json.md describes it.
type weighingRecord struct {
	Size     int64          `json:"size"`
	Kinds    []kindRecord   `json:"kinds"`
	Sessions []weightRecord `json:"sessions"`
	Projects []weightRecord `json:"projects"`
}

type kindRecord struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
	Bytes int64  `json:"bytes"`
}

type weightRecord struct {
	ID       *view.Text   `json:"id,omitempty"`
	Path     *view.Text   `json:"path,omitempty"`
	Title    *view.Text   `json:"title,omitempty"`
	Cwd      view.Text    `json:"cwd"`
	Sessions int          `json:"sessions"`
	Size     int64        `json:"size"`
	Kinds    []kindRecord `json:"kinds"`
}

func kindRecords(w *diskusage.Weight) []kindRecord {
	out := []kindRecord{}
	for _, k := range diskusage.Kinds() {
		out = append(out, kindRecord{k.String(), w[k].Count, w[k].Bytes})
	}
	return out
}

func (r *weighing) record() weighingRecord {
	out := weighingRecord{Size: r.total.Total(), Kinds: kindRecords(&r.total), Sessions: []weightRecord{}, Projects: []weightRecord{}}
	for i := range r.sessions {
		w := &r.sessions[i]
		out.Sessions = append(out.Sessions, weightRecord{
			new(view.Text(w.info.ID)), new(view.Text(w.info.Path)), new(view.Text(w.label)), view.Text(w.info.Cwd), 1, w.Total(), kindRecords(&w.Weight),
		})
	}
	for i := range r.projects {
		w := &r.projects[i]
		out.Projects = append(out.Projects, weightRecord{Cwd: view.Text(w.label), Sessions: w.sessions, Size: w.Total(), Kinds: kindRecords(&w.Weight)})
	}
	return out
}

var kindWords = map[diskusage.Kind]string{
	diskusage.Images: "images", diskusage.ToolOutput: "tool output", diskusage.ToolCalls: "tool calls", diskusage.Thinking: "thinking", diskusage.Text: "text",
	diskusage.Summaries: "summaries", diskusage.Custom: "extensions", diskusage.Structure: "structure", diskusage.Damaged: "damaged", diskusage.Artifacts: "artifacts", diskusage.Backups: "backups",
}

func (a *Commands) printWeighing(ctx context.Context, r *weighing, f duFlags) {
	a.Out.Print(a.Colors.Bold(fmt.Sprintf("%s in %s", humanize.Bytes(r.total.Total()), humanize.Count(len(r.sessions), "session"))) + "\n\n")
	g := layout.Grid{Head: []string{"what", "count", "size", "share"}, Right: []bool{false, true, true, true}}
	kinds := diskusage.Kinds()
	slices.SortStableFunc(kinds, func(x, y diskusage.Kind) int { return cmp.Compare(r.total[y].Bytes, r.total[x].Bytes) })
	for _, k := range kinds {
		if s := r.total[k]; s.Count > 0 {
			g.Add(tone.None, kindWords[k], humanize.Number(int64(s.Count)), humanize.Bytes(s.Bytes), percent(s.Bytes, r.total.Total()))
		}
	}
	g.Print(a.Out, a.Colors, a.Width())
	if len(r.projects) > 1 {
		a.printWeights(ctx, "project", r.projects, f.limit)
	}
	if len(r.sessions) > 1 {
		a.printWeights(ctx, "session", r.sessions, f.limit)
	}
}

func percent(part, whole int64) string {
	return fmt.Sprintf("%.0f%%", 100*float64(part)/float64(max(whole, 1)))
}

// printWeights prints the heaviest of a list, with their largest kind.
func (a *Commands) printWeights(ctx context.Context, what string, list []weighed, limit int) {
	a.Out.Print("\n")
	g := layout.Grid{Head: []string{"size", what, "mostly"}, Right: []bool{true}, Flex: 1}
	if what == "session" {
		g.Head = append(g.Head, "id")
	}
	infos := []catalog.Info{}
	for i := range list {
		if list[i].info != nil {
			infos = append(infos, *list[i].info)
		}
	}
	short := a.ShortIDs(ctx, infos)
	for i := range list {
		if limit > 0 && i == limit {
			break
		}
		w := &list[i]
		label := termsafe.Fit(layout.Flatten(w.label), layout.TitleCells)
		if w.info == nil {
			label = termsafe.Line(cmp.Or(a.ShortPath(w.label), "unknown"))
		}
		cells := []string{humanize.Bytes(w.Total()), label, mostly(&w.Weight)}
		if w.info != nil {
			cells = append(cells, termsafe.Line(short[w.info.ID]))
		}
		g.Add(tone.None, cells...)
	}
	g.Print(a.Out, a.Colors, a.Width())
	if limit > 0 && len(list) > limit {
		a.Note("%d more of %s; --limit 0 lists all", len(list)-limit, humanize.Count(len(list), what))
	}
}

// mostly returns the kind that takes the most space, and its share.
func mostly(w *diskusage.Weight) string {
	most := diskusage.Kind(0)
	for _, k := range diskusage.Kinds() {
		if w[k].Bytes > w[most].Bytes {
			most = k
		}
	}
	if w[most].Bytes == 0 {
		return ""
	}
	return kindWords[most] + " " + percent(w[most].Bytes, w.Total())
}

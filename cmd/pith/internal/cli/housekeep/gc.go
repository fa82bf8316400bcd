package housekeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/project"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/internal/housekeeping/retention"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

type gcFlags struct {
	olderThan, maxSize              string
	keep                            int
	empty, named, dryRun, yes, json bool
}

func (a *Commands) Gc() *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Move old, empty or too many sessions to the trash",
		Long: `Move sessions to the trash by rules, over all projects. Without --yes it only
says what would go. At least one rule is needed; a session goes if one of them
fits:

  --older-than AGE  it was last used longer ago
  --empty           nobody said anything in it
  --keep N          it is not among the N used last of its project; with other
                    rules, those N stay whatever these say
  --max-size SIZE   all together are larger; those not used for longest go first

Pinned and named sessions, those from which others were made, those used within
the last hour, and those in the folders of other programs stay. The artifacts of
a session, in the folder beside its file, go with it. What went is brought back
by pith restore.`,
		Example: `  pith gc --older-than 90d
  pith gc --empty --yes
  pith gc --older-than 1y --keep 20 --max-size 5GB`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.gc(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.olderThan, "older-than", "", "remove sessions last used before `AGE`: 12h, 90d, 3mo, 1y, or a date")
	cmd.Flags().IntVar(&f.keep, "keep", 0, "keep the `N` sessions used last of each project")
	cmd.Flags().BoolVar(&f.empty, "empty", false, "remove sessions in which nobody said anything")
	cmd.Flags().StringVar(&f.maxSize, "max-size", "", "remove sessions until all together are at most `SIZE`, like 5GB")
	cmd.Flags().BoolVar(&f.named, "named", false, "remove also sessions with a name")
	cmd.Flags().BoolVarP(&f.dryRun, "dry-run", "n", false, "only say what would go (the default)")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "do it")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	flags.Exclusive(cmd, "dry-run", "yes")
	return cmd
}

func (f *gcFlags) rules(a *Commands) (r retention.Rules, err error) {
	r = retention.Rules{Empty: f.empty, Keep: f.keep, Named: f.named, Now: a.Env.Now()}
	if r.Before, err = flags.Time("older-than", f.olderThan, r.Now, catalog.ParseMoment); err != nil {
		return r, err
	}
	if f.maxSize != "" && f.maxSize != "0" && strings.Trim(f.maxSize, "0123456789.") == "" {
		return r, exit.Usagef("--max-size %s has no unit, and %s bytes would remove nearly everything; write one like 5GB", f.maxSize, f.maxSize)
	}
	if r.MaxSize, err = flags.Size("max-size", f.maxSize); err != nil {
		return r, err
	}
	switch {
	case f.keep < 0:
		return r, exit.Usagef("--keep %d: use 1 or more", f.keep)
	case f.maxSize != "" && r.MaxSize == 0:
		return r, exit.Usagef("--max-size %q would remove everything; name sessions with pith rm", f.maxSize)
	case !r.Any():
		return r, exit.Usagef("what may go? give --older-than, --keep, --empty or --max-size")
	}
	return r, nil
}

func (a *Commands) gc(ctx context.Context, f gcFlags) error {
	rules, err := f.rules(a)
	if err != nil {
		return err
	}
	// Pins must be known before anything is removed.
	marks, err := a.OpenMarks()
	if err != nil {
		return err
	}
	infos, err := a.List(ctx, true, true)
	if err != nil {
		return err
	}
	number := make([]int, len(infos))
	for n, p := range project.Group(infos, project.Options{}) {
		for _, i := range p.Sessions {
			number[i] = n
		}
	}
	whole := withArtifacts(infos)
	plan := retention.Choose(whole, rules, func(i int) int { return number[i] }, func(i int) bool { return marks.Of(infos[i].ID).Pinned })
	c := collection{Commands: a, infos: infos, whole: whole, plan: plan, removed: map[int]trash.Receipt{}}
	if f.yes {
		err = c.remove(ctx)
	}
	if f.json {
		return errors.Join(a.Out.JSON(c.record(!f.yes)), err)
	}
	if err == nil || len(c.removed) > 0 {
		c.print(f)
	}
	return err
}

// withArtifacts returns sessions as rules see them: as large as their files and
// artifacts together, and in use if something is written to either.
func withArtifacts(infos []catalog.Info) []catalog.Info {
	whole := slices.Clone(infos)
	for i := range whole {
		beside := trash.Measure(whole[i].Path)
		whole[i].Size += beside.Bytes
		if beside.Latest.After(whole[i].FileTime) {
			whole[i].FileTime = beside.Latest
		}
	}
	return whole
}

// A collection is one run of gc.
type collection struct {
	*Commands
	infos   []catalog.Info // as listed
	whole   []catalog.Info // with their artifacts
	plan    retention.Plan
	removed map[int]trash.Receipt
	freed   int64
}

// remove moves the sessions that the plan selects to the trash. A session that
// changed since it was listed stays.
func (c *collection) remove(ctx context.Context) error {
	o, err := c.Trash()
	if err != nil {
		return err
	}
	for _, i := range c.plan.Goes() {
		if err := ctx.Err(); err != nil {
			return err
		}
		s := &c.infos[i]
		now, err := os.Lstat(s.Path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !now.Mode().IsRegular() || now.Size() != s.Size || !now.ModTime().Equal(s.FileTime) {
			c.Note("note: %s was changed meanwhile and stays", s.Path)
			continue
		}
		r, err := trash.Put(s.Path, o)
		if r.ID != "" {
			c.removed[i] = r
			c.freed += c.whole[i].Size
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *collection) print(f gcFlags) {
	g := layout.Grid{Head: []string{"used", "size", "why", "session", "project"}, Right: []bool{false, true}, Flex: 3}
	n := 0
	for _, v := range c.plan.Verdicts {
		_, gone := c.removed[v.Session]
		if v.Stays != "" || f.yes && !gone {
			continue
		}
		n++
		s := &c.whole[v.Session]
		g.Add(tone.None, c.When(s.Modified), humanize.Bytes(s.Size), string(v.Why), termsafe.Fit(layout.Flatten(s.Title()), layout.TitleCells), termsafe.Line(cmp.Or(c.Homely(s.Cwd), "unknown")))
	}
	if n > 0 {
		g.Print(c.Out, c.Colors, c.Width())
	}
	if kept := c.kept(); kept != "" {
		c.Note("kept although a rule fits: %s", kept)
	}
	if c.plan.Short > 0 {
		c.Note("what must stay is %s larger than --max-size", humanize.Bytes(c.plan.Short))
	}
	switch {
	case n == 0:
		c.Note("nothing to remove among %s", humanize.Count(len(c.infos), "session"))
	case f.yes:
		c.Note("moved %s, %s, to the trash; pith restore lists it", humanize.Count(n, "session"), humanize.Bytes(c.freed))
	default:
		c.Note("would move %s, %s of %s, to the trash; do it with %s", humanize.Count(n, "session"), humanize.Bytes(c.plan.Freed), humanize.Bytes(c.plan.Size), c.Hint(f.arguments("--yes")...))
	}
}

// kept returns how many sessions stay although a rule selects them, and why.
func (c *collection) kept() string {
	counts := map[retention.Reason]int{}
	for _, v := range c.plan.Verdicts {
		counts[v.Stays]++
	}
	var list []string
	for _, r := range []retention.Reason{retention.Pinned, retention.Named, retention.Parent, retention.Used, retention.Youngest, retention.Foreign} {
		if n := counts[r]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, stayWords[r]))
		}
	}
	return strings.Join(list, ", ")
}

var stayWords = map[retention.Reason]string{
	retention.Pinned: "pinned", retention.Named: "named", retention.Parent: "with children", retention.Used: "in use",
	retention.Youngest: "used last of their project", retention.Foreign: "of other programs",
}

// arguments returns the flags as on a command line.
func (f *gcFlags) arguments(more ...string) []string {
	args := []string{"gc"}
	if f.olderThan != "" {
		args = append(args, "--older-than", f.olderThan)
	}
	if f.keep > 0 {
		args = append(args, "--keep", strconv.Itoa(f.keep))
	}
	if f.maxSize != "" {
		args = append(args, "--max-size", f.maxSize)
	}
	if f.empty {
		args = append(args, "--empty")
	}
	if f.named {
		args = append(args, "--named")
	}
	return append(args, more...)
}

// collectionRecord is a run of gc in JSON, as docs/reference/json.md describes it.
type collectionRecord struct {
	DryRun   bool            `json:"dryRun"`
	Size     int64           `json:"size"`
	Freed    int64           `json:"freed"`
	Short    int64           `json:"short"`
	Sessions []verdictRecord `json:"sessions"`
}

type verdictRecord struct {
	ID       view.Text  `json:"id"`
	Path     view.Text  `json:"path"`
	Size     int64      `json:"size"`
	Modified view.Time  `json:"modified"`
	Why      string     `json:"why"`
	Stays    *view.Text `json:"stays"`
	Item     *view.Text `json:"item"`
}

func (c *collection) record(dryRun bool) collectionRecord {
	r := collectionRecord{DryRun: dryRun, Size: c.plan.Size, Freed: c.freed, Short: c.plan.Short, Sessions: []verdictRecord{}}
	if dryRun {
		r.Freed = c.plan.Freed
	}
	for _, v := range c.plan.Verdicts {
		s := &c.whole[v.Session]
		r.Sessions = append(r.Sessions, verdictRecord{
			view.Text(s.ID), view.Text(s.Path), s.Size, view.Time{Time: s.Modified}, string(v.Why), view.TextOrNull(string(v.Stays)),
			view.TextOrNull(c.removed[v.Session].ID),
		})
	}
	return r
}

package housekeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/internal/housekeeping/retention"
)

type gcFlags struct {
	olderThan, maxTotal string
	keep                int
	empty, named, yes   bool
	given               flags.Given
}

func (a *Commands) Gc() *cobra.Command {
	var f gcFlags
	cmd := &cobra.Command{
		Use:   "gc",
		Short: "Move old or empty sessions to the trash",
		Long: `Move the sessions of all projects that match a rule to the trash. Without --yes,
only show which ones. At least one rule is required:

  --older-than AGE   last used before AGE
  --empty            no messages
  --keep N           not among the N most recent of their project; with other
                     rules, always keep those N
  --max-total SIZE   least recently used first, until the rest fits in SIZE

Sessions that are pinned, named, the parent of another session, used within the
last hour, or owned by another program are kept; with --source, sessions of the
agents named there go too. Artifacts go to the trash with their session. pith
trash restore undoes it. Unfinished files that killed commands left more than a
day ago are deleted.`,
		Example: `  pith gc --older-than 90d
  pith gc --empty --yes
  pith gc --source claude --older-than 60d
  pith gc --older-than 1y --keep 20 --max-total 5GB`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.given = flags.Of(cmd)
			return a.gc(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&f.olderThan, "older-than", "", "remove sessions last used before `AGE`: 12h, 90d, 3mo, 1y, or a date")
	cmd.Flags().IntVar(&f.keep, "keep", 0, "keep the `N` most recent sessions of each project")
	cmd.Flags().BoolVar(&f.empty, "empty", false, "remove sessions without messages")
	cmd.Flags().StringVar(&f.maxTotal, "max-total", "", "remove sessions until the rest takes at most `SIZE`, like 5GB")
	cmd.Flags().BoolVar(&f.named, "include-named", false, "also remove sessions with a name")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "move them to the trash")
	a.AddSources(cmd)
	return cmd
}

func (f *gcFlags) rules(a *Commands) (r retention.Rules, err error) {
	r = retention.Rules{Empty: f.empty, Keep: f.keep, Named: f.named, Now: a.Env.Now(), Agents: slices.DeleteFunc(slices.Clone(a.Sources), func(name string) bool { return ops.AgentTitle(name) == "" })}
	if r.Before, err = flags.Time("older-than", f.olderThan, r.Now); err != nil {
		return r, err
	}
	if f.maxTotal != "" && f.maxTotal != "0" && strings.Trim(f.maxTotal, "0123456789.") == "" {
		return r, exit.Usagef("invalid --max-total %s: add a unit, as in 5GB", f.maxTotal)
	}
	if r.MaxSize, err = flags.Size("max-total", f.maxTotal); err != nil {
		return r, err
	}
	switch {
	case f.keep < 0:
		return r, exit.Usagef("invalid --keep %d: use 1 or more", f.keep)
	case f.maxTotal != "" && r.MaxSize == 0:
		return r, exit.Usagef("invalid --max-total %q: it would remove everything; to remove sessions by name, use pith rm", f.maxTotal)
	case !r.Any():
		return r, exit.Usagef("specify at least one of --older-than, --keep, --empty, --max-total")
	}
	return r, nil
}

func (a *Commands) gc(ctx context.Context, f gcFlags) error {
	rules, err := f.rules(a)
	if err != nil {
		return err
	}
	if err := errors.Join(a.CheckSessionDir(), a.CheckSources()); err != nil {
		return err
	}
	r, err := ops.Collect(ctx, a.App(), ops.CollectParams{Rules: rules, DryRun: !f.yes})
	if r == nil {
		return err
	}
	for _, file := range slices.Sorted(maps.Keys(r.Kept)) {
		a.Note("note: kept %s: %v", file, r.Kept[file])
	}
	c := collection{a, r}
	if a.JSON {
		return errors.Join(a.Out.JSON(c.record(!f.yes)), err)
	}
	if err == nil || len(r.Removed) > 0 {
		c.print(f)
	}
	return err
}

// A collection is one run of gc.
type collection struct {
	*Commands
	*ops.Collected
}

func (c *collection) print(f gcFlags) {
	g := layout.Grid{Head: []string{"used", "size", "why", "session", "project"}, Right: []bool{false, true}, Flex: 3}
	n := 0
	for _, v := range c.Plan.Verdicts {
		_, gone := c.Removed[v.Session]
		if v.Stays != "" || f.yes && !gone {
			continue
		}
		n++
		s := &c.Among[v.Session]
		g.Add(tone.None, c.When(s.Modified), humanize.Bytes(s.Size), string(v.Why), termsafe.Fit(layout.Flatten(s.Title()), layout.TitleCells), termsafe.Line(cmp.Or(c.ShortPath(s.Cwd), "unknown")))
	}
	if n > 0 {
		g.Print(c.Out, c.Colors, c.Width())
	}
	if kept := c.kept(); kept != "" {
		c.Note("kept: %s", kept)
	}
	if c.Plan.Short > 0 {
		c.Note("the sessions to keep exceed --max-total by %s", humanize.Bytes(c.Plan.Short))
	}
	if left := len(c.Leftovers); left > 0 && f.yes {
		c.Note("deleted %s that killed commands left", humanize.Count(left, "unfinished file"))
	} else if left > 0 {
		c.Note("would delete %s that killed commands left", humanize.Count(left, "unfinished file"))
	}
	switch {
	case n == 0:
		c.Note("nothing to remove in %s", humanize.Count(len(c.Among), "session"))
	case f.yes:
		c.Note("moved %s (%s) to the trash; pith trash lists it", humanize.Count(n, "session"), humanize.Bytes(c.Freed))
	default:
		c.Note("would move %s (%s of %s) to the trash; to do it: %s", humanize.Count(n, "session"), humanize.Bytes(c.Plan.Freed), humanize.Bytes(c.Plan.Size), c.Hint(f.given.Only("older-than", "keep", "max-total", "empty", "include-named", "source").With("yes", "").Arguments("gc")...))
	}
}

// kept returns how many sessions stay although a rule selects them, and why.
func (c *collection) kept() string {
	counts := map[retention.Reason]int{}
	for _, v := range c.Plan.Verdicts {
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
	retention.Pinned: "pinned", retention.Named: "named", retention.Parent: "with forks", retention.Used: "in use",
	retention.Youngest: "most recent of their project", retention.Foreign: "owned by other programs",
}

// collectionRecord is a run of gc in JSON, as docs/reference/json.md describes it.
type collectionRecord struct {
	DryRun bool  `json:"dryRun"`
	Size   int64 `json:"size"`
	Freed  int64 `json:"freed"`
	Short  int64 `json:"short"`
	// Leftovers is the number of unfinished files that were deleted.
	Leftovers int             `json:"leftovers"`
	Sessions  []verdictRecord `json:"sessions"`
}

type verdictRecord struct {
	ID       string    `json:"id"`
	Path     string    `json:"path"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Why      string    `json:"why"`
	Stays    string    `json:"stays" empty:"null"`
	Item     string    `json:"item" empty:"null"`
}

func (c *collection) record(dryRun bool) collectionRecord {
	r := collectionRecord{DryRun: dryRun, Size: c.Plan.Size, Freed: c.Freed, Short: c.Plan.Short, Leftovers: len(c.Leftovers), Sessions: []verdictRecord{}}
	if dryRun {
		r.Freed = c.Plan.Freed
	}
	for _, v := range c.Plan.Verdicts {
		s := &c.Among[v.Session]
		r.Sessions = append(r.Sessions, verdictRecord{
			s.ID, cmp.Or(ops.Original(s.Path), s.Path), s.Size, s.Modified, string(v.Why), string(v.Stays),
			c.Removed[v.Session].ID,
		})
	}
	return r
}

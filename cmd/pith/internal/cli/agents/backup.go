package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/backup"
)

type backupFlags struct {
	sources  []string
	watch    bool
	interval time.Duration
	at, to   string // of restore
}

func (a *Commands) Backup() *cobra.Command {
	var f backupFlags
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Back up the sessions of other agents",
		Long: `Copy the sessions of other agents, byte for byte and compressed, to pith's data
directory, before those agents delete them. Only new data is copied. If an
original is deleted, pith lists, shows and imports the session from its backup.`,
		Example: `  pith backup
  pith backup --source claude,gemini
  pith backup --watch`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.backup(cmd.Context(), &f) },
	}
	a.backupSources(cmd, &f)
	cmd.Flags().BoolVar(&f.watch, "watch", false, "repeat until Ctrl+C")
	cmd.Flags().DurationVar(&f.interval, "interval", 5*time.Minute, "with --watch: the `TIME` between runs")
	list := &cobra.Command{
		Use:   "list [SESSION]...",
		Short: "List the backed-up sessions, or the copies of some",
		Long: `List the backed-up sessions: agent, last change, whether the original still
exists, and ID. With SESSION, list the copies of its files: agent, time of
the file, size and path. A file that was rewritten has several.`,
		Example: "  pith backup list --source claude\n  pith backup list 1f0c9a3e",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.backupList(cmd.Context(), args, &f) },
	}
	restore := &cobra.Command{
		Use:   "restore [SESSION]...",
		Short: "Restore files to their original location",
		Long: `Restore files to their original location: those of the given sessions, or all
whose originals are gone. Nothing is overwritten. SESSION is an ID from
pith backup list, or its start.

With --at, restore files as they were at a time, and with --to put them into a
directory of their own: pith backup list SESSION shows which copies there are.`,
		Example: "  pith backup restore 1f0c9a3e\n  pith backup restore --source claude\n  pith backup restore 1f0c9a3e --at 2026-11-17T01:49:54 --to before",
		Args:    cobra.ArbitraryArgs,
		RunE:    func(cmd *cobra.Command, args []string) error { return a.backupRestore(cmd.Context(), args, &f) },
	}
	restore.Flags().StringVar(&f.at, "at", "", "restore files as they were at `TIME`: 2026-01-31, 2026-01-31T15:04:05, or an age like 7d")
	restore.Flags().StringVar(&f.to, "to", "", "put files below the directory `DIR`")
	_ = restore.MarkFlagDirname("to") // the flag was just made
	a.backupSources(list, &f)
	a.backupSources(restore, &f)
	cmd.AddCommand(list, restore)
	return cmd
}

func (a *Commands) backupSources(cmd *cobra.Command, f *backupFlags) {
	cmd.Flags().StringSliceVar(&f.sources, "source", nil, "only sessions of this `AGENT`, or of several: "+strings.Join(programNames(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("source", cobra.FixedCompletions(programNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

// programs returns the programs that --source names, or all without it.
func (f *backupFlags) programs() ([]sources.Program, error) {
	if len(f.sources) == 0 {
		return all.Programs(), nil
	}
	var out []sources.Program
	for _, name := range f.sources {
		p, ok := all.Find(name)
		if !ok {
			return nil, exit.Usagef("unknown agent %q; use %s", name, strings.Join(programNames(), ", "))
		}
		out = append(out, p)
	}
	return out, nil
}

func (a *Commands) backup(ctx context.Context, f *backupFlags) error {
	programs, err := f.programs()
	if err != nil {
		return err
	}
	if f.interval <= 0 {
		return exit.Usagef("invalid --interval: use more than 0")
	}
	dir, err := a.DataDir("backup")
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		err := a.backUp(ctx, dir, programs, first)
		if !f.watch || ctx.Err() != nil {
			return err
		}
		if err != nil {
			a.Note("note: %v", lookup.Shorten(err))
		}
		if err := a.Out.Flush(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(f.interval):
		}
	}
}

// backUp copies new files. With tellNothing it reports if there are none.
func (a *Commands) backUp(ctx context.Context, dir string, programs []sources.Program, tellNothing bool) error {
	env := a.Environment()
	var failed []error
	found := false
	for _, p := range programs {
		for _, root := range p.Roots(sources.Environment{Home: env.HomeDir(), Getenv: env.Var}) {
			if _, err := os.Stat(root); err != nil {
				continue // usual: the program is not installed
			}
			found = true
			r, err := backup.Open(dir, p, root).Update(ctx, root)
			failed = append(failed, err)
			if cause := context.Cause(ctx); cause != nil {
				return cause
			}
			switch {
			case r.Files > 0:
				a.Out.Print(fmt.Sprintf("%s: %s, %s copied (%s)\n", p.Title(), humanize.Count(r.Sessions, "session"), humanize.Count(r.Files, "file"), humanize.Bytes(r.Bytes)))
			case tellNothing && err == nil:
				a.Out.Print(fmt.Sprintf("%s: %s, nothing new\n", p.Title(), humanize.Count(r.Sessions, "session")))
			}
		}
	}
	if !found && tellNothing {
		a.Note("no sessions of other agents found")
	}
	return errors.Join(failed...)
}

// vaults calls each for the vaults of the programs that --source names.
func (a *Commands) vaults(f *backupFlags, each func(v *backup.Vault) error) error {
	programs, err := f.programs()
	if err != nil {
		return err
	}
	dir, err := a.DataDir("backup")
	if err != nil {
		return err
	}
	var failed []error
	found := false
	for _, p := range programs {
		for _, v := range backup.All(dir, p) {
			found = true
			failed = append(failed, each(v))
		}
	}
	if !found {
		return exit.Missingf("no backups yet; run pith backup")
	}
	return errors.Join(failed...)
}

func (a *Commands) backupList(ctx context.Context, refs []string, f *backupFlags) error {
	matched := map[string]bool{}
	err := a.vaults(f, func(v *backup.Vault) error {
		x, err := v.Index()
		if err != nil {
			return err
		}
		if len(refs) > 0 {
			a.listCopies(v, x, named(refs, matched))
			return nil
		}
		missing := v.Missing(ctx, x)
		for _, id := range slices.Sorted(maps.Keys(x.Sessions)) {
			state := "exists"
			if missing[id] {
				state = "deleted"
			}
			a.Out.Print(termsafe.Line(fmt.Sprintf("%-8s  %s  %-7s  %s", v.Program.Name(), humanize.Time(x.Sessions[id].Modified), state, id)) + "\n")
		}
		return nil
	})
	return cmp.Or(err, unmatched(refs, matched))
}

// listCopies prints the copies of the files that are wanted, the newest of each first.
func (a *Commands) listCopies(v *backup.Vault, x *backup.Index, want func(name string) bool) {
	for _, name := range slices.Sorted(maps.Keys(x.Files)) {
		if !want(name) {
			continue
		}
		for _, c := range slices.Backward(x.Files[name]) {
			at := c.Modified.In(a.Env.Now().Location()).Format("2006-01-02T15:04:05")
			a.Out.Print(termsafe.Line(fmt.Sprintf("%-8s  %s  %7s  %s", v.Program.Name(), at, humanize.Bytes(c.Size), a.ShortPath(x.Original(name)))) + "\n")
		}
	}
}

// named returns a function that reports whether one of the references names a file, and
// notes which do. Without references every file is named.
func named(refs []string, matched map[string]bool) func(name string) bool {
	return func(name string) bool {
		wanted := len(refs) == 0
		for _, ref := range refs {
			if backup.Named(name, ref) {
				matched[ref], wanted = true, true
			}
		}
		return wanted
	}
}

// unmatched returns an error about the first reference that names no file.
func unmatched(refs []string, matched map[string]bool) error {
	for _, ref := range refs {
		if !matched[ref] {
			return exit.Missingf("no backup of session %s; pith backup list lists them", ref)
		}
	}
	return nil
}

func (a *Commands) backupRestore(ctx context.Context, refs []string, f *backupFlags) error {
	restored, differing := 0, 0
	matched := map[string]bool{}
	at, err := flags.Time("at", f.at, a.Env.Now(), catalog.ParseEnd)
	if err != nil {
		return err
	}
	o := backup.Restore{Want: named(refs, matched), At: at}
	if f.to != "" {
		if o.To, err = a.Directory(f.to); err != nil {
			return err
		}
	}
	err = a.vaults(f, func(v *backup.Vault) error {
		return v.Restore(ctx, o, func(path string, s backup.State) {
			switch s {
			case backup.Restored:
				restored++
			case backup.Differs:
				differing++
				a.Note("not restored: %s exists and differs from the backup", termsafe.Line(a.ShortPath(path)))
			}
		})
	})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err == nil {
		err = unmatched(refs, matched)
	}
	if restored > 0 || err == nil && differing == 0 {
		a.Out.Print(humanize.Count(restored, "file") + " restored\n")
	}
	return err
}

package firststeps

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/samples"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/sessiondir"
)

func (a *Commands) Demo() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Write sample sessions and list commands to try",
		Long: `Write sample sessions to a directory of their own, by default in pith's data
directory, and print commands to try on them. Your own sessions are not touched.
Samples that you have changed are kept.`,
		Example: `  pith demo
  pith demo /tmp/pith-demo`,
		Args:              flags.Takes(0, 1, 1),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.demo(cmd.Context(), args, a.JSON) },
	}
	return cmd
}

type demoRecord struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	File        string `json:"path"`
	State       string `json:"state"` // written, there or changed
}

func (a *Commands) demo(ctx context.Context, args []string, asJSON bool) error {
	dir, err := a.demoDir(args)
	if err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return exit.Usagef("%s is not a directory", dir)
	}
	all, err := samples.In(dir)
	if err != nil {
		return err
	}
	var records []demoRecord
	for _, d := range all {
		file := filepath.Join(dir, d.File)
		state, err := d.Write(ctx, dir)
		if err != nil {
			return fmt.Errorf("write the sample %s: %w", d.Name, err)
		}
		records = append(records, demoRecord{d.Name, d.Description, file, state})
	}
	if asJSON {
		return a.Out.JSON(struct {
			Dir      string       `json:"dir"`
			Sessions []demoRecord `json:"sessions"`
		}{dir, records})
	}
	a.printDemo(dir, all, records)
	return nil
}

func (a *Commands) demoDir(args []string) (string, error) {
	if len(args) == 0 {
		return a.DataDir("demo")
	}
	if filepath.IsAbs(args[0]) {
		return filepath.Clean(args[0]), nil
	}
	cwd, err := a.Cwd()
	if err != nil {
		return "", err
	}
	return sessiondir.ExpandPath(args[0], cwd), nil
}

// FirstContact prints the demo sessions and three commands to try on them, for a user
// who has no sessions. print prints a list of sessions.
func (a *Commands) FirstContact(ctx context.Context, print func(context.Context, []catalog.Info, bool) []catalog.Info) error {
	write := a.Sessions.Demo()
	if write == nil {
		a.NoteNoSessions()
		return nil
	}
	o, err := write(ctx)
	if err != nil {
		a.Note("no sessions found; %v; to choose another directory: pith demo DIR", err)
		return nil
	}
	a.SessionDir = o.Dir
	list, err := ops.ListAll(ctx, a.App(), ops.ListAllParams{Text: new(bool)})
	if err != nil {
		return err
	}
	a.Out.Print("Demo: you have no sessions yet. These are sample sessions.\n\n")
	print(ctx, list.Sessions, true)
	a.Out.Print("\nTry:\n")
	all, err := samples.In(o.Dir)
	if err != nil {
		return err
	}
	a.printTries(all, firstTries)
	return nil
}

// A try is a command that pith demo suggests. A word in braces is the ID of a sample.
type try struct {
	shows string // "" for the same as the one before
	args  []string
}

var tries = []try{
	{"Browse them in the terminal app", nil},
	{"List the sessions of all projects", []string{"ls", "--all"}},
	{"Search messages, tool calls and results", []string{"search", "slow mail server"}},
	{"See the branches of a session: two attempts, one abandoned", []string{"tree", "{bug-hunt}"}},
	{"Read a conversation with thinking, failing tools and diffs", []string{"show", "{layout}"}},
	{"See what the model saw after a compaction", []string{"context", "{refactoring}"}},
	{"Read a Claude Code session, and find the password in it", []string{"show", "{claude-deploy}"}},
	{"", []string{"secrets", "--all"}},
	{"See what a damaged file lost, and how to repair it", []string{"doctor", "{damaged}"}},
	{"Preview the upgrade of an old file", []string{"doctor", "--dry-run", "{old-format}"}},
	{"Continue a session", []string{"append", "{japanese}", "続けてください"}},
}

// firstTries are those for users who have no sessions.
var firstTries = []try{
	{"Search messages, tool calls and results", []string{"search", "slow mail server"}},
	{"See the branches of a session: two attempts, one abandoned", []string{"tree", "{bug-hunt}"}},
	{"Read a Claude Code session", []string{"show", "{claude-deploy}"}},
}

func (a *Commands) printDemo(dir string, all []samples.Sample, records []demoRecord) {
	a.Out.Printf("%d sample sessions in %s\n\n", len(records), termsafe.Line(dir))
	for _, r := range records {
		a.Out.Printf("  %s  %s\n", a.Colors.Bold(termsafe.Pad(r.Name, 14)), r.Description)
	}
	a.SessionDir = dir
	a.Out.Print("\nTry:\n")
	a.printTries(all, tries)
	for _, r := range records {
		if r.State == "changed" {
			a.Note("note: kept %s, which has changed; to get the sample again, delete the file and rerun pith demo", r.File)
		}
	}
}

// printTries prints commands with what they show.
func (a *Commands) printTries(all []samples.Sample, list []try) {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	short, named := ops.Shortest(ids), []string{}
	for i := range all {
		named = append(named, "{"+all[i].Name+"}", short[ids[i]])
	}
	fill := strings.NewReplacer(named...)
	for _, t := range list {
		args := slices.Clone(t.args)
		for i := range args {
			args[i] = fill.Replace(args[i])
		}
		if t.shows != "" {
			a.Out.Print("\n  " + t.shows + ":\n")
		}
		a.Out.Print("    " + termsafe.Line(a.Hint(args...)) + "\n")
	}
}

package firststeps

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/samples"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

func (a *Commands) Demo() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "demo [DIR]",
		Short: "Write sample sessions into a folder and say what to try",
		Long: `Write a few rich sample sessions into a folder of their own, by default one
among pith's data, and print commands to try on them. Your own sessions are not
touched. A sample that was changed since is kept as it is.`,
		Example: `  pith demo
  pith demo /tmp/pith-demo`,
		Args:              flags.Takes(0, 1, 1),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.demo(cmd.Context(), args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

type demoRecord struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	File        view.Text `json:"path"`
	State       string    `json:"state"` // written, there or changed
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
		records = append(records, demoRecord{d.Name, d.Description, view.Text(file), state})
	}
	if asJSON {
		return a.Out.JSON(struct {
			Dir      view.Text    `json:"dir"`
			Sessions []demoRecord `json:"sessions"`
		}{view.Text(dir), records})
	}
	a.printDemo(dir, records)
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

func (a *Commands) printDemo(dir string, records []demoRecord) {
	a.Out.Printf("%d sample sessions in %s\n\n", len(records), termsafe.Line(dir))
	for _, r := range records {
		a.Out.Printf("  %s  %s\n", a.Colors.Bold(termsafe.Pad(r.Name, 14)), r.Description)
	}
	a.SessionDir = dir
	ids := demoIDs(records)
	a.Out.Print("\nTry:\n\n")
	for _, try := range [][]string{
		{}, // the app
		{"ls", "--all"},
		{"search", "slow mail server"},
		{"tree", ids["bug-hunt"]},
		{"show", ids["layout"]},
		{"context", ids["refactoring"]},
		{"show", ids["damaged"]},
		{"migrate", "--dry-run", ids["old-format"]},
		{"append", ids["japanese"], "続けてください"},
	} {
		a.Out.Print("  " + termsafe.Line(a.Hint(try...)) + "\n")
	}
	for _, r := range records {
		if r.State == "changed" {
			a.Note("note: %s was changed since and is kept as it is; remove it and run this again for a fresh one", string(r.File))
		}
	}
}

// demoIDs returns short ids of the samples, by name.
func demoIDs(records []demoRecord) map[string]string {
	ids := make([]string, len(records))
	for i, r := range records {
		_, ids[i], _ = format.ParseFileName(filepath.Base(string(r.File)))
	}
	short := catalog.ShortIDs(ids)
	out := map[string]string{}
	for i, r := range records {
		out[r.Name] = short[ids[i]]
	}
	return out
}

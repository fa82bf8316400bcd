package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
)

type lsFlags struct {
	all, json, internal bool
	limit               int
	limited             bool // --limit was given
}

func (a *app) lsCommand() *cobra.Command {
	var f lsFlags
	cmd := &cobra.Command{
		Use:     "ls",
		Aliases: []string{"list"},
		Short:   "List sessions, newest first",
		Long: `List the sessions of this project, or of all projects, newest first.

Newest is the one in which the user or the assistant said something last; a
rename does not count. On a terminal the table is as wide as the terminal and
shows the first 30 sessions; elsewhere it is complete.`,
		Example: `  pith ls
  pith ls --all --limit 50
  pith ls --all --json | jq -r '.[] | select(.messageCount > 100) | .path'`,
		Args: takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.limited = cmd.Flags().Changed("limit")
			return a.ls(cmd.Context(), f)
		},
	}
	cmd.Flags().BoolVarP(&f.all, "all", "a", false, "list the sessions of all projects")
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON array")
	cmd.Flags().IntVarP(&f.limit, "limit", "n", 0, "list at most `N` sessions (0: all)")
	cmd.Flags().BoolVar(&f.internal, "internal", false, "list also sessions that machinery made for itself")
	return cmd
}

// listLimit is how many sessions a terminal shows unless told otherwise.
const listLimit = 30

func (a *app) ls(ctx context.Context, f lsFlags) error {
	if f.limit < 0 {
		return usagef("--limit %d: use 0 or more; see pith ls --help", f.limit)
	}
	infos, err := a.sessions(ctx, f.all, f.internal)
	if err != nil {
		return err
	}
	limit := f.limit
	if !f.limited && a.out.terminal && !f.json {
		limit = listLimit
	}
	shown := len(infos)
	if limit > 0 {
		shown = min(shown, limit)
	}
	if f.json {
		return a.out.json(sessionRecords(infos[:shown]))
	}
	if len(infos) == 0 {
		return a.noSessions(ctx, f)
	}
	a.printSessions(infos, shown, f.all)
	if more := len(infos) - shown; more > 0 {
		a.note("%d more; see them all with %s", more, a.hint(lsArgs(f, "--limit", "0")...))
	}
	return nil
}

func lsArgs(f lsFlags, more ...string) []string {
	args := []string{"ls"}
	if f.all {
		args = append(args, "--all")
	}
	if f.internal {
		args = append(args, "--internal")
	}
	return append(args, more...)
}

// sessions are those of this project, or all, newest first. What cannot be read
// is told and passed over.
func (a *app) sessions(ctx context.Context, all, internal bool) ([]catalog.Info, error) {
	if err := a.checkSessionDir(); err != nil {
		return nil, err
	}
	o := a.listing()
	o.IncludeInternal = internal
	o.Skipped = func(path string, err error) { a.note("note: passed over %s: %v", path, cause(err)) }
	if all {
		return catalog.Sorted(catalog.ListAll(ctx, o))
	}
	cwd, err := a.cwd()
	if err != nil {
		return nil, err
	}
	return catalog.Sorted(catalog.List(ctx, cwd, o))
}

// checkSessionDir tells a folder without sessions from a misspelt one.
func (a *app) checkSessionDir() error {
	if a.sessionDir == "" {
		return nil
	}
	info, err := os.Stat(a.sessionDir)
	switch {
	case err != nil:
		return fmt.Errorf("session folder %s: %w", a.sessionDir, cause(err))
	case !info.IsDir():
		return usagef("--session-dir %s is not a folder", a.sessionDir)
	}
	return nil
}

// noSessions says that there is nothing to list, and what to do.
func (a *app) noSessions(ctx context.Context, f lsFlags) error {
	if f.all {
		a.note("no sessions found; make sample ones with pith demo")
		return nil
	}
	others, err := a.sessions(ctx, true, f.internal)
	if err != nil {
		return err
	}
	if len(others) == 0 {
		a.note("no sessions found; make sample ones with pith demo")
		return nil
	}
	a.note("no sessions of this project; %s of other projects: %s", grouped(int64(len(others))), a.hint("ls", "--all"))
	return nil
}

// A sessionRecord is one session in JSON, as docs/cli.md describes it.
type sessionRecord struct {
	Path          jsText  `json:"path"`
	ID            jsText  `json:"id"`
	Name          *jsText `json:"name"`
	Cwd           jsText  `json:"cwd"`
	ParentSession *jsText `json:"parentSession"`
	Created       *string `json:"created"`
	Modified      *string `json:"modified"`
	MessageCount  int     `json:"messageCount"`
	FirstMessage  jsText  `json:"firstMessage"`
	Model         *jsText `json:"model"`
	Size          int64   `json:"size"`
	Version       int     `json:"version"`
	Entries       int     `json:"entries"`
	Findings      int     `json:"findings"`
	Root          string  `json:"root"`
	Internal      bool    `json:"internal"`
}

func sessionRecords(infos []catalog.Info) []sessionRecord {
	out := make([]sessionRecord, len(infos))
	for i := range infos {
		s := &infos[i]
		out[i] = sessionRecord{
			Path: jsText(s.Path), ID: jsText(s.ID), Name: jsTextOrNull(s.Name), Cwd: jsText(s.Cwd),
			ParentSession: jsTextOrNull(s.ParentSession), Created: timeOrNull(s.Created), Modified: timeOrNull(s.Modified),
			MessageCount: s.MessageCount, FirstMessage: jsText(s.FirstMessage), Model: jsTextOrNull(s.Model),
			Size: s.Size, Version: s.Version, Entries: s.Entries, Findings: s.Findings, Root: s.Root, Internal: s.Internal,
		}
	}
	return out
}

// timeOrNull is a time as the format writes it; null when it is unknown.
func timeOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	s := format.FormatTime(t)
	return &s
}

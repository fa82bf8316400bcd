package list

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/digest"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/redact"
)

type digestFlags struct {
	lookup.Scope
	since, until string
	json         bool
}

// Digest returns the digest command.
func (a *Commands) Digest() *cobra.Command {
	var f digestFlags
	cmd := &cobra.Command{
		Use:   "digest",
		Short: "Summarize recent work by project",
		Long: `Summarize recent work as Markdown. For each project it lists the requests, the
changed files, the cost, and the sessions that are unfinished.

The digest needs no model. Secrets are redacted. Requests are those of the
current branch of each session; a request that a fork copied is listed once.`,
		Example: `  pith digest
  pith digest --since yesterday --here
  pith digest --since last-week --until last-week > week.md
  pith digest --json | jq '.projects[].sessions[] | select(.unfinished)'`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.digest(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.since, "since", "7d", "start `TIME`: 2026-01-31, 12h, 7d, yesterday, last-week")
	cmd.Flags().StringVar(&f.until, "until", "", "end `TIME`")
	a.AddScope(cmd, &f.Scope, "include", lookup.UsuallyAll)
	a.AddSources(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return cmd
}

func (a *Commands) digest(ctx context.Context, f digestFlags) error {
	now := a.Env.Now()
	since, err := flags.Time("since", f.since, now, catalog.ParseMoment)
	if err != nil {
		return err
	}
	until, err := flags.Time("until", f.until, now, catalog.ParseEnd)
	if err != nil {
		return err
	}
	sources := a.Sources
	if err := a.CheckSources(); err != nil {
		return err
	}
	a.Sources = nil // count a response that two agents have once, for the first
	all, err := a.List(ctx, true, true)
	if err != nil {
		return err
	}
	ledger, err := a.ledger(ctx, all)
	if err != nil {
		return err
	}
	within, err := a.usageOf(f.Scope)
	if err != nil {
		return err
	}
	var infos []catalog.Info
	for i := range all {
		if s := &all[i]; !s.Internal && digest.Used(s, since, until) && within(s.Cwd) && (len(sources) == 0 || slices.Contains(sources, s.Root)) {
			infos = append(infos, *s)
		}
	}
	hide, err := a.redactor(infos)
	if err != nil {
		return err
	}
	d, err := digest.Make(ctx, digest.Options{
		Since: since, Until: until, Sessions: infos, Ledger: ledger,
		Open: func(ctx context.Context, path string) (*pith.Session, error) {
			return a.Read(ctx, catalog.Ref{Path: path})
		},
		Redact:  func(text string) string { text, _ = hide.Text(text); return text },
		Skipped: func(path string, err error) { a.Note("note: skipped %s: %v", a.Homely(path), lookup.Cause(err)) },
	})
	if err != nil {
		return err
	}
	if f.json {
		return a.Out.JSON(d)
	}
	if d.Sessions == 0 {
		a.Note("no sessions were used in this time; use an earlier --since")
		return nil
	}
	a.printDigest(ctx, d, all)
	return nil
}

// redactor returns a redactor of this user's secrets in the projects of sessions.
func (a *Commands) redactor(infos []catalog.Info) (*redact.Redactor, error) {
	var projects []string
	for i := range infos {
		if cwd := infos[i].Cwd; cwd != "" && !slices.Contains(projects, cwd) {
			projects = append(projects, cwd)
		}
	}
	secrets, err := redact.Collect(redact.Sources{AgentDir: a.Environment().AgentDir(), Environ: os.Environ(), Projects: projects})
	if err != nil {
		a.Note("note: %v", err)
	}
	return redact.New(redact.Options{Secrets: secrets})
}

// mostFiles is the maximum number of files that are listed for a project.
const mostFiles = 20

func (a *Commands) printDigest(ctx context.Context, d *digest.Digest, all []catalog.Info) {
	short := a.ShortIDs(ctx, all)
	now := a.Env.Now()
	until := now
	if !d.Until.IsZero() {
		until = d.Until.Add(-1) // the last day that is included
	}
	a.Out.Printf("# %s to %s\n\n", d.Since.In(now.Location()).Format(time.DateOnly), until.In(now.Location()).Format(time.DateOnly))
	a.Out.Printf("%s in %s, %s\n", humanize.Count(d.Sessions, "session"), humanize.Count(len(d.Projects), "project"), spentText(d.Usage))
	for i := range d.Projects {
		p := &d.Projects[i]
		a.Out.Printf("\n## %s\n\n", layout.EscapeMarkdown(cmp.Or(a.Homely(string(p.Dir)), "Unknown project")))
		a.Out.Printf("%s, %s\n\n", humanize.Count(len(p.Sessions), "session"), spentText(p.Usage))
		for k := range p.Sessions {
			a.printDigestSession(&p.Sessions[k], short)
		}
		a.printDigestFiles(p)
	}
}

func (a *Commands) printDigestSession(s *digest.Session, short map[string]string) {
	state := ""
	if s.Unfinished {
		state = ", **" + unfinished(s.Status) + "**"
	}
	a.Out.Printf("- %s (%s, %s%s)\n", layout.EscapeMarkdown(string(s.Title)), layout.Code(short[string(s.ID)]), spentText(s.Usage), state)
	for _, r := range s.Requests {
		if len(s.Requests) > 1 || r.Text != s.Title {
			a.Out.Printf("  - %s\n", layout.EscapeMarkdown(string(r.Text)))
		}
	}
}

func (a *Commands) printDigestFiles(p *digest.Project) {
	if len(p.Files) == 0 {
		return
	}
	names := make([]string, 0, mostFiles)
	for _, name := range p.Files[:min(len(p.Files), mostFiles)] {
		names = append(names, layout.Code(a.Homely(string(name))))
	}
	more := ""
	if left := len(p.Files) - len(names); left > 0 {
		more = " and " + humanize.Count(left, "other")
	}
	a.Out.Printf("\nChanged: %s%s\n", strings.Join(names, ", "), more)
}

// unfinished states why a session is unfinished.
func unfinished(s catalog.Status) string {
	switch s {
	case catalog.StatusPending:
		return "no response yet"
	case catalog.StatusError:
		return "failed"
	}
	return string(s)
}

// spentText returns the cost, or the tokens if no cost was recorded.
func spentText(s format.Spent) string {
	if s.Cost == 0 && s.Tokens > 0 {
		return humanize.Short(s.Tokens) + " tokens"
	}
	return humanize.Dollars(s.Cost.Micros())
}

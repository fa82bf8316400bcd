package list

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/digest"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/redact"
)

type digestFlags struct {
	lookup.Scope
	askmodel.ModelFlags
	choice       userconfig.Choice
	since, until string
	json         bool
}

func (a *Commands) Digest() *cobra.Command {
	var f digestFlags
	cmd := &cobra.Command{
		Use:   "digest",
		Short: "Summarize recent work by project",
		Long: `Summarize recent work as Markdown. For each project it lists the requests, the
changed files, the cost, and the sessions that are unfinished.

The digest needs no model. With --summarizer, a model or a command writes a
summary on top of it. Secrets are redacted. Requests are those of the current
branch of each session; a request that a fork copied is listed once.`,
		Example: `  pith digest
  pith digest --since yesterday --here
  pith digest --since last-week --until last-week > week.md
  pith digest --summarizer model
  pith digest --json | jq '.projects[].sessions[] | select(.unfinished)'`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.choice, err = f.Choice(cmd); err != nil {
				return err
			}
			return a.digest(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&f.since, "since", "7d", "start `TIME`: 2026-01-31, 12h, 7d, yesterday, last-week")
	cmd.Flags().StringVar(&f.until, "until", "", "end `TIME`")
	a.AddScope(cmd, &f.Scope, "include", lookup.UsuallyAll)
	a.AddSources(cmd)
	f.AddSummarizer(cmd)
	f.AddModel(cmd)
	cmd.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	flags.Exclusive(cmd, "json", "summarizer")
	return cmd
}

func (a *Commands) digest(ctx context.Context, f digestFlags) error {
	now := a.Env.Now()
	spent, err := a.spending(ctx, f.since, f.until, now)
	if err != nil {
		return err
	}
	within, err := a.usageOf(f.Scope)
	if err != nil {
		return err
	}
	var infos []catalog.Info
	for i := range spent.sessions {
		if s := &spent.sessions[i]; !s.Internal && digest.Used(s, spent.since, spent.until) && within(s.Cwd) && (len(spent.sources) == 0 || slices.Contains(spent.sources, s.Root)) {
			infos = append(infos, *s)
		}
	}
	d, err := digest.Make(ctx, digest.Options{
		Since: spent.since, Until: spent.until, Sessions: infos, Ledger: spent.ledger,
		Open: func(ctx context.Context, path string) (*pith.Session, error) {
			return a.Read(ctx, catalog.Ref{Path: path})
		},
		Secrets: redact.Sources{AgentDir: a.Environment().AgentDir(), Environ: os.Environ()},
		Skipped: func(path string, err error) {
			if path == "" {
				a.Note("note: %v", err)
				return
			}
			a.Note("note: skipped %s: %v", a.ShortPath(path), lookup.Cause(err))
		},
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
	page := digestPage{shortPath: a.ShortPath, short: a.ShortIDs(ctx, spent.sessions)}
	text := page.text(d)
	a.Out.Print(page.title(d, now))
	if f.choice.Summarizer != "" && f.choice.Summarizer != summarize.NoModel {
		summary, err := a.summarizeDigest(ctx, f.choice, text)
		if err != nil {
			return err
		}
		a.Out.Printf("%s\n\n", termsafe.Text(summary))
	}
	a.Out.Print(text)
	return nil
}

// digestInstructions tell a summarizer what to do with a digest.
const digestInstructions = `The conversation above is a list of requests to coding agents, by project.
Summarize the work in at most ten sentences: what was done, and what is unfinished.
Write plain text without headings.`

func (a *Commands) summarizeDigest(ctx context.Context, c userconfig.Choice, text string) (string, error) {
	own := userconfig.Read(a.Environment(), a.Env.Here()) // without a directory, only the files of the user count
	summarizer, err := own.Summarizer(c)
	if err != nil {
		return "", err
	}
	var client llm.Client
	if c.Summarizer == summarize.ByModel {
		if client, err = own.Client(c, nil); err != nil {
			return "", err
		}
	}
	return summarizer(client).Summarize(ctx, compact.Prompt{Part: compact.History, Conversation: text, Instructions: digestInstructions, ReplaceInstructions: true})
}

type digestPage struct {
	strings.Builder
	shortPath func(path string) string
	short     map[string]string // ids of sessions to short ones
}

func (*digestPage) title(d *digest.Digest, now time.Time) string {
	until := now
	if !d.Until.IsZero() {
		until = d.Until.Add(-1) // the last day that is included
	}
	day := func(t time.Time) string { return t.In(now.Location()).Format(time.DateOnly) }
	return fmt.Sprintf("# %s to %s\n\n", day(d.Since.Time), day(until))
}

func (p *digestPage) text(d *digest.Digest) string {
	fmt.Fprintf(p, "%s in %s, %s\n", humanize.Count(d.Sessions, "session"), humanize.Count(len(d.Projects), "project"), digest.Spent(d.Usage))
	for i := range d.Projects {
		project := &d.Projects[i]
		fmt.Fprintf(p, "\n## %s\n\n", layout.EscapeMarkdown(cmp.Or(p.shortPath(string(project.Dir)), "Unknown project")))
		fmt.Fprintf(p, "%s, %s\n\n", humanize.Count(len(project.Sessions), "session"), digest.Spent(project.Usage))
		for k := range project.Sessions {
			p.session(&project.Sessions[k])
		}
		p.files(project.Files)
	}
	return p.String()
}

func (p *digestPage) session(s *digest.Session) {
	state := ""
	if s.Unfinished {
		state = ", **" + digest.State(s.Status) + "**"
	}
	fmt.Fprintf(p, "- %s (%s, %s%s)\n", layout.EscapeMarkdown(string(s.Title)), layout.Code(p.short[string(s.ID)]), digest.Spent(s.Usage), state)
	for _, r := range s.Requests {
		if len(s.Requests) > 1 || r.Text != s.Title {
			fmt.Fprintf(p, "  - %s\n", layout.EscapeMarkdown(string(r.Text)))
		}
	}
}

func (p *digestPage) files(list []view.Text) {
	if len(list) == 0 {
		return
	}
	names := make([]string, 0, digest.MostFiles)
	for _, name := range list[:min(len(list), digest.MostFiles)] {
		names = append(names, layout.Code(p.shortPath(string(name))))
	}
	more := ""
	if left := len(list) - len(names); left > 0 {
		more = " and " + humanize.Count(left, "other")
	}
	fmt.Fprintf(p, "\nChanged: %s%s\n", strings.Join(names, ", "), more)
}

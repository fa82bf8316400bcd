// Package share implements the commands for sharing sessions: export, and
// secrets, which finds what must not be shared.
package share

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/redact"
)

// Commands holds the commands of this package.
type Commands struct{ *lookup.Sessions }

type exportFlags struct {
	guard
	format, only           *flags.OneOf
	out, at, turns         string
	allBranches            bool
	noRedact, keepSuspects bool
	overwrite, yes         bool
	canAsk                 bool
}

func (a *Commands) Export() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export SESSION",
		Short: "Export a session as HTML, Markdown or JSONL, without secrets",
		Long: `Write a session to a file that you can share.

Formats:
  html   one page with all branches, search and the context; works offline
  md     the current branch as Markdown
  jsonl  a session file that pi opens
  atif   the context in the Agent Trajectory Interchange Format

--turns exports only some turns, numbered as pith show prints them. Everything
else is left out, also the session's name, labels and summaries.

Secrets are replaced before the file is written: your own (from pi, the
environment and the project's .env files) and everything that looks like one.
If there are any, pith lists them and asks; scripts use --json to look and --yes
to write. Suspects, which only look random, are replaced too, without --yes;
--keep-suspects keeps them. On a terminal, pith also offers to replace your home
directory, user and host name, and email addresses; --identity does so in
scripts. Images are not checked.`,
		Example: `  pith export @
  pith export @ -o notes.md --only talk
  pith export @ --turns 3-5 -o part.html
  pith export @ --turns 2,4- --format md -o - | gh pr comment --body-file -
  pith export 019cadd3 --at cd226b69 --format jsonl --yes
  pith export @ --json`,
		Args:              flags.Takes(1, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("format") {
				if err := f.formatFromName(); err != nil {
					return err
				}
			}
			f.canAsk = a.CanAsk()
			return a.export(cmd.Context(), args[0], f)
		},
	}
	f.format = flags.Choice(cmd, "format", "output `FORMAT` (default: from the file name)", "html", "md", "jsonl", "atif")
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "write to `FILE`, or - for standard output (default: a name from the session)")
	cmd.Flags().StringVar(&f.at, "at", "", "export only the path to `ENTRY`")
	cmd.Flags().StringVar(&f.turns, "turns", "", "export only these `TURNS`: 3-5, 2,4-6, 4- (to the end) or -3 (the last 3)")
	cmd.Flags().BoolVar(&f.allBranches, "all-branches", false, "with --format md: export all branches")
	f.only = flags.Choice(cmd, "only", "export only this `PART`; talk leaves out thinking and tools, prompts all but user messages", "all", "talk", "prompts")
	cmd.Flags().BoolVar(&f.noRedact, "no-redact", false, "do not replace secrets")
	cmd.Flags().BoolVar(&f.keepSuspects, "keep-suspects", false, "keep values that look random but are not known to be secret")
	f.guard.add(cmd, "also replace")
	cmd.Flags().BoolVarP(&f.overwrite, "overwrite", "f", false, "overwrite an existing file")
	cmd.Flags().BoolVarP(&f.yes, "yes", "y", false, "write without asking")
	flags.Exclusive(cmd, "at", "all-branches")
	flags.Exclusive(cmd, "turns", "all-branches")
	flags.Exclusive(cmd, "no-redact", "identity")
	flags.Exclusive(cmd, "no-redact", "keep-suspects")
	return cmd
}

func (a *Commands) export(ctx context.Context, ref string, f exportFlags) (err error) {
	switch {
	case a.JSON && f.out == "-":
		return exit.Usagef("--json and --output - cannot be used together")
	case f.turns != "" && (f.format.Value == export.JSONL.String() || f.format.Value == export.ATIF.String()):
		return exit.Usagef("--turns needs --format html or md")
	case f.format.Value == export.ATIF.String() && f.allBranches:
		return exit.Usagef("--all-branches needs --format html or md")
	case f.only.Value != export.Everything.String() && f.format.Value != export.HTML.String() && f.format.Value != export.Markdown.String():
		return exit.Usagef("--only needs --format html or md")
	}
	s, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	return a.exportSession(ctx, s, f)
}

// formatFromName chooses the format by the ending of the output file, if it has one.
func (f *exportFlags) formatFromName() error {
	as, ok := ops.FormatOf(f.out)
	ending := filepath.Ext(f.out)
	switch {
	case ok:
		f.format.Value = string(as)
	case ending != "" && f.out != ".." && !isDir(f.out):
		return exit.Usagef("unknown format %q; use .html, .md or .jsonl, or set --format", ending)
	}
	return nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

func (a *Commands) exportSession(ctx context.Context, s *pith.Session, f exportFlags) error {
	plan, err := a.reviewWithOffer(ctx, s, f)
	if err != nil {
		return err
	}
	name, err := a.outputName(plan, f)
	if err != nil {
		return err
	}
	if write, err := a.agreed(ctx, plan, name, f); err != nil || !write {
		return err
	}
	report, err := a.write(ctx, plan, name, f.overwrite)
	if err != nil {
		return err
	}
	if a.JSON {
		return a.Out.JSON(ops.ExportOf(plan, name, &report))
	}
	a.printSummary(plan, name, report, len(s.Findings()))
	return nil
}

// reviewWithOffer plans the export. If a person can answer, it offers to replace
// their identity too, as --identity does.
func (a *Commands) reviewWithOffer(ctx context.Context, s *pith.Session, f exportFlags) (*export.Plan, error) {
	offer := f
	offer.names = f.names || f.canAsk && !f.yes && !a.JSON && !f.noRedact
	plan, err := a.review(ctx, s, offer)
	if err != nil || offer.names == f.names {
		return plan, err
	}
	found := slices.DeleteFunc(plan.Redacted(), func(c redact.Count) bool { return c.Kind != redact.ByName })
	if len(found) == 0 {
		return plan, nil
	}
	switch err := a.Confirm(ctx, fmt.Sprintf("also replace your identity (%s)", kinds(found))); {
	case errors.Is(err, exit.ErrDeclined):
		return a.review(ctx, s, f)
	case err != nil:
		return nil, err
	}
	return plan, nil
}

// review plans the export of the session with the user's secrets and flags.
func (a *Commands) review(ctx context.Context, s *pith.Session, f exportFlags) (*export.Plan, error) {
	p := ops.ExportParams{
		Format: ops.ExportFormat(f.format.Value), Only: ops.ExportPart(f.only.Value), AllBranches: f.allBranches, Turns: f.turns,
		NoRedact: f.noRedact, KeepSuspects: f.keepSuspects, Names: f.names,
	}
	if f.at != "" {
		var err error
		if p.LeafID, err = lookup.EntryOf(s, f.at); err != nil {
			return nil, err
		}
	}
	plan, unread, err := ops.PlanExport(ctx, a.App(), s, p)
	if unread != nil {
		a.Note("note: %v", unread)
	}
	if bad, ok := errors.AsType[*inspect.TurnsError](err); ok {
		return nil, badTurns(bad)
	}
	return plan, err
}

// badTurns describes turns that do not exist.
func badTurns(e *inspect.TurnsError) error {
	if e.Last == 0 {
		return exit.Usagef("invalid --turns %q: the session has no turns", e.Turns)
	}
	return exit.Usagef("invalid --turns %q: the session has turns 1 to %d; use 3-5, 2,4-6, 4- or -3", e.Turns, e.Last)
}

// outputName returns the absolute path of the file to write; "-" means standard
// output.
func (a *Commands) outputName(plan *export.Plan, f exportFlags) (string, error) {
	if f.out == "-" {
		return f.out, nil
	}
	if f.out == "" {
		return a.Directory(plan.FileName())
	}
	name, err := a.Directory(f.out)
	if err != nil {
		return "", err
	}
	if isDir(name) {
		name = filepath.Join(name, plan.FileName())
	}
	return name, nil
}

// agreed shows the planned redactions and asks for consent if there are any.
func (a *Commands) agreed(ctx context.Context, plan *export.Plan, name string, f exportFlags) (bool, error) {
	found, suspects := apart(plan.Redacted())
	switch {
	case len(found)+len(suspects) == 0 || f.yes:
		return true, nil
	case a.JSON:
		return false, a.Out.JSON(ops.ExportOf(plan, "", nil))
	case !f.canAsk && len(found) == 0:
		return true, nil
	case !f.canAsk:
		return false, exit.Findingsf("found %s (%s); list them with --json, replace them with --yes", humanize.Count(places(found), "secret"), kinds(found))
	}
	if len(found) > 0 {
		a.table(found, nil)
	}
	a.listSuspects(plan.Places())
	if err := a.Out.Flush(); err != nil {
		return false, err
	}
	err := a.Confirm(ctx, fmt.Sprintf("replace %s and write %s", amount(found, suspects), termsafe.Line(a.ShortPath(name))))
	return err == nil, err
}

// apart parts suspects from what is certain.
func apart(all []redact.Count) (certain, suspects []redact.Count) {
	for _, c := range all {
		if c.Kind == redact.Suspect {
			suspects = append(suspects, c)
		} else {
			certain = append(certain, c)
		}
	}
	return certain, suspects
}

// amount names the numbers of secrets and suspects.
func amount(certain, suspects []redact.Count) string {
	switch {
	case len(suspects) == 0:
		return humanize.Count(places(certain), "secret")
	case len(certain) == 0:
		return humanize.Count(places(suspects), "suspect")
	}
	return humanize.Count(places(certain), "secret") + " and " + humanize.Count(places(suspects), "suspect")
}

// listSuspects prints suspects with the text around them.
func (a *Commands) listSuspects(found []export.Place) {
	const most = 20
	n := 0
	for _, at := range found {
		if at.Kind != redact.Suspect {
			continue
		}
		if n++; n == 1 {
			a.Out.Print("\nsuspects look random; --keep-suspects keeps them:\n")
		}
		if n <= most {
			a.Out.Printf("  %s  %s\n", termsafe.Line(cmp.Or(at.Entry, "header")), termsafe.Line(at.Around))
		}
	}
	if n > most {
		a.Out.Printf("  %s\n", humanize.Count(n-most, "more suspect"))
	}
}

func (a *Commands) write(ctx context.Context, plan *export.Plan, name string, overwrite bool) (r export.Report, err error) {
	if name != "-" {
		r, err = ops.WriteExport(ctx, plan, name, overwrite)
		switch {
		case errors.Is(err, export.ErrItself):
			err = exit.Conflictf("%s is the session itself; choose another file with --output", a.ShortPath(name))
		case errors.Is(err, export.ErrExists) && (overwrite || !isFile(name)):
			err = exit.Conflictf("%s is not a regular file; choose another with --output", a.ShortPath(name))
		case errors.Is(err, fs.ErrNotExist):
			err = exit.Missingf("%s does not exist; create it first", a.ShortPath(filepath.Dir(name)))
		case errors.Is(err, export.ErrExists):
			err = exit.Conflictf("%s already exists; choose another file with --output, or pass --overwrite", a.ShortPath(name))
		}
		return r, leaked(err)
	}
	dir, err := os.MkdirTemp("", ".pith-export-") // the next export removes it if this one cannot
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	temp := filepath.Join(dir, "out") // check the output before it goes to standard output
	if r, err = ops.WriteExport(ctx, plan, temp, false); err != nil {
		return r, leaked(err)
	}
	file, err := os.Open(temp)
	if err != nil {
		return r, err
	}
	defer file.Close()
	_, err = io.Copy(a.Out, file)
	return r, err
}

func isFile(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// leaked explains a secret that is left after redaction.
func leaked(err error) error {
	if leak, ok := errors.AsType[*export.LeakError](err); ok {
		return exit.Findingsf("nothing written: the result still contains %s after redaction (%s)", humanize.Count(len(leak.Findings), "secret"), kinds(ops.CountsOf(leak.Findings)))
	}
	return err
}

func (a *Commands) printSummary(plan *export.Plan, name string, r export.Report, faults int) {
	if name == "-" {
		return
	}
	a.Out.Printf("wrote %s, %s\n", termsafe.Line(a.ShortPath(name)), humanize.Count(r.Entries, "entry"))
	if found, suspects := apart(plan.Redacted()); len(found) > 0 {
		a.Out.Printf("replaced %s: %s\n", amount(found, suspects), kinds(found))
	} else if len(suspects) > 0 {
		a.Out.Printf("replaced %s; --keep-suspects keeps them\n", amount(nil, suspects))
	}
	if plan.NoRedact {
		a.Note("note: secrets were not replaced")
	}
	if r.Pictures > 0 {
		a.Note("note: %s not checked for secrets", humanize.Count(r.Pictures, "image"))
	}
	if faults > 0 {
		a.Note("note: the session file has %s; the readable part was exported", humanize.Count(faults, "finding"))
	}
}

// table lists findings by kind. sessions has the number of sessions of each;
// nil if there is only one session.
func (a *Commands) table(found []redact.Count, sessions map[string]int) {
	g := &layout.Grid{Head: []string{"rule", "kind", "secrets", "matches"}, Right: []bool{false, false, true, true, true}}
	if sessions != nil {
		g.Head = append(g.Head, "sessions")
	}
	for _, c := range found {
		row := []string{termsafe.Line(c.Rule), sureness(c.Kind), humanize.Number(int64(c.Secrets)), humanize.Number(int64(c.Places))}
		if sessions != nil {
			row = append(row, humanize.Number(int64(sessions[c.Rule])))
		}
		g.Add(tone.None, row...)
	}
	g.Print(a.Out, a.Colors, a.Width())
}

func sureness(k redact.Kind) string {
	switch k {
	case redact.Known:
		return "yours"
	case redact.ByRule:
		return "known format"
	case redact.ByEntropy:
		return "looks random"
	case redact.Suspect:
		return "suspect"
	}
	return "identity"
}

func places(found []redact.Count) (n int) {
	for _, c := range found {
		n += c.Places
	}
	return n
}

func kinds(found []redact.Count) string {
	var words []string
	for i, c := range found {
		if i == 4 {
			words = append(words, humanize.Count(len(found)-4, "more rule"))
			break
		}
		words = append(words, fmt.Sprintf("%s %d", c.Rule, c.Places))
	}
	return strings.Join(words, ", ")
}

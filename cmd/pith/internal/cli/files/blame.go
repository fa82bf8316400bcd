// Package files has the commands about the files that sessions changed.
package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/layout"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/tone"
	"github.com/pith-sessions/pith/internal/blame"
)

// Commands are the commands of this package.
type Commands struct{ *lookup.Sessions }

func (a *Commands) Blame() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "blame FILE[:LINE[-LINE]]",
		Short: "Show which conversation wrote each line of a file",
		Long: `Show the session, turn, model, time and request that last wrote each line of a
file. A line that no session is known to have written shows "-".

Edits of all sessions and branches are replayed: those of pi and every other
agent that pith reads, with their subagents. Renames are followed. A line is
attributed only if the records prove it. A turn of an abandoned branch is marked
with "~".`,
		Example: `  pith blame main.go
  pith blame main.go:42
  pith blame main.go:10-20 --json`,
		Args:              flags.Takes(1, 1, 1),
		ValidArgsFunction: cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault), // names of files
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.blame(cmd.Context(), args[0], a.JSON)
		},
	}
	return cmd
}

func (a *Commands) blame(ctx context.Context, arg string, asJSON bool) error {
	path, first, last, err := a.lines(arg)
	if err != nil {
		return err
	}
	r, some, err := ops.Blame(ctx, a.App(), ops.BlameParams{Path: path})
	if err != nil {
		return explain(err)
	}
	if last < math.MaxInt && first > len(r.Lines) {
		return exit.Missingf("no line %d: %s has %s", first, a.ShortPath(path), humanize.Count(len(r.Lines), "line"))
	}
	if asJSON {
		return a.Out.JSON(ops.BlamedLines(r, first, last))
	}
	paging := a.Page()
	defer paging.End()
	a.print(ctx, r, first, last)
	switch {
	case r.GitFailed:
		a.Note("note: Git did not answer, so no line is attributed")
	case !some:
		a.Note("note: no sessions found; see %s", a.Hint("ls", "--all"))
	case r.Events == 0:
		a.Note("note: no session changed this file")
	}
	return nil
}

// lines splits an argument into a file and the lines of it.
func (a *Commands) lines(arg string) (path string, first, last int, err error) {
	cwd, err := a.Cwd()
	if err != nil {
		return "", 0, 0, err
	}
	absolute := func(name string) string {
		if filepath.IsAbs(name) {
			return filepath.Clean(name)
		}
		return filepath.Join(cwd, name)
	}
	path, first, last = absolute(arg), 1, math.MaxInt
	if _, err := os.Lstat(path); err == nil {
		return path, first, last, nil
	}
	at := strings.LastIndexByte(arg, ':')
	if at <= 0 {
		return path, first, last, nil
	}
	from, to, several := strings.Cut(arg[at+1:], "-")
	first, err = strconv.Atoi(from)
	if last = first; err == nil && several {
		last, err = strconv.Atoi(to)
	}
	if err != nil || first < 1 || last < first {
		if _, missing := os.Lstat(absolute(arg[:at])); missing != nil {
			return path, 1, math.MaxInt, nil // the name has a colon
		}
		return "", 0, 0, exit.Usagef("invalid lines %q: use FILE:LINE or FILE:LINE-LINE", arg[at+1:])
	}
	return absolute(arg[:at]), first, last, nil
}

// explain says what is wrong with a file.
func explain(err error) error {
	f, ok := errors.AsType[*blame.FileError](err)
	if !ok {
		return err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.Missingf("%s does not exist", f.Path)
	case errors.Is(err, blame.ErrSymlink) && f.Target != "":
		return exit.Usagef("%s is a symbolic link; use its target: %s", f.Path, f.Target)
	case errors.Is(err, blame.ErrTooLarge):
		return exit.Usagef("%s is too large: %s, the limit is %s", f.Path, humanize.Bytes(f.Size), humanize.Bytes(blame.MostBytes))
	case errors.Is(err, blame.ErrNoProject):
		return exit.Missingf("%s is not in a project: no session ran in its directory or above it, and it is not in a Git repository", f.Path)
	case errors.Is(err, blame.ErrBinary), errors.Is(err, blame.ErrNotFile), errors.Is(err, blame.ErrOutside):
		return exit.Usagef("%w", err)
	}
	return err
}

const (
	modelCells   = 16
	requestCells = 32
)

// print prints the lines with the turns that wrote them.
func (a *Commands) print(ctx context.Context, r *blame.Report, first, last int) {
	infos := make([]catalog.Info, len(r.Edits))
	for i := range r.Edits {
		infos[i] = r.Edits[i].Session
	}
	short := map[string]string{}
	if len(infos) > 0 {
		short = a.ShortIDs(ctx, infos)
	}
	heads := make([][4]string, len(r.Edits))
	var widths [4]int
	for i := range r.Edits {
		e := &r.Edits[i]
		mark := ""
		if e.Left {
			mark = "~"
		}
		_, model, _ := strings.Cut(e.Model, "/")
		heads[i] = [4]string{short[e.Session.ID], fmt.Sprintf("%s%d", mark, e.Number), termsafe.Fit(layout.OneLine(model), modelCells), a.When(e.Time)}
	}
	last = min(last, len(r.Lines))
	for _, l := range r.Lines[min(first-1, last):last] {
		if l.Edit >= 0 {
			for k, cell := range heads[l.Edit] {
				widths[k] = max(widths[k], termsafe.Width(cell))
			}
		}
	}
	request, total := requestCells, requestCells+len(widths)
	for _, w := range widths {
		total += w
	}
	if widths[0] == 0 {
		request, total = 0, 1 // no session wrote any of the lines
	}
	digits := len(strconv.Itoa(last))
	for n := first; n <= last; n++ {
		l := r.Lines[n-1]
		var head strings.Builder
		if l.Edit >= 0 {
			for k, cell := range heads[l.Edit] {
				if k == 1 {
					head.WriteString(termsafe.PadLeft(cell, widths[k]) + " ")
				} else {
					head.WriteString(termsafe.Pad(cell, widths[k]) + " ")
				}
			}
			head.WriteString(termsafe.Pad(termsafe.Fit(layout.OneLine(r.Edits[l.Edit].Request), request), request))
		} else {
			head.WriteString(termsafe.Pad("-", total))
		}
		color := tone.Dim
		if l.Edit >= 0 {
			color = tones[l.Edit%len(tones)]
		}
		a.Out.Print(a.Colors.Paint(color, head.String()) + " " + a.Colors.Dim(termsafe.PadLeft(strconv.Itoa(n), digits)+")") + " " + termsafe.Text(l.Text) + "\n")
		if a.Out.Failed() {
			return
		}
	}
}

// tones tell neighboring edits apart.
var tones = []tone.Tone{tone.User, tone.Assistant, tone.Note, tone.Warning}

package agents

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/internal/sources"
)

type handoverFlags struct {
	to, at string
	print  bool
}

func (a *Commands) Handover() *cobra.Command {
	var f handoverFlags
	targets := ops.Receivers()
	cmd := &cobra.Command{
		Use:   "handover SESSION --to AGENT",
		Short: "Continue a session in another agent",
		Long: `Convert a session to the format of another agent, with tool calls, results and
images, and start that agent with it. Content that the agent does not support is
listed first. The session itself is not changed.

With --print, only convert the session and print the command to continue it.`,
		Example: `  pith handover @ --to claude
  pith handover 1f0c9a3e --to codex --at 8f3a2b1c
  pith handover @ --to pi --print`,
		Args:              flags.Takes(1, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE:              func(cmd *cobra.Command, args []string) error { return a.handover(cmd.Context(), args[0], &f) },
	}
	cmd.Flags().StringVar(&f.to, "to", "", "the `AGENT` to continue in: "+strings.Join(targets, ", "))
	cmd.Flags().StringVar(&f.at, "at", "", "continue from `ENTRY`")
	cmd.Flags().BoolVar(&f.print, "print", false, "print the command instead of running it")
	a.CompleteEntryFlag(cmd, "at")
	_ = cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(targets, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
	return cmd
}

func (a *Commands) handover(ctx context.Context, ref string, f *handoverFlags) (err error) {
	switch {
	case f.to == "":
		return exit.Helpf("missing --to AGENT; see pith handover --help")
	case !slices.Contains(ops.Receivers(), f.to):
		return exit.Usagef("unknown agent %q; use %s", f.to, strings.Join(ops.Receivers(), ", "))
	}
	s, err := a.OpenForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	at, err := lookup.AtFlag(s, f.at)
	if err != nil {
		return err
	}
	var receipt sources.Receipt
	if f.to == "pi" {
		receipt, err = a.toPi(ctx, s, at)
	} else {
		receipt, err = a.toProgram(ctx, s, at, f.to)
	}
	if err != nil {
		return err
	}
	if receipt.Warning != "" {
		a.Note("note: %s", receipt.Warning)
	}
	return a.start(ctx, s.Cwd(), &receipt, f.print)
}

// toPi makes a pi session from the session, or from the path to an entry.
func (a *Commands) toPi(ctx context.Context, s *pith.Session, at string) (sources.Receipt, error) {
	path, err := s.File(), error(nil)
	if ops.NeedsCopy(s) {
		if path, err = ops.ForPi(ctx, a.App(), path); err != nil {
			return sources.Receipt{}, err
		}
	}
	if at != s.LeafID() {
		own, err := pith.Open(ctx, path, pith.Options{ReadOnly: true})
		if err != nil {
			return sources.Receipt{}, err
		}
		defer own.Close() // only read
		x, err := own.Clone(ctx, at)
		if err != nil {
			return sources.Receipt{}, err
		}
		path = x.File()
		if err := x.Close(); err != nil {
			return sources.Receipt{}, err
		}
	}
	return sources.Receipt{Path: path, Commands: [][]string{{"pi", "--session", path}}}, nil
}

func (a *Commands) toProgram(ctx context.Context, s *pith.Session, at string, to string) (sources.Receipt, error) {
	dir, err := a.DataDir("handover")
	if err != nil {
		return sources.Receipt{}, err
	}
	h, err := ops.HandOver(ctx, a.App(), ops.HandOverParams{Session: s, At: at, To: to, Dir: dir})
	switch {
	case errors.Is(err, ops.ErrNoMessages):
		return sources.Receipt{}, exit.Usagef("%w", err)
	case err != nil:
		return sources.Receipt{}, err
	}
	if len(h.Lost) > 0 {
		a.Note("note: %s does not support %s", ops.AgentTitle(to), strings.Join(h.Lost, ", "))
	}
	if h.Before {
		a.Note("note: this session was handed over before; continuing that copy")
	}
	return h.Receipt, nil
}

// start runs the commands that continue a session, or prints them.
func (a *Commands) start(ctx context.Context, cwd string, r *sources.Receipt, onlyPrint bool) error {
	here := a.Env.Here()
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		cwd = here
	}
	var words []string
	if cwd != here && cwd != "" {
		words = append(words, lookup.Command("cd", cwd))
	}
	for _, c := range r.Commands {
		words = append(words, lookup.Command(c...))
	}
	line := strings.Join(words, " && ")
	program, err := exec.LookPath(r.Commands[0][0])
	if onlyPrint || err != nil {
		if !onlyPrint {
			a.Note("note: %s is not installed; continue with:", r.Commands[0][0])
		}
		a.Out.Print(termsafe.Line(line) + "\n")
		return nil
	}
	for _, c := range r.Commands {
		cmd := exec.CommandContext(ctx, program, c[1:]...)
		cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = cwd, a.Env.Stdin, a.Env.Stdout, a.Env.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", lookup.Command(c...), err)
		}
	}
	return nil
}

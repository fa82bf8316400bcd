// Package askmodel implements the commands that ask a model, prompt and
// compact, and what every conversation needs: the choice of a model, a working
// directory, and the output while it runs.
package askmodel

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
)

// Commands are the commands of this package.
type Commands struct{ *Conversations }

type promptFlags struct {
	ModelFlags
	begin bool
}

func (a *Commands) Prompt() *cobra.Command {
	var f promptFlags
	cmd := &cobra.Command{
		Use:   "prompt SESSION [TEXT...]",
		Short: "Send a message to the model and print its response",
		Long: `Add a user message to a session, send it to the model, and print the response
while it arrives. Both are saved in the session. pith runs no tools.

Standard input, if it is not a terminal, is appended to TEXT; - is standard
input alone. With --new, start a session for this project; SESSION is then left
out.

The model is the session's, or --model.`,
		Example: `  pith prompt @ "what is left to do?"
  git diff | pith prompt @ "review this"
  pith prompt --new --model anthropic/claude-sonnet-4-5 "why is the sky blue?"
  pith prompt @ --json "and now?" | jq -r 'select(.type=="message_end").entryId'`,
		Args:              flags.Takes(0, -1, 0),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.Choice(cmd)
			if err != nil {
				return err
			}
			if !f.begin && (len(args) == 0 || args[0] == "") {
				return exit.Usagef("missing SESSION; use --new to start one")
			}
			return a.prompt(cmd.Context(), args, c, f)
		},
	}
	cmd.Flags().BoolVar(&f.begin, "new", false, "start a session for this project")
	f.AddModel(cmd)
	f.AddThinking(cmd)
	f.AddCwd(cmd)
	return cmd
}

func (a *Commands) prompt(ctx context.Context, args []string, c userconfig.Choice, f promptFlags) (err error) {
	words := args
	if !f.begin {
		words = args[1:]
	}
	text, err := a.promptText(ctx, words)
	if err != nil {
		return err
	}
	s, err := a.OpenOrNew(ctx, args, f.begin, f.Cwd)
	if err != nil {
		return err
	}
	t := a.Teller()
	onEvent := t.Answers
	if a.JSON {
		a.printSessionLine(s)
		onEvent = t.events
	}
	conv, err := a.Asking(s, a.Configured(s.Cwd()), c, onEvent)
	if err != nil {
		return err
	}
	defer HangUp(conv, &err)
	t.Stop = conv.Abort
	if conv.Model().ID == "" {
		return userconfig.ErrNoModel
	}
	if f.begin && !a.JSON {
		a.NoteLater("session %s in %s", s.ID(), s.File())
	}
	_, err = conv.Prompt(ctx, text)
	return a.Answered(ctx, err)
}

// Answered converts the error of a prompt into the error of the command.
func (a *Conversations) Answered(ctx context.Context, err error) error {
	if errors.Is(err, agent.ErrAborted) {
		if a.Out.Failed() {
			return a.Out.Flush() // that is the cause
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

// promptText returns the text of the user: the words, then standard input.
func (a *Commands) promptText(ctx context.Context, words []string) (string, error) {
	var lines []string
	for _, w := range words {
		if w != "-" {
			lines = append(lines, w)
		}
	}
	parts := []string{}
	if text := strings.Join(lines, " "); strings.TrimSpace(text) != "" {
		parts = append(parts, text)
	}
	if len(lines) < len(words) || !a.Env.IsTerminal(a.Env.Stdin) {
		data, err := a.ReadInput(ctx)
		if err != nil {
			return "", err
		}
		if text := strings.TrimRight(string(data), "\r\n"); strings.TrimSpace(text) != "" {
			parts = append(parts, text)
		}
	}
	if len(parts) == 0 {
		return "", exit.Usagef("missing TEXT; pass it as an argument or on standard input")
	}
	return strings.Join(parts, "\n\n"), nil
}

// OpenOrNew opens the session that the first argument names, or starts one. dir
// is the value of --cwd.
func (a *Conversations) OpenOrNew(ctx context.Context, args []string, begin bool, dir string) (*pith.Session, error) {
	if !begin {
		return a.OpenToTalk(ctx, args[0], dir)
	}
	cwd, err := a.ProjectDir(dir)
	if err != nil {
		return nil, err
	}
	o := a.Engine()
	o.Cwd = cwd
	return pith.Create(o)
}

// printSessionLine prints the session as the first line of JSON.
func (a *Commands) printSessionLine(s *pith.Session) {
	_ = a.Out.JSON(struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		File string `json:"path"`
	}{"session", s.ID(), s.File()}) // strings can be encoded
	_ = a.Out.Flush() // stored, and reported at the end
}

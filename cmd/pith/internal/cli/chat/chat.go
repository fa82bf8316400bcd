// Package chat implements pith chat: a conversation line by line.
package chat

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/slash"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
)

// Commands are the commands of this package.
type Commands struct{ *askmodel.Conversations }

func (a *Commands) Chat() *cobra.Command {
	var f askmodel.ModelFlags
	cmd := &cobra.Command{
		Use:   "chat [SESSION]",
		Short: "Chat with the model, line by line",
		Long: `Chat with a model in a session, or in a new one for this project. Each line is a
message, or a command if it starts with a slash; /help lists the commands. A
backslash at the end of a line continues it on the next. Works in any terminal
and in scripts; the terminal app is pith -r.

Ctrl+C interrupts the response, and pressed again quits. If the input is not a
terminal, the first error ends the chat.`,
		Example: `  pith chat
  pith chat @
  printf 'what did we decide?\n/compact\n' | pith chat @`,
		Args:              flags.Takes(0, 1, 1),
		ValidArgsFunction: a.CompleteSession(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.Choice(cmd)
			if err != nil {
				return err
			}
			return a.chat(cmd.Context(), args, c, f.Cwd)
		},
	}
	f.AddModel(cmd)
	f.AddThinking(cmd)
	f.AddSummarizer(cmd)
	f.AddCwd(cmd)
	return cmd
}

// A chat is a conversation line by line.
type chat struct {
	*Commands
	conv   *agent.Conversation
	own    *userconfig.Setup
	teller *askmodel.Teller
	lines  <-chan inputLine
	person bool // a person is typing
	// pressed counts Ctrl+C since the last line.
	pressed atomic.Int32
}

func (a *Commands) chat(ctx context.Context, args []string, choice userconfig.Choice, dir string) (err error) {
	s, err := a.OpenOrNew(ctx, args, len(args) == 0, dir)
	if err != nil {
		return err
	}
	c := &chat{Commands: a, teller: a.Teller(), own: a.Configured(s.Cwd()), person: a.Env.IsTerminal(a.Env.Stdin)}
	c.conv, err = a.Asking(s, c.own, choice, c.teller.Answers)
	if err != nil {
		return err
	}
	defer askmodel.HangUp(c.conv, &err)
	c.teller.Stop = c.conv.Abort
	defer a.Env.Interrupts.GoTo(c.interrupted)()
	c.lines = readInputLines(ctx, a.Env.Stdin)
	c.welcome()
	return c.loop(ctx)
}

// welcome shows which model responds.
func (c *chat) welcome() {
	if !c.person {
		return
	}
	if m := c.conv.Model(); m.ID != "" {
		c.Note("model: %s; /help lists the commands", format.ModelName(m.Provider, m.ID))
		return
	}
	c.Note("%v; /help lists the commands that work without one", userconfig.ErrNoModel)
}

// loop handles one line after the other. Errors are reported to a person; a
// script ends.
func (c *chat) loop(ctx context.Context) error {
	for {
		text, err := c.next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = c.do(ctx, text)
		if ferr := c.Out.Flush(); ferr != nil {
			return ferr
		}
		switch {
		case errors.Is(err, errLeave):
			return nil
		case err == nil:
		case ctx.Err() != nil, !c.person:
			return c.Answered(ctx, err)
		case errors.Is(err, agent.ErrAborted):
			c.Note("interrupted")
		default:
			c.Complain(err)
		}
	}
}

// do handles one message or command.
func (c *chat) do(ctx context.Context, text string) error {
	if slash.Is(text) {
		return c.command(ctx, text)
	}
	if strings.TrimSpace(text) == "" {
		return nil
	}
	if c.conv.Model().ID == "" {
		return userconfig.ErrNoModel
	}
	_, err := c.conv.Prompt(ctx, text)
	return err
}

// interrupted handles Ctrl+C: the first one ends the response, the second
// everything.
func (c *chat) interrupted() bool {
	if c.pressed.Add(1) > 1 {
		return false
	}
	if c.conv.Busy() != agent.ActivityIdle {
		c.conv.Abort()
		return true
	}
	fmt.Fprint(c.Env.Stderr, "\npith: press Ctrl+C again to quit\n"+c.mark())
	return true
}

// mark returns the prompt for a person.
func (c *chat) mark() string {
	if !c.person {
		return ""
	}
	return "> "
}

// next returns the next message: a line with its continuation lines.
func (c *chat) next(ctx context.Context) (string, error) {
	var text strings.Builder
	if err := c.Out.Flush(); err != nil {
		return "", err
	}
	fmt.Fprint(c.Env.Stderr, c.mark())
	for {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case l, ok := <-c.lines:
			c.pressed.Store(0)
			switch {
			case !ok && text.Len() > 0:
				return text.String(), nil
			case !ok:
				return "", io.EOF
			case l.err != nil:
				return "", fmt.Errorf("read standard input: %w", l.err)
			}
			rest, goesOn := strings.CutSuffix(l.text, "\\")
			text.WriteString(rest)
			if !goesOn {
				return text.String(), nil
			}
			text.WriteString("\n")
		}
	}
}

// An inputLine is a line of the input, without its line ending.
type inputLine struct {
	text string
	err  error
}

// readInputLines sends the lines of in. A read in progress when ctx ends is
// abandoned; its goroutine ends with the process.
func readInputLines(ctx context.Context, in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		r := bufio.NewReader(in)
		for {
			text, err := r.ReadString('\n')
			l := inputLine{text: strings.TrimRight(text, "\r\n")}
			if err != nil && !errors.Is(err, io.EOF) {
				l.err = err
			}
			if text != "" || l.err != nil {
				select {
				case lines <- l:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// Package edit implements the commands that write to one session, or start one:
// new, append, branch, fork, clone, name, label.
package edit

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/askmodel"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// Commands are the commands of this package.
type Commands struct{ *askmodel.Conversations }

type newFlags struct {
	cwd, id, name, parent, message string
}

func (a *Commands) New() *cobra.Command {
	var f newFlags
	cmd := &cobra.Command{
		Use:   "new",
		Short: "Start a session",
		Long: `Start a session for this project or --cwd, in the directory where pi keeps it,
and print its ID and file.

As in pi, the file is created with the first message. Without --message, only
the ID and path are printed; pass the path to pith append --create or
pi --session.`,
		Example: `  pith new --message "why is the build slow?"
  pith new --cwd ~/src/app --name "build speed" --message - < question.txt`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.new(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.cwd, "cwd", "", "the project directory `DIR`")
	cmd.Flags().StringVar(&f.id, "id", "", "the `ID`, instead of a new UUID")
	cmd.Flags().StringVar(&f.name, "name", "", "the `NAME`; needs --message")
	cmd.Flags().StringVar(&f.parent, "parent", "", "the parent `SESSION`")
	cmd.Flags().StringVarP(&f.message, "message", "m", "", "start with the user message `TEXT`; - reads it from standard input")
	_ = cmd.MarkFlagDirname("cwd") // the flag was just made
	return cmd
}

func (a *Commands) new(ctx context.Context, f newFlags) (err error) {
	if f.name != "" && f.message == "" {
		return exit.Usagef("--name needs --message")
	}
	cwd, err := a.ProjectDir(f.cwd)
	if err != nil {
		return err
	}
	a.Configured(cwd) // prints warnings about settings: they determine the session directory
	o := a.Engine()
	o.ID, o.Cwd = f.id, cwd
	if f.parent != "" {
		parent, err := a.Locate(ctx, f.parent)
		if err != nil {
			return err
		}
		o.ParentSession = parent.Path // recorded by its ID if it is a copy
	}
	s, err := pith.Create(o)
	if err != nil {
		return err
	}
	defer lookup.Close(s, &err)
	if err := idIsFree(s, f.id); err != nil {
		return err
	}
	if err := a.begin(ctx, s, f); err != nil {
		return err
	}
	return a.printNewSession(s, a.JSON, nil)
}

// begin writes the initial entries of a new session.
func (a *Commands) begin(ctx context.Context, s *pith.Session, f newFlags) error {
	if f.message == "" {
		return nil
	}
	text, err := a.TextArgument(ctx, f.message)
	if err != nil {
		return err
	}
	if f.name != "" {
		if _, err := s.SetName(ctx, f.name); err != nil {
			return err
		}
	}
	_, err = s.AppendMessage(ctx, format.NewUser(text, a.Env.Now()))
	return err
}

// idIsFree returns an error if a session with that id exists. The library
// checks again when it creates the file; this is for a session without a
// message.
func idIsFree(s *pith.Session, id string) error {
	if id == "" {
		return nil
	}
	taken, err := sessiondir.FileWithID(s.Dir(), s.Cwd(), id)
	if err == nil && taken != "" {
		err = fmt.Errorf("%w: %s; use it, or choose another ID", pith.ErrExists, taken)
	}
	return err
}

// firstAppend returns the command that writes the first message of a session
// without a file. The contents of its header are in no file, so the command
// includes them.
func (a *Commands) firstAppend(s *pith.Session) []string {
	args := []string{"append", s.File(), "--create"}
	if here, err := a.ProjectDir(""); err != nil || here != s.Cwd() {
		args = append(args, "--cwd", s.Cwd())
	}
	if parent := s.Header().ParentSession; parent != "" {
		args = append(args, "--parent-session", parent)
	}
	return append(args, "TEXT")
}

// A newRecord is a new session in JSON.
type newRecord struct {
	ID            string `json:"id"`
	File          string `json:"path"`
	Written       bool   `json:"written"`
	ParentSession string `json:"parentSessionPath" empty:"null"`
	// Text is the message that a fork leaves out, to be asked again.
	Text *string `json:"text,omitempty"`
}

// printNewSession prints the id and the file of a new session, and the text
// that it was forked to ask again.
func (a *Commands) printNewSession(s *pith.Session, asJSON bool, text *string) error {
	if asJSON {
		return a.Out.JSON(newRecord{s.ID(), s.File(), s.Written(), s.Header().ParentSession, text})
	}
	a.Out.Print(termsafe.Line(s.ID()) + "\n" + termsafe.Line(s.File()) + "\n")
	if text != nil {
		a.Out.Print("\n" + termsafe.Text(*text) + "\n")
	}
	if !s.Written() {
		a.Note("nothing written yet; add the first message with %s", a.Hint(a.firstAppend(s)...))
	}
	return nil
}

// Package fullscreen starts the terminal app.
package fullscreen

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
)

// An App starts the terminal app over the user's sessions.
type App struct{ *lookup.Sessions }

// CanShow reports whether there is a terminal for the app: a real one, whose
// keys can be read one by one.
func (a *App) CanShow() bool {
	in, isFile := a.Env.Stdin.(*os.File)
	return isFile && a.Env.IsTerminal(in) && a.Env.IsTerminal(a.Env.Stdout) && a.Env.Getenv("TERM") != "dumb"
}

// A View determines what the app starts with.
type View struct {
	Open, Entry string
	Tree        bool
}

// Show shows the terminal app until the user leaves it.
func (a *App) Show(ctx context.Context, view View) error {
	if !a.CanShow() {
		return exit.Usagef("not a terminal; use pith ls and pith show instead")
	}
	c, err := a.config(ctx)
	if err != nil {
		return err
	}
	c.Open, c.Entry, c.Tree = view.Open, view.Entry, view.Tree
	bye, err := tui.Run(ctx, c, a.Env.Stdin, a.Env.Stdout, os.Environ())
	if err != nil {
		return err
	}
	if bye.File != "" {
		a.Note("resume with: %s", a.wayBack(ctx, bye))
	}
	return nil
}

// config returns the configuration of the app over the user's sessions.
func (a *App) config(ctx context.Context) (tui.Config, error) {
	cwd, err := a.Cwd()
	if err != nil {
		return tui.Config{}, err
	}
	env := a.Environment()
	bindings, err := keys.Load(filepath.Join(env.AgentDir(), "keybindings.json"))
	if err != nil {
		a.NoteLater("%v", err)
	}
	app := a.App()
	app.Skipped, app.Working = nil, nil // the terminal is in use
	if _, err := a.StateDir(); err != nil {
		app.Marks = nil // there is no place for them
	}
	var demo func(context.Context) (string, error)
	if write := a.Demo(); write != nil {
		demo = func(ctx context.Context) (string, error) {
			o, err := write(ctx)
			return o.Dir, err
		}
	}
	own := userconfig.Read(env, cwd)
	handover, err := a.DataDir("handover")
	if err != nil {
		handover = "" // nothing is given by path
	}
	answers := lookup.CwdAnswers{File: a.StateFile("directories.json")}
	return tui.Config{
		Cwd: cwd, App: app, Setup: func(cwd string) *userconfig.Setup { return userconfig.Read(env, cwd) },
		Demo: demo, Remembered: answers.Get, Remember: func(cwd, dir string) { answers.Put(ctx, cwd, dir) }, AtExit: a.Env.Interrupts.AtExit, Interrupts: a.Env.Interrupts.GoTo,
		Keys: bindings, Home: a.Env.Home(), Colour: a.Colors.On, Dark: true,
		Handover: strings.Fields(own.Settings.Handover), HandoverDir: handover, Editor: cmp.Or(a.Env.Getenv("VISUAL"), a.Env.Getenv("EDITOR")),
	}, nil
}

// wayBack returns how pith and pi open the session that was left: by its id
// where they search themselves, otherwise by its file. Pi never gets the
// translation of another agent's session.
func (a *App) wayBack(ctx context.Context, bye tui.Farewell) string {
	if bye.Foreign {
		return a.Hint("-r") + ", or " + a.Hint("handover", bye.SessionID, "--to", "pi")
	}
	if ref, err := a.Locate(ctx, bye.SessionID); err != nil || ref.Path != bye.File {
		return a.Hint(bye.File) + ", or " + lookup.Command("pi", "--session", bye.File)
	}
	name := bye.SessionID
	if a.HasCustomDir() {
		name = bye.File
	}
	return a.Hint("-r") + ", or " + lookup.Command("pi", "--session", name)
}

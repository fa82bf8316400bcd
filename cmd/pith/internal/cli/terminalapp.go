package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/keys"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// canShowApp reports whether there is a terminal to show the app on: a real
// one, whose keys can be read one by one.
func (a *app) canShowApp() bool {
	in, isFile := a.env.Stdin.(*os.File)
	return isFile && a.env.IsTerminal(in) && a.env.IsTerminal(a.env.Stdout) && a.env.Getenv("TERM") != "dumb"
}

// appView says what the app begins with.
type appView struct {
	open, entry string
	tree        bool
}

// showApp shows the terminal app until the user leaves it.
func (a *app) showApp(ctx context.Context, view appView) error {
	if !a.canShowApp() {
		return usagef("the terminal app needs a terminal on standard input and output; pith ls and pith show work without one")
	}
	cwd, err := a.cwd()
	if err != nil {
		return err
	}
	env := sessiondir.Environment{Getenv: a.env.Getenv, Home: a.env.home()}
	bindings, err := keys.Load(filepath.Join(env.AgentDir(), "keybindings.json"))
	if err != nil {
		a.noteLater("%v", err)
	}
	trash, err := a.trash()
	if err != nil {
		return err
	}
	marks := a.shelf
	if _, err := a.stateDir(); err != nil {
		marks = nil // there is nowhere to keep any
	}
	own := userconfig.Read(env, cwd)
	answers := cwdAnswers{file: a.stateFile("directories.json")}
	bye, err := tui.Run(ctx, tui.Config{
		Cwd: cwd, Catalog: a.listing(), Words: sync.OnceValue(a.wordIndex), Tables: a.tables(), Shelf: marks, Trash: trash, Setup: func(cwd string) *userconfig.Setup { return userconfig.Read(env, cwd) },
		Remembered: answers.get, Remember: answers.put, AtExit: a.env.Interrupts.atExit, Interrupts: a.env.Interrupts.goTo,
		Keys: bindings, Home: a.env.home(), Colour: a.colors.on, Dark: true,
		Open: view.open, Entry: view.entry, Tree: view.tree, Handover: strings.Fields(own.Settings.Handover), Now: a.env.Now, Editor: cmp.Or(a.env.Getenv("VISUAL"), a.env.Getenv("EDITOR")),
	}, a.env.Stdin, a.env.Stdout, os.Environ())
	if err != nil {
		return err
	}
	if bye.File != "" {
		a.note("to come back: %s, or pi --session %s", a.hint("-r"), bye.SessionID)
	}
	return nil
}

// stateFile is a file of pith's own that keeps answers; "" when there is no
// folder for it.
func (a *app) stateFile(name string) string {
	dir, err := a.dataDir("state")
	if err != nil {
		return ""
	}
	return filepath.Join(dir, name)
}

// cwdAnswers are where the user wants sessions to go on whose working directory
// is gone (pitfall 151).
type cwdAnswers struct{ file string }

func (c cwdAnswers) read() map[string]string {
	answers := map[string]string{}
	data, err := os.ReadFile(c.file)
	if err != nil || json.Unmarshal(data, &answers) != nil {
		return map[string]string{}
	}
	return answers
}

func (c cwdAnswers) get(cwd string) (string, bool) {
	instead, known := c.read()[cwd]
	if !known {
		return "", false
	}
	_, err := os.Stat(instead)
	return instead, err == nil
}

// put keeps an answer. One that cannot be kept is asked for again.
func (c cwdAnswers) put(cwd, instead string) {
	if c.file == "" {
		return
	}
	_ = filestore.WithDirLock(filepath.Dir(c.file), func() error {
		answers := c.read()
		answers[cwd] = instead
		data, err := json.MarshalIndent(answers, "", "  ")
		if err != nil {
			return err
		}
		return filestore.WriteFile(c.file, data)
	})
}

package askmodel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
)

// OpenToTalk opens the session that a reference names for a conversation. That
// needs a working directory, for the settings of the project and for commands
// that write summaries; instead is the value of --cwd.
func (a *Conversations) OpenToTalk(ctx context.Context, ref, instead string) (*pith.Session, error) {
	found, err := a.Locate(ctx, ref)
	if err != nil {
		return nil, err
	}
	cwd, err := a.workingDir(ctx, found.Cwd, instead)
	if err != nil {
		return nil, err
	}
	s, err := a.OpenToWrite(ctx, found, ref, pith.Refuse, cwd)
	if err != nil {
		return nil, err
	}
	if err := s.Writable(); err != nil { // before a model is paid
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// workingDir returns the directory in which a session continues, or "" for the
// one in its header. If that is gone, it is the one that the user chooses
// instead, which is asked once and remembered (pitfall 151). The session is not
// changed.
func (a *Conversations) workingDir(ctx context.Context, named, instead string) (string, error) {
	if !isMissing(named) {
		if instead != "" {
			return "", exit.Usagef("--cwd is only for a session whose directory is missing; this one uses %s", named)
		}
		return "", nil
	}
	answers := lookup.CwdAnswers{File: a.StateFile("directories.json")}
	if instead == "" {
		if dir, known := answers.Get(named); known {
			return dir, nil
		}
		here, err := a.Cwd()
		if err != nil {
			return "", err
		}
		if !a.CanAsk() {
			a.NoteLater("note: the directory of this session is missing; using %s. Choose another with --cwd DIR, or if it was moved, run %s",
				here, a.Hint("move", named, "NEW"))
			return here, nil
		}
		if instead, err = a.askForDir(ctx, named, here); err != nil {
			return "", err
		}
	}
	dir, err := a.ProjectDir(instead)
	if err == nil {
		answers.Put(ctx, named, dir)
	}
	return dir, err
}

// isMissing reports whether cwd names a working directory that does not exist.
func isMissing(cwd string) bool {
	if cwd == "" {
		return false
	}
	info, err := os.Stat(cwd)
	return !filepath.IsAbs(cwd) || err != nil || !info.IsDir()
}

// askForDir asks for the directory in which a session continues whose own is
// gone.
func (a *Conversations) askForDir(ctx context.Context, gone, here string) (string, error) {
	fmt.Fprintf(a.Env.Stderr, "the directory of this session is missing: %s\ncontinue in directory [%s]: ", termsafe.Line(gone), termsafe.Line(here))
	answer, err := a.ReadLine(ctx)
	if err != nil {
		return "", err
	}
	switch dir := strings.TrimSpace(answer); {
	case dir != "":
		return dir, nil
	case answer == "": // the end of the input, not Enter
		fmt.Fprintln(a.Env.Stderr)
		return "", exit.ErrDeclined
	}
	return here, nil
}

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
	cwd, err := a.workingDir(ctx, ref, found.Cwd, instead)
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
func (a *Conversations) workingDir(ctx context.Context, ref, named, instead string) (string, error) {
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
			a.NoteLater("note: the directory of this session is missing: %s; continued in %s. Choose another with --cwd DIR, %s",
				named, here, a.otherWays(ref, named))
			return here, nil
		}
		if instead, err = a.askForDir(ctx, ref, named, here); err != nil {
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

// otherWays describes the commands that settle for good where a session belongs
// whose directory is gone.
func (a *Conversations) otherWays(ref, gone string) string {
	return fmt.Sprintf("copy it to a project with %s, or if the directory was moved, run %s",
		a.Hint("fork", ref, "--into", "DIR"), a.Hint("move", gone, "NEW"))
}

// askForDir asks for the directory in which a session continues whose own is
// gone.
func (a *Conversations) askForDir(ctx context.Context, ref, gone, here string) (string, error) {
	fmt.Fprintf(a.Env.Stderr, "the directory of this session is missing: %s\nCtrl+D cancels; then %s\ncontinue in directory [%s]: ",
		termsafe.Line(gone), termsafe.Line(a.otherWays(ref, gone)), termsafe.Line(here))
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

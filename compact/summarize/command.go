package summarize

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/pith-sessions/pith/compact"
)

// CommandOptions configure [Command].
type CommandOptions struct {
	// Dir is the directory in which the program runs: the working directory of
	// the session. "" means that of this process.
	Dir string
	// Env is the environment; nil means that of this process.
	Env []string
	// Limit is how long the program may run; 0 means ten minutes.
	Limit time.Duration
	// MaxBytes is the largest size of a summary; 0 means 1 MiB. A program that
	// writes more is killed.
	MaxBytes int
}

// Command returns a summarizer that runs a program for each prompt. [Shell]
// makes argv from a shell command. Any agent that answers a prompt on standard
// input works, such as
//
//	pi -p --no-session --no-tools
//
// The program reads UTF-8 on standard input until EOF:
//
//   - the role of a summarizer, in two paragraphs;
//   - an empty line;
//   - for a history or a branch, the line <conversation>, the conversation, the
//     line </conversation> and an empty line; if there is an earlier summary,
//     the same with <previous-summary>; then the instructions;
//   - for the start of a turn, the line "# Conversation", the conversation, an
//     empty line, if there is an earlier summary the line "# Previous Summary",
//     the summary and an empty line; then the line "# Instructions" and the
//     instructions;
//   - a line feed.
//
// The conversation is the output of [compact.Serialize]. The user's focus
// follows the instructions, after "Additional focus: ", or replaces them. The
// variable PITH_SUMMARY is history, turn or branch.
//
// Standard output is the summary; surrounding white space is removed. The
// program must exit with status 0, in time, and with some output. Otherwise
// Summarize returns an error that quotes the first line of standard error. If
// ctx is cancelled, the program and its child processes are killed.
//
// The program gets the whole conversation at a time, however long: it must know
// its own limit.
func Command(argv []string, o CommandOptions) compact.Summarizer {
	if o.Limit <= 0 {
		o.Limit = 10 * time.Minute
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 1 << 20
	}
	return external{argv, o}
}

// Shell returns the argv that runs a command in the system's shell.
func Shell(line string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/D", "/S", "/C", line}
	}
	return []string{"/bin/sh", "-c", line}
}

type external struct {
	argv []string
	CommandOptions
}

var (
	errTooSlow = errors.New("too slow")
	errTooLong = errors.New("too long")
)

// AnyLength reports that a conversation need not be split.
func (external) AnyLength() bool { return true }

// Summarize implements [compact.Summarizer].
func (e external) Summarize(ctx context.Context, p compact.Prompt) (string, error) {
	if len(e.argv) == 0 || e.argv[0] == "" {
		return "", errors.New("the summarizer command is empty; use cmd:COMMAND")
	}
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(e.Limit, func() { cancel(errTooSlow) })
	defer timer.Stop()

	out := &firstBytes{limit: e.MaxBytes, full: func() { cancel(errTooLong) }}
	complaint := &firstBytes{limit: 4096, full: func() {}}
	cmd := exec.CommandContext(running, e.argv[0], e.argv[1:]...)
	cmd.Dir, cmd.Env = e.Dir, append(e.environment(), "PITH_SUMMARY="+p.Part.String())
	cmd.Stdin = strings.NewReader(systemPrompt + "\n\n" + promptText(p) + "\n")
	cmd.Stdout, cmd.Stderr = out, complaint
	// A program that exited but left its output open to another gets this long.
	cmd.WaitDelay = 2 * time.Second
	ownGroup(cmd)
	err := cmd.Run()
	if running.Err() != nil {
		endGroup(cmd)
	}
	return e.outcome(ctx, running, err, out, complaint)
}

func (e external) outcome(ctx, running context.Context, err error, out, complaint *firstBytes) (string, error) {
	name := clip(valid(e.argv[len(e.argv)-1]), 80)
	switch cause := context.Cause(running); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(cause, errTooSlow):
		return "", fmt.Errorf("command %q did not finish within %v%s", name, e.Limit, complaint.firstLine())
	case errors.Is(cause, errTooLong):
		return "", fmt.Errorf("command %q wrote more than %d bytes, too many for a summary", name, e.MaxBytes)
	case errors.Is(err, exec.ErrWaitDelay):
		return "", fmt.Errorf("command %q ended but another process still has its output open; the summary may be incomplete", name)
	case err != nil:
		if where := e.noFolder(); where != nil { // the system blames the program
			err = where
		}
		return "", fmt.Errorf("command %q: %w%s", name, err, complaint.firstLine())
	}
	text := strings.TrimSpace(valid(string(out.kept)))
	if text == "" {
		return "", fmt.Errorf("command %q: %w%s", name, compact.ErrEmptySummary, complaint.firstLine())
	}
	return text, nil
}

// noFolder returns an error if the directory to run the program in is missing.
func (e external) noFolder() error {
	if e.Dir == "" {
		return nil
	}
	_, err := os.Stat(e.Dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("the session's directory %s is missing; create it, or use another summarizer: %w", unquoted(e.Dir), fs.ErrNotExist)
}

func (e external) environment() []string {
	if e.Env == nil {
		return os.Environ()
	}
	return e.Env[:len(e.Env):len(e.Env)]
}

// firstBytes keeps the first bytes written to it and calls full if there are
// more.
type firstBytes struct {
	kept  []byte
	limit int
	full  func()
}

// Write accepts everything, because a full pipe must not block the program.
func (f *firstBytes) Write(p []byte) (int, error) {
	room := f.limit - len(f.kept)
	f.kept = append(f.kept, p[:min(len(p), room)]...)
	if len(p) > room {
		f.full()
	}
	return len(p), nil
}

// firstLine returns the first nonempty line, escaped and after a colon, or "".
func (f *firstBytes) firstLine() string {
	for line := range strings.Lines(valid(string(f.kept))) {
		if line = strings.TrimSpace(line); line != "" {
			return ": " + unquoted(clip(line, 200))
		}
	}
	return ""
}

// unquoted escapes characters that a terminal would act on.
func unquoted(text string) string {
	quoted := strconv.QuoteToGraphic(text)
	return quoted[1 : len(quoted)-1]
}

package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/sessiondir"
)

// modelFlags are the flags that choose which model is asked and who writes
// summaries, as they were typed. A command has those of them that it adds.
type modelFlags struct {
	model, thinking, summarizer string
	cwd                         string
	keep, reserve               int64
}

func (f *modelFlags) addModel(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.model, "model", "", "ask the model `PROVIDER/ID` instead of the session's")
	_ = cmd.RegisterFlagCompletionFunc("model", cobra.NoFileCompletions) // the flag was just made
}

func (f *modelFlags) addThinking(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.thinking, "thinking", "", "let it think at this `LEVEL`: "+strings.Join(thinkingLevels, ", "))
	_ = cmd.RegisterFlagCompletionFunc("thinking", cobra.FixedCompletions(thinkingLevels, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

func (f *modelFlags) addSummarizer(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.summarizer, "summarizer", "", "let `WHO` write summaries: model, extract (needs no model), or cmd: and a shell line")
	_ = cmd.RegisterFlagCompletionFunc("summarizer", cobra.FixedCompletions([]string{"model", "extract", "cmd:"}, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

func (f *modelFlags) addSizes(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.keep, "keep", 0, "keep about `N` tokens of the end of the conversation as they are")
	cmd.Flags().Int64Var(&f.reserve, "reserve", 0, "leave `N` tokens of the model's window free for answers")
}

func (f *modelFlags) addCwd(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.cwd, "cwd", "", "go on in the folder `DIR` if the session's own is gone, now and later; a new session begins there")
	_ = cmd.MarkFlagDirname("cwd") // the flag was just made
}

// thinkingLevels are the levels of thinking that sessions know.
var thinkingLevels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// choice is what the flags of a command choose.
func (f *modelFlags) choice(cmd *cobra.Command) (userconfig.Choice, error) {
	c := userconfig.Choice{Model: f.model, Thinking: f.thinking, Summarizer: f.summarizer}
	if c.Thinking != "" && !slices.Contains(thinkingLevels, c.Thinking) {
		return c, usagef("--thinking %q is no level; choose one of %s", c.Thinking, strings.Join(thinkingLevels, ", "))
	}
	if c.Summarizer != "" && c.Summarizer != summarize.ByModel {
		if _, err := summarize.Choose(c.Summarizer, summarize.ChooseOptions{}); err != nil {
			return c, usageError{err}
		}
	}
	for _, size := range []struct {
		name  string
		value *int64
		to    **int64
	}{{"keep", &f.keep, &c.Keep}, {"reserve", &f.reserve, &c.Reserve}} {
		if !cmd.Flags().Changed(size.name) {
			continue
		}
		if *size.value < 0 {
			return c, usagef("--%s is less than 0", size.name)
		}
		*size.to = size.value
	}
	return c, nil
}

// configured is what the user configured for a project, or for the current
// directory when the project's is not there. What is wrong with the files is told.
func (a *app) configured(cwd string) *userconfig.Setup {
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		cwd, _ = a.env.Cwd() // without any, the files of the user alone count
	}
	s := userconfig.Read(sessiondir.Environment{Getenv: a.env.Getenv, Home: a.env.home()}, cwd)
	for _, w := range s.Warnings {
		a.note("warning: %s", w)
	}
	return s
}

// summarizing begins a conversation in which a summary is to be written. The
// session is closed with it, also when it cannot begin.
func (a *app) summarizing(s *pith.Session, c userconfig.Choice) (*agent.Session, error) {
	if err := canWrite(s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	own := a.configured(s.Cwd())
	conv, err := a.converse(s, own, c, a.teller().notes)
	if err != nil {
		return nil, err
	}
	if name, ok := strings.CutPrefix(own.SummarizerName(c, conv.Client()), summarize.ByModel+" "); ok && c.Model == "" {
		if named := sessionModel(s); named != "" && named != name {
			a.noteLater("note: %s wrote the summary; the session is with %s", name, named)
		}
	}
	return conv, nil
}

// canWrite fails when nothing can be appended to a session. A summary may cost
// something, so that is found out before it is asked for.
func canWrite(s *pith.Session) error {
	if err := s.Header().CheckWritable(); err != nil {
		return fmt.Errorf("%s: %w", s.File(), err)
	}
	f, err := os.OpenFile(s.File(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// asking begins a conversation in which a model is to be asked.
func (a *app) asking(s *pith.Session, own *userconfig.Setup, c userconfig.Choice, tell func(agent.Event)) (*agent.Session, error) {
	named := sessionModel(s)
	conv, err := a.converse(s, own, c, tell)
	if err != nil {
		return nil, err
	}
	if m := conv.Model(); c.Model == "" && named != "" && m.ID != "" && named != format.ModelName(m.Provider, m.ID) {
		a.note("note: asking %s; the session was with %s", format.ModelName(m.Provider, m.ID), named)
	}
	return conv, nil
}

// converse begins a live conversation in a session, which is closed with it, also
// when the conversation cannot begin.
func (a *app) converse(s *pith.Session, own *userconfig.Setup, c userconfig.Choice, tell func(agent.Event)) (*agent.Session, error) {
	config, err := own.Config(c, s)
	if err != nil {
		return nil, errors.Join(choiceError(err), s.Close())
	}
	config.Options, config.Now = a.engine(), a.env.Now
	conv, err := agent.New(s, config)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	conv.Subscribe(tell) // not before: which model is asked is told otherwise
	return conv, nil
}

// sessionModel is the model that a session names where it stands; "" for none.
func sessionModel(s *pith.Session) string {
	ctx, err := s.Context()
	if err != nil || ctx.Model == nil {
		return ""
	}
	return format.ModelName(ctx.Model.Provider, ctx.Model.ModelID)
}

// choiceError makes a usage error of a choice that cannot be right.
func choiceError(err error) error {
	if errors.Is(err, llm.ErrUnknown) {
		return usageError{err}
	}
	return err
}

// hangUp ends a conversation at the end of a command and keeps the first error.
func hangUp(conv *agent.Session, err *error) {
	if cerr := conv.Close(); *err == nil && cerr != nil {
		*err = fmt.Errorf("close the session: %w", cerr)
	}
}

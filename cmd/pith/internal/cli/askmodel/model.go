package askmodel

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// Conversations starts live conversations in the user's sessions.
type Conversations struct{ *lookup.Sessions }

// ModelFlags are the flags that choose the model and the summarizer, as typed.
// A command has those of them that it adds.
type ModelFlags struct {
	model, thinking, summarizer string
	Cwd                         string
	keep                        int64
}

func (f *ModelFlags) AddModel(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.model, "model", "", "use model `PROVIDER/ID` instead of the session's")
	_ = cmd.RegisterFlagCompletionFunc("model", cobra.NoFileCompletions) // the flag was just made
}

func (f *ModelFlags) AddThinking(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.thinking, "thinking", "", "thinking `LEVEL`: "+strings.Join(llm.ThinkingLevels, ", "))
	_ = cmd.RegisterFlagCompletionFunc("thinking", cobra.FixedCompletions(llm.ThinkingLevels, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

func (f *ModelFlags) AddSummarizer(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.summarizer, "summarizer", "", "`SUMMARIZER`: model, no-model, or cmd:LINE for a shell command")
	_ = cmd.RegisterFlagCompletionFunc("summarizer", cobra.FixedCompletions([]string{summarize.ByModel, summarize.NoModel, summarize.CommandPrefix}, cobra.ShellCompDirectiveNoFileComp)) // the flag was just made
}

func (f *ModelFlags) addSizes(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.keep, "keep-tokens", 0, "keep about the last `N` tokens of the conversation")
}

func (f *ModelFlags) AddCwd(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Cwd, "cwd", "", "project directory `DIR`, for a new session or if the session's own is missing")
	_ = cmd.MarkFlagDirname("cwd") // the flag was just made
}

// Choice returns the choice of the flags of a command.
func (f *ModelFlags) Choice(cmd *cobra.Command) (userconfig.Choice, error) {
	c := userconfig.Choice{Model: f.model, Thinking: f.thinking, Summarizer: f.summarizer}
	if c.Thinking != "" && !slices.Contains(llm.ThinkingLevels, c.Thinking) {
		return c, exit.Usagef("invalid --thinking %q: use %s", c.Thinking, strings.Join(llm.ThinkingLevels, ", "))
	}
	if c.Summarizer != "" && c.Summarizer != summarize.ByModel {
		if _, err := summarize.Choose(c.Summarizer, summarize.ChooseOptions{}); err != nil {
			return c, exit.AsUsage(err)
		}
	}
	for _, size := range []struct {
		name  string
		value *int64
		to    **int64
	}{{"keep-tokens", &f.keep, &c.Keep}} {
		if !cmd.Flags().Changed(size.name) {
			continue
		}
		if *size.value < 0 {
			return c, exit.Usagef("invalid --%s: use 0 or more", size.name)
		}
		*size.to = size.value
	}
	return c, nil
}

// Configured returns the user's configuration for a project, or for the current
// directory if the project's does not exist. It prints warnings about the
// files.
func (a *Conversations) Configured(cwd string) *userconfig.Setup {
	if info, err := os.Stat(cwd); err != nil || !info.IsDir() {
		cwd = a.Env.Here() // without any, only the files of the user count
	}
	s := userconfig.Read(a.Environment(), cwd)
	for _, w := range s.Warnings {
		a.Note("warning: %s", w)
	}
	return s
}

// Summarizing starts a conversation in which a summary is to be written. The
// session is closed with it, also if it cannot start.
func (a *Conversations) Summarizing(s *pith.Session, c userconfig.Choice) (*agent.Conversation, error) {
	if err := canWrite(s); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	own := a.Configured(s.Cwd())
	teller := a.Teller()
	conv, err := a.converse(s, own, c, func(e agent.Event) {
		if p, ok := e.(*agent.Problem); !ok || !errors.Is(p.Err, llm.ErrNoKey) { // the notes below report a missing key
			teller.notes(e)
		}
	})
	if err != nil {
		return nil, err
	}
	named := sessionModel(s)
	if own.FallsBack(c, conv.Model()) {
		a.NoteLater("note: %s; using the built-in summarizer", missingModel(own, named))
	}
	if name, ok := strings.CutPrefix(own.SummarizerName(c, conv.Model()), summarize.ByModel+" "); ok && c.Model == "" {
		if named != "" && named != name {
			a.NoteLater("note: %s wrote the summary; the session uses %s", name, named)
		}
	}
	return conv, nil
}

// missingModel explains why there is no model for a session.
func missingModel(own *userconfig.Setup, named string) string {
	if _, err := own.Models.Client(named); errors.Is(err, llm.ErrNoKey) {
		provider, _, _ := strings.Cut(named, "/")
		return "no API key for " + provider
	}
	return "no model configured"
}

// canWrite returns an error if nothing can be appended to a session. It is
// checked before a summary is requested, which may cost something.
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

// Asking starts a conversation in which a model is to be asked.
func (a *Conversations) Asking(s *pith.Session, own *userconfig.Setup, c userconfig.Choice, onEvent func(agent.Event)) (*agent.Conversation, error) {
	named := sessionModel(s)
	conv, err := a.converse(s, own, c, onEvent)
	if err != nil {
		return nil, err
	}
	if m := conv.Model(); c.Model == "" && named != "" && m.ID != "" && named != format.ModelName(m.Provider, m.ID) {
		a.Note("note: using %s; the session used %s", format.ModelName(m.Provider, m.ID), named)
	}
	return conv, nil
}

// converse starts a live conversation in a session, which is closed with it,
// also if the conversation cannot start.
func (a *Conversations) converse(s *pith.Session, own *userconfig.Setup, c userconfig.Choice, onEvent func(agent.Event)) (*agent.Conversation, error) {
	config, err := own.Config(c, s)
	if err != nil {
		return nil, errors.Join(ChoiceError(err), s.Close())
	}
	config.Options, config.Now = a.Engine(), a.Env.Now
	conv, err := agent.New(s, config)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	conv.Subscribe(onEvent) // not before: the model is reported otherwise
	return conv, nil
}

// sessionModel returns the model at the leaf of a session, or "".
func sessionModel(s *pith.Session) string {
	ctx, err := s.Context()
	if err != nil || ctx.Model == nil {
		return ""
	}
	return format.ModelName(ctx.Model.Provider, ctx.Model.ModelID)
}

// ChoiceError converts the error of an invalid choice into a usage error.
func ChoiceError(err error) error {
	if errors.Is(err, llm.ErrUnknown) {
		return exit.AsUsage(err)
	}
	return err
}

// HangUp ends a conversation at the end of a command and keeps the first error.
func HangUp(conv *agent.Conversation, err *error) {
	if cerr := conv.Close(); *err == nil && cerr != nil {
		*err = fmt.Errorf("close session: %w", cerr)
	}
}

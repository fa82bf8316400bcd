package summarize

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// The names of summarizers. A shell command follows CommandPrefix.
const (
	ByModel       = "model"
	NoModel       = "no-model"
	CommandPrefix = "cmd:"
)

// Canonical returns the name of a summarizer that was named by an old name.
func Canonical(name string) string {
	if name == "extract" || name == "none" {
		return NoModel
	}
	return name
}

// ChooseOptions configure the summarizers.
type ChooseOptions struct {
	// Client is the model, or nil if none is configured.
	Client  llm.Client
	Model   ModelOptions
	Command CommandOptions
}

// Choose returns the summarizer of a name: "model", "no-model", or "cmd:" and a shell
// command. "" is the model if there is one, and no-model otherwise.
//
// A name with a command must come from the user: from the command line or the
// user's own settings, never from a project's.
func Choose(name string, o ChooseOptions) (compact.Summarizer, error) {
	name = Canonical(name)
	line, isCommand := strings.CutPrefix(name, CommandPrefix)
	switch {
	case isCommand && strings.TrimSpace(line) == "":
		return nil, fmt.Errorf("summarizer %q has no command; use for example %q", CommandPrefix, CommandPrefix+"pi -p --no-session --no-tools")
	case isCommand:
		return Command(Shell(line), o.Command), nil
	case name == NoModel, name == "" && o.Client == nil:
		return Extract(), nil
	case name == ByModel && o.Client == nil:
		return nil, fmt.Errorf("summarizer %q needs a model and none is configured; set one, or use %q", ByModel, NoModel)
	case name == ByModel, name == "":
		return Model(o.Client, o.Model), nil
	}
	return nil, fmt.Errorf("unknown summarizer %q; use %q, %q, or %q and a command", clip(valid(name), 60), ByModel, NoModel, CommandPrefix)
}

// A compact.Summarizer may implement any of the following interfaces. Package
// agent uses those that it finds.

// A UsageReporter knows how many tokens it has used. The usage is recorded with the
// summary.
type UsageReporter interface {
	// Usage returns the tokens used so far, or nil if unknown.
	Usage() *format.Usage
}

// An Unlimited summarizer accepts conversations that are longer than a model's
// context window. Others get such a conversation in pieces.
type Unlimited interface {
	AnyLength() bool
}

// A Thinker can be told the thinking level of the conversation.
type Thinker interface {
	Think(level string)
}

// A Notifier announces its retries.
type Notifier interface {
	// Notify makes the summarizer call f for each event of its later requests.
	Notify(f func(llm.Event))
}

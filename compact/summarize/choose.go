package summarize

import (
	"fmt"
	"strings"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/llm"
)

// The names of summarizers. CommandPrefix is followed by a shell command.
const (
	ByModel       = "model"
	ByExtract     = "extract"
	CommandPrefix = "cmd:"
)

// ChooseOptions configure the summarizers.
type ChooseOptions struct {
	// Client is the model, or nil if none is configured.
	Client  llm.Client
	Model   ModelOptions
	Extract ExtractOptions
	Command CommandOptions
}

// Choose returns the summarizer with a name: "model", "extract", or "cmd:"
// followed by a shell command. "" means the model if there is one, and extract
// otherwise.
//
// A name with a command must come from the user: from the command line or the
// user's own settings, never from a project's.
func Choose(name string, o ChooseOptions) (compact.Summarizer, error) {
	line, isCommand := strings.CutPrefix(name, CommandPrefix)
	switch {
	case isCommand && strings.TrimSpace(line) == "":
		return nil, fmt.Errorf("the summarizer %q names no command; write it behind the colon, as in %q", CommandPrefix, CommandPrefix+"pi -p --no-session --no-tools")
	case isCommand:
		return Command(Shell(line), o.Command), nil
	case name == ByExtract, name == "" && o.Client == nil:
		return Extract(o.Extract), nil
	case name == ByModel && o.Client == nil:
		return nil, fmt.Errorf("the summarizer %q needs a model and none is configured; name one, or use %q, which needs none", ByModel, ByExtract)
	case name == ByModel, name == "":
		return Model(o.Client, o.Model), nil
	}
	return nil, fmt.Errorf("there is no summarizer %q; use %q, %q, or %q and a command", clip(valid(name), 60), ByModel, ByExtract, CommandPrefix)
}

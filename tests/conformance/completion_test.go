//go:build unix

package conformance_test

import (
	"testing"

	"github.com/pith-sessions/pith/tests/tools"
)

// A shell completes commands, flags and session IDs after its user loaded the
// script as the help of the command shows. bash works without the package
// bash-completion.
func TestTerminalCompletion(t *testing.T) {
	for shell, setup := range map[string][]string{
		"bash": {"exec bash --norc --noprofile", "PS1='shell>'; unset HISTFILE; source <(pith completion bash); clear"},
		"zsh":  {"exec zsh -f", "PS1='shell>'; autoload -Uz compinit; compinit -D; source <(pith completion zsh); clear"},
		"fish": {"exec fish --no-config", "set -g fish_autosuggestion_enabled 0; function fish_prompt; echo -n 'shell>'; end; pith completion fish | source; clear"},
	} {
		t.Run(shell, func(t *testing.T) {
			tools.Require(t, shell)
			m := newTerminal(t, t.TempDir(), t.TempDir(), 100, 20)
			m.runs("pith new --id completed-by-the-shell --message hello; clear")
			m.shell()
			for _, line := range setup {
				m.runs(line)
			}
			m.shell()
			for typed, want := range map[string]string{
				"pith sea":         "shell>pith search",
				"pith ls --js":     "shell>pith ls --json",
				"pith show comple": "shell>pith show complete", // the short ID
			} {
				m.types(typed)
				m.then(want, "Tab")
				m.press("C-u")
				m.gone(want)
			}
		})
	}
}

// Package all lists the programs whose sessions can be read. A new program
// needs one package next to this one and one line here.
package all

import (
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/claude"
	"github.com/pith-sessions/pith/internal/sources/codex"
	"github.com/pith-sessions/pith/internal/sources/copilot"
	"github.com/pith-sessions/pith/internal/sources/gemini"
	"github.com/pith-sessions/pith/internal/sources/kimi"
	"github.com/pith-sessions/pith/internal/sources/opencode"
	"github.com/pith-sessions/pith/internal/sources/qwen"
	"github.com/pith-sessions/pith/internal/sources/team"
)

// Programs returns the programs in the order in which they are listed.
func Programs() []sources.Program {
	return []sources.Program{
		claude.Program{}, codex.Program{}, opencode.Program{}, gemini.Program{}, qwen.Program{}, copilot.Program{}, kimi.Program{}, team.Program{},
	}
}

// Find returns the program with a short name.
func Find(name string) (sources.Program, bool) {
	for _, p := range Programs() {
		if p.Name() == name {
			return p, true
		}
	}
	return nil, false
}

package facts

import (
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
)

// An Agent is a program whose sessions are shown.
type Agent struct {
	Root  string // as in lists of sessions
	Title string
	Mark  string
	Tone  paint.Tone
	// Foreign means that it stores sessions in a format of its own.
	Foreign bool
	// Receives means that sessions of other agents can be handed over to it.
	Receives bool

	resume string // the command that continues a session; ID and FILE stand for it
	prompt string // the words before a first message: "" if it has none, "-" if the message follows alone
}

var agents = []Agent{
	{Root: "pi", Title: "pi", Mark: "π", Tone: paint.Agent2, Receives: true, resume: "pi --session FILE", prompt: "-"},
	{Root: "claude", Foreign: true, Title: "Claude Code", Mark: "C", Tone: paint.Agent1, Receives: true, resume: "claude --resume ID", prompt: "-"},
	{Root: "codex", Foreign: true, Title: "Codex", Mark: "X", Tone: paint.Agent3, Receives: true, resume: "codex resume ID", prompt: "-"},
	{Root: "opencode", Foreign: true, Title: "OpenCode", Mark: "O", Tone: paint.Agent5, Receives: true, resume: "opencode --session ID", prompt: "--prompt"},
	{Root: "gemini", Foreign: true, Title: "Gemini CLI", Mark: "G", Tone: paint.Agent4, resume: "gemini -r ID", prompt: "-i"},
	{Root: "qwen", Foreign: true, Title: "Qwen Code", Mark: "Q", Tone: paint.Agent6, resume: "qwen -r ID", prompt: "-i"},
	{Root: "copilot", Foreign: true, Title: "Copilot CLI", Mark: "P", Tone: paint.Agent6, resume: "copilot --resume=ID", prompt: "-i"},
	{Root: "kimi", Foreign: true, Title: "Kimi Code", Mark: "K", Tone: paint.Agent6, resume: "kimi -S ID"},
	{Root: "atomic", Title: "Atomic", Mark: "A", Tone: paint.Agent6, resume: "atomic --session FILE", prompt: "-"},
	{Root: "oh-my-pi", Title: "oh-my-pi", Mark: "M", Tone: paint.Agent6, resume: "omp --resume FILE", prompt: "-"},
	{Root: "openclaw", Title: "OpenClaw", Mark: "W", Tone: paint.Agent6},
	{Root: "team", Foreign: true, Title: "team", Mark: "T", Tone: paint.Agent6},
}

// AgentOf returns the agent of a root; pi for a directory that the user chose.
func AgentOf(root string) *Agent {
	for i := range agents {
		if agents[i].Root == root {
			return &agents[i]
		}
	}
	return &agents[0]
}

// Receivers returns the agents to which a session of another one can be handed over.
func Receivers(root string) (list []*Agent) {
	for i := range agents {
		if a := &agents[i]; a.Receives && a.Root != AgentOf(root).Root {
			list = append(list, a)
		}
	}
	return list
}

// Resume returns the command that continues a session; nil if pith knows none.
func (a *Agent) Resume(id, file string) []string {
	words := strings.Fields(a.resume)
	for i, w := range words {
		switch {
		case w == "FILE":
			words[i] = file
		case strings.HasSuffix(w, "ID"):
			words[i] = strings.TrimSuffix(w, "ID") + id
		}
	}
	return words
}

// Saying returns a command that also sends a first message; ok is false if the agent
// takes none.
func (a *Agent) Saying(command []string, text string) (_ []string, ok bool) {
	switch a.prompt {
	case "":
		return command, false
	case "-":
		return append(command, text), true
	}
	return append(command, a.prompt, text), true
}

// Span returns the mark of an agent.
func (a *Agent) Span() paint.Span { return paint.Span{Tone: a.Tone, Text: a.Mark} }

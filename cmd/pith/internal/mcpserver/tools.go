package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/inspect"
)

// A tool is a tool that a model can call.
type tool struct {
	name, description string
	params            []param
	answer            func(ctx context.Context, c *call) error
}

// A param is a parameter of a tool. All tools also have budget and next.
type param struct {
	name, kind, description string
	needed                  bool
}

// A call is a tool call in progress.
type call struct {
	*args
	*answer
	server *server
	start  string // where to continue; "" for the beginning
}

const (
	word   = "string"
	number = "integer"
)

// tools returns all tools. A model reads their descriptions in every
// conversation, so they are short.
func (s *server) tools() []tool {
	session := param{"session", word, "SESSION or SESSION/ENTRY; @ is the newest", true}
	return []tool{
		{"search", `Find what was said, done, tried or decided in earlier sessions; best first. Plain words, or "phrase", begin*, re:EXPR, and filters tool:NAME file:PATH role:user since:7d until:DATE project:TEXT.`,
			[]param{{"query", word, "what to find", true}, {"session", word, "search this one, entry by entry", false}, {"limit", number, "default 10", false}}, s.search},
		{"sessions", "List earlier sessions, newest first.",
			[]param{{"query", word, "words of title, name or directory", false}, {"limit", number, "default 20", false}}, s.sessions},
		{"outline", "A session as one line for each message of the user: what was asked, which tools ran, what failed.",
			[]param{session}, s.outline},
		{"read", "Read a session from the start, an entry in full, or a range of entries (A..B, A..).",
			[]param{session, {"entry", word, "ENTRY or A..B", false}}, s.read},
		{"tree", "The branches of a session: which was tried and left, and why.",
			[]param{session}, s.tree},
		{"context", "What the model saw at the end of a session, or at an entry, after compaction.",
			[]param{session}, s.context},
		{"files", "Who touched a file, and why: turns that read or changed it, newest first.",
			[]param{{"path", word, "path, or the end of one", true}, {"limit", number, "default 10", false}}, s.files},
		{"blame", "Which conversation wrote the lines of a file, and what was asked there.",
			[]param{{"path", word, "path", true}, {"line", number, "this line alone", false}}, s.blame},
		{"usage", "Tokens and cost by model, session, project or day.",
			[]param{{"session", word, "this session alone", false}, {"by", word, "model, session, project, day", false}, {"since", word, "7d or a date", false}}, s.usage},
	}
}

// names returns the parameters of a tool.
func (t *tool) names() []string {
	var out []string
	for _, p := range t.params {
		out = append(out, p.name)
	}
	return append(out, "budget", "next")
}

// schema returns the tool's parameters as JSON Schema.
func (t *tool) schema() json.RawMessage {
	var b strings.Builder
	var needed []string
	b.WriteString(`{"type":"object","properties":{`)
	for _, p := range t.params {
		fmt.Fprintf(&b, `%q:{"type":%q,"description":%q},`, p.name, p.kind, p.description)
		if p.needed {
			needed = append(needed, p.name)
		}
	}
	b.WriteString(`"budget":{"type":"integer","description":"tokens"},"next":{"type":"string"}}`)
	if len(needed) > 0 {
		fmt.Fprintf(&b, `,"required":["%s"]`, strings.Join(needed, `","`))
	}
	b.WriteString("}")
	return json.RawMessage(b.String())
}

func (t *tool) addTo(p *mcp.Server, s *server) {
	no := false
	p.AddTool(&mcp.Tool{
		Name: t.name, Description: t.description, InputSchema: t.schema(),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		text, err := s.call(withThread(ctx, r.Params.Meta), t, r.Params.Arguments)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: s.advice(err)}}}, nil
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
}

// call answers a tool call. A panic becomes an error, so that it does not end
// the server.
func (s *server) call(ctx context.Context, t *tool, raw json.RawMessage) (_ string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	a := readArgs(raw, t.names())
	c := &call{args: a, server: s, start: a.text("next")}
	c.answer = newAnswer(min(a.number("budget", s.opt.Budget, LeastBudget), MostBudget))
	if a.bad != nil {
		return "", a.bad
	}
	if l, err := s.library(ctx); err == nil && l.demo { // the tool reports an error
		c.head("Demo: the user has no sessions yet. The sessions below are pith's samples, not the user's work.")
	}
	if err := t.answer(ctx, c); err != nil {
		return "", err
	}
	if a.bad != nil {
		return "", a.bad
	}
	return c.fitting(), nil
}

// fitting returns the answer, cut if the sum of the estimates was a little too
// low.
func (c *call) fitting() string {
	text := c.String()
	if inspect.Tokens(text) > c.budget {
		return cutToRoom(text, c.budget)
	}
	return text
}

// offset returns where a list continues.
func (c *call) offset() int {
	if c.start == "" {
		return 0
	}
	var n int
	if _, err := fmt.Sscanf(c.start, "%d", &n); err != nil || n < 0 {
		c.fail(usagef("next %q is not from an answer of this tool; leave it out to begin again", short(c.start, 40)))
		return 0
	}
	return n
}

// advice returns an error as text that explains what to do.
func (s *server) advice(err error) string {
	var usage *usageError
	var missing *catalog.NoEntryError
	switch {
	case errors.As(err, &usage):
		return usage.text
	case errors.Is(err, search.ErrQuery):
		return short(err.Error(), 300) + ". Write plain words, or fix the expression."
	case errors.As(err, &missing): // the reference is the caller's own: redacting it would reveal whether it is a secret
		return fmt.Sprintf("there is no entry %q. The tool outline lists entries; SESSION alone reads from the start.", short(missing.Ref, 100))
	case errors.Is(err, pith.ErrNoEntry):
		return "There is no such entry. The tool outline lists entries; SESSION alone reads from the start."
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, catalog.ErrNotFound):
		return "The session is gone. The tool sessions lists what there is."
	case errors.Is(err, pith.ErrNotSession):
		return "The file is no session any more. The tool sessions lists what there is."
	}
	return s.guard.beginning(err.Error(), 300)
}

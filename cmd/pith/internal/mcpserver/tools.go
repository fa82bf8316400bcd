package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
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

// filterNames returns the filters of a query with placeholders.
func filterNames() string {
	names := make([]string, len(query.Filters))
	for i, f := range query.Filters {
		names[i] = f.Name + ":" + f.Value
	}
	return strings.Join(names, " ")
}

// tools returns all tools. A model reads their descriptions in every
// conversation, so they are short.
func (s *server) tools() []tool {
	session := param{"session", word, "a reference from another tool, SESSION or SESSION/ENTRY; a session name; or @ for the newest session", true}
	return []tool{
		{"search", `Search the messages, tool calls and results of past sessions. Returns the best match of each session, best first. Use plain words, or "phrase", prefix*, re:REGEXP, -word, and filters: ` + filterNames() + `. name:A,B takes one of several values, -name:A excludes.`,
			[]param{{"query", word, "words to find", true}, {"session", word, "a SESSION: return all matches in this session instead", false}, {"limit", number, "maximum number of matches, default 10", false}}, s.search},
		{"sessions", "List past sessions, newest first.",
			[]param{{"query", word, "words of the name or first message, and the filters of search", false}, {"limit", number, "maximum number of sessions, default 20", false}}, s.sessions},
		{"outline", "Show a session as one line per user message: its ENTRY, the request, the tools that ran, and failures.",
			[]param{session}, s.reading(s.outline)},
		{"read", "Read a session from the start, one entry in full, or a range of entries.",
			[]param{session, {"entry", word, "an ENTRY, or a range ENTRY..ENTRY or ENTRY..", false}}, s.reading(s.read)},
		{"tree", "Show the branches of a session: the current one, and abandoned ones with their summaries.",
			[]param{session}, s.reading(s.tree)},
		{"context", "Show the messages in the model's context, after compaction: at the end of a session, or at an entry.",
			[]param{session}, s.reading(s.context)},
		{"files", "Find the turns that read or changed a file, newest first, with the request of each.",
			[]param{{"path", word, "a file path, or the end of one", true}, {"limit", number, "maximum number of turns, default 10", false}}, s.files},
		{"blame", "Show which session wrote each line of a file as it is now, and the request behind it.",
			[]param{{"path", word, "a file path, absolute or relative to the project", true}, {"line", number, "only this line", false}}, s.blame},
	}
}

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
	b.WriteString(`"budget":{"type":"integer","description":"maximum length of the answer in tokens"},"next":{"type":"string","description":"to continue an answer: the value of next at its end"}}`)
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
		c.fail(usagef("invalid next %q: use the value from the previous answer, or leave it out to start over", short(c.start, 40)))
		return 0
	}
	return n
}

// advice returns an error as text that explains what to do.
func (s *server) advice(err error) string {
	var usage *usageError
	var missing *catalog.NoEntryError
	var invalid *query.Error
	switch {
	case errors.As(err, &usage):
		return usage.text
	case errors.As(err, &invalid):
		return short(invalid.Error(), 500) + "."
	case errors.As(err, &missing): // the reference is the caller's own: redacting it would reveal whether it is a secret
		return fmt.Sprintf("no entry %q. The outline tool lists entries; SESSION alone reads from the start.", short(missing.Ref, 100))
	}
	if text := ops.KindOf(err).Advice; text != "" {
		return text
	}
	return s.guard.beginning(err.Error(), 300)
}

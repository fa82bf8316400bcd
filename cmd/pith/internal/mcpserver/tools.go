package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/query"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
	"github.com/pith-sessions/pith/inspect"
)

// A tool is a tool that a model can call.
type tool struct {
	name, description string
	params            fields
	answer            func(ctx context.Context, raw json.RawMessage) (string, error)
}

// A call is a tool call in progress.
type call struct {
	*answer
	*rest
}

// params are the parameters of a tool: a pointer to a struct that embeds rest.
type params[P any] interface {
	*P
	common() *rest
}

// newTool returns a tool whose parameters are the fields of P.
func newTool[P any, Q params[P]](s *server, name, description string, do func(context.Context, *call, *P) error) tool {
	t := tool{name: name, description: description, params: ops.Params(reflect.TypeFor[P]())}
	t.answer = func(ctx context.Context, raw json.RawMessage) (string, error) {
		p := new(P)
		if err := t.params.read(raw, p); err != nil {
			return "", err
		}
		rest := Q(p).common()
		c := &call{newAnswer(min(cmp.Or(rest.Budget, s.budget), MostBudget)), rest}
		if err := do(ctx, c, p); err != nil {
			return "", err
		}
		return c.fitting(), nil
	}
	return t
}

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
	return []tool{
		newTool(s, "search", `Search the messages, tool calls and results of past sessions. Returns the best match of each session, best first. Use plain words, or "phrase", prefix*, re:REGEXP, -word, and filters: `+filterNames()+`. name:A,B takes one of several values, -name:A excludes.`, s.search),
		newTool(s, "sessions", "List past sessions, newest first.", s.sessions),
		newTool(s, "outline", "Show a session as one line per user message: its ENTRY, the request, the tools that ran, and failures.", reading(s, s.outline)),
		newTool(s, "read", "Read a session from the start, one entry in full, or a range of entries.", s.read),
		newTool(s, "tree", "Show the branches of a session: the current one, and abandoned ones with their summaries.", reading(s, s.tree)),
		newTool(s, "context", "Show the messages in the model's context, after compaction: at the end of a session, or at an entry.", reading(s, s.context)),
		newTool(s, "files", "Find the turns that read or changed a file, newest first, with the request of each.", s.files),
		newTool(s, "blame", "Show which session wrote each line of a file as it is now, and the request behind it.", s.blame),
	}
}

func (t *tool) addTo(p *mcp.Server, s *server) {
	no := false
	p.AddTool(&mcp.Tool{
		Name: t.name, Description: t.description, InputSchema: t.params.schema(),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &no},
	}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		// Codex sends its thread with every call, not in an environment variable.
		if thread, ok := r.Params.Meta["threadId"].(string); ok && thread != "" {
			ctx = past.From(ctx, thread)
		}
		text, err := t.call(ctx, r.Params.Arguments)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			text = s.advice(err)
		}
		return &mcp.CallToolResult{IsError: err != nil, Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
}

// call answers a tool call. A panic becomes an error, so that it does not end
// the server.
func (t *tool) call(ctx context.Context, raw json.RawMessage) (_ string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	return t.answer(ctx, raw)
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

// advice returns an error as text that explains what to do.
func (s *server) advice(err error) string {
	var usage *past.UsageError
	var missing *catalog.NoEntryError
	var invalid *query.Error
	switch {
	case errors.As(err, &usage):
		return usage.Error()
	case errors.As(err, &invalid):
		return past.Short(invalid.Error(), 500) + "."
	case errors.As(err, &missing): // the reference is the caller's own: redacting it would reveal whether it is a secret
		return fmt.Sprintf("no entry %q. The outline tool lists entries; SESSION alone reads from the start.", past.Short(missing.Ref, 100))
	}
	if text := ops.KindOf(err).Advice; text != "" {
		return text
	}
	return s.guard.Beginning(err.Error(), 300)
}

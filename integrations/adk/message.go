package adksession

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"github.com/pith-sessions/pith/format"
)

// messages returns the messages that represent an event for readers of pi's
// format; none for an event without content. Each tool result is a message of
// its own.
func messages(e *session.Event, at time.Time) []format.Message {
	var parts []*genai.Part
	role := ""
	if e.Content != nil {
		parts, role = e.Content.Parts, e.Content.Role
	}
	var out []format.Message
	var said []format.Block
	user := e.Author == "user" || e.Author == "" && role == genai.RoleUser
	for _, p := range parts {
		switch {
		case p == nil:
		case p.FunctionResponse != nil:
			out = append(out, toolResult(p.FunctionResponse, at))
		default:
			said = append(said, block(p, user))
		}
	}
	switch {
	case user && len(said) > 0:
		out = append(out, &format.User{Content: format.BlockContent(said...), Timestamp: at.UnixMilli()})
	case !user && (len(said) > 0 || e.ErrorMessage != "" || e.ErrorCode != ""):
		out = append(out, assistant(e, said, at))
	}
	return out
}

func block(p *genai.Part, user bool) format.Block {
	switch {
	case p.FunctionCall != nil:
		arguments, err := json.Marshal(p.FunctionCall.Args)
		if err != nil || p.FunctionCall.Args == nil {
			arguments = []byte("{}")
		}
		return &format.ToolCallBlock{ID: p.FunctionCall.ID, Name: p.FunctionCall.Name, Arguments: arguments}
	case p.Thought:
		return &format.ThinkingBlock{Thinking: p.Text}
	case p.InlineData != nil && user && strings.HasPrefix(p.InlineData.MIMEType, "image/"):
		return &format.ImageBlock{Data: base64.StdEncoding.EncodeToString(p.InlineData.Data), MimeType: p.InlineData.MIMEType}
	case p.InlineData != nil:
		return &format.TextBlock{Text: fmt.Sprintf("[%s, %d bytes]", p.InlineData.MIMEType, len(p.InlineData.Data))}
	case p.FileData != nil:
		return &format.TextBlock{Text: fmt.Sprintf("[%s %s]", p.FileData.MIMEType, p.FileData.FileURI)}
	case p.ExecutableCode != nil:
		return &format.TextBlock{Text: p.ExecutableCode.Code}
	case p.CodeExecutionResult != nil:
		return &format.TextBlock{Text: p.CodeExecutionResult.Output}
	}
	return &format.TextBlock{Text: p.Text}
}

func toolResult(r *genai.FunctionResponse, at time.Time) format.Message {
	text := ""
	if s, ok := r.Response["output"].(string); ok && len(r.Response) == 1 {
		text = s
	} else if raw, err := format.JSON(r.Response); err == nil {
		text = string(raw)
	}
	m := format.NewToolResult(r.ID, r.Name, text, at)
	_, m.IsError = r.Response["error"]
	return m
}

func assistant(e *session.Event, said []format.Block, at time.Time) format.Message {
	m := &format.Assistant{
		Content: format.BlockContent(said...), API: "adk", Provider: "adk", Model: cmp.Or(e.ModelVersion, e.Author),
		StopReason: "stop", Timestamp: at.UnixMilli(),
	}
	for _, b := range said {
		if _, call := b.(*format.ToolCallBlock); call {
			m.StopReason = "toolUse"
		}
	}
	switch {
	case e.ErrorMessage != "" || e.ErrorCode != "":
		m.StopReason, m.ErrorMessage = "error", strings.TrimSpace(e.ErrorCode+" "+e.ErrorMessage)
	case e.Interrupted:
		m.StopReason = "aborted"
	case e.FinishReason == genai.FinishReasonMaxTokens:
		m.StopReason = "length"
	}
	if u := e.UsageMetadata; u != nil {
		cached := int64(u.CachedContentTokenCount)
		m.Usage = format.Usage{
			Input: max(0, int64(u.PromptTokenCount)-cached), CacheRead: cached,
			Output:    int64(u.CandidatesTokenCount) + int64(u.ThoughtsTokenCount),
			Reasoning: int64(u.ThoughtsTokenCount), TotalTokens: int64(u.TotalTokenCount),
		}
	}
	return m
}

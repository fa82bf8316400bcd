// Command chat is an agent with one tool. It talks to a fake model, forks the
// conversation and resumes both.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

func main() {
	dir, err := os.MkdirTemp("", "chat")
	if err != nil {
		log.Fatal(err)
	}
	model := llmtest.NewServer() // a real one: llm.NewAnthropic or llm.NewOpenAI
	defer model.Close()
	if err := run(context.Background(), os.Stdout, dir, model); err != nil {
		log.Fatal(err)
	}
}

// snippet: tool
var weather = agent.Tool{
	Tool: llm.Tool{Name: "weather", Description: "Get the weather in a city.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`)},
	Run: func(_ context.Context, call agent.ToolCall, _ func(agent.ToolOutput)) (agent.ToolOutput, error) {
		var in struct{ City string }
		if err := json.Unmarshal(call.Arguments, &in); err != nil {
			return agent.ToolOutput{}, err
		}
		return agent.Text("rain in " + in.City), nil
	},
}

// end

func run(ctx context.Context, out io.Writer, dir string, model *llmtest.Server) error {
	model.Answer(llmtest.Call("1", "weather", `{"city":"Bergen"}`), llmtest.Text("Take an umbrella."),
		llmtest.Text("You are welcome."), llmtest.Text("Still rain."))
	// snippet: converse
	s, err := pith.Create(pith.Options{Dir: dir})
	if err != nil {
		return err
	}
	c, err := agent.New(s, agent.Config{Client: model.Anthropic(), Tools: []agent.Tool{weather}})
	if err != nil {
		return err
	}
	answer, err := c.Prompt(ctx, "Do I need an umbrella in Bergen?")
	// end
	if err != nil {
		return err
	}
	fmt.Fprintln(out, answer.Content.PlainText())
	if _, err = c.Prompt(ctx, "Thank you."); err != nil {
		return err
	}
	original, thanks := s.File(), lastUser(s)
	// snippet: fork
	fork, err := c.Fork(ctx, thanks) // before that message, in a new session
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "forked before:", fork.EditorText)
	answer, err = c.Prompt(ctx, "And tomorrow?")
	// end
	if err != nil {
		return err
	}
	fmt.Fprintln(out, answer.Content.PlainText())
	forked := c.Session().File()
	if err := c.Close(); err != nil {
		return err
	}
	for _, file := range []string{original, forked} {
		// snippet: resume
		s, err := pith.Open(ctx, file, pith.Options{})
		if err != nil {
			return err
		}
		visible, err := s.Context() // the messages that the model sees
		// end
		if err != nil {
			return err
		}
		messages := 0
		for _, err := range visible.Messages() {
			if err != nil {
				return err
			}
			messages++
		}
		fmt.Fprintf(out, "resumed with %d messages\n", messages)
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// lastUser returns the ID of the last user message on the current path.
func lastUser(s *pith.Session) (id string) {
	v := s.View()
	path, err := v.Path("")
	if err != nil {
		return ""
	}
	for _, pos := range path {
		if e := v.At(pos); e.Role == format.RoleUser {
			id = e.ID
		}
	}
	return id
}

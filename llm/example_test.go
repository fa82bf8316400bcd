package llm_test

import (
	"context"
	"fmt"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

func Example() {
	server := llmtest.NewServer() // in place of a provider
	defer server.Close()
	server.Answer(llmtest.Throttled(0), llmtest.Text("A tree.").Tokens(12, 4))

	client := llm.WithRetry(server.Anthropic(), llm.RetryPolicy{Base: time.Millisecond})
	answer, err := client.Stream(context.Background(), llm.Request{
		System:   "Be brief.",
		Messages: []format.Message{format.NewUser("What is a session?", time.Now())},
	}, func(e llm.Event) {
		switch e.Kind {
		case llm.TextDelta:
			fmt.Print(e.Delta)
		case llm.Retry:
			fmt.Println("once more")
		}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("\n%s after %d tokens\n", answer.StopReason, answer.Usage.TotalTokens)
	// Output:
	// once more
	// A tree.
	// stop after 16 tokens
}

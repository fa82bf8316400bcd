package llmtest_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/llm/llmtest"
)

// A provider on loopback that says what a test wants.
func Example() {
	server := llmtest.NewServer()
	defer server.Close()
	server.Answer(llmtest.Text("four"))
	answer, err := server.OpenAI().Stream(context.Background(), llm.Request{
		Messages: []format.Message{format.NewUser("two and two?", time.Now())},
	}, func(llm.Event) {})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.StopReason, len(server.Requests()))
	// Output: stop 1
}

package llm_test

import (
	"testing"

	"github.com/pith-sessions/pith/llm"
)

// Servers write their streams in several ways; all of them are read, and members that
// have another type than expected are left out, not the answer.
func TestStreamForms(t *testing.T) {
	const end = `{"choices":[{"delta":{},"finish_reason":"stop"}]}`
	for name, stream := range map[string]string{
		"plain":            "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: " + end + "\n\ndata: [DONE]\n\n",
		"carriage returns": "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\r\n\r\ndata: " + end + "\r\n\r\n",
		"no space":         "data:{\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata:" + end + "\n\n",
		"comments":         ": waiting\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n: still\n\ndata: " + end + "\n\n",
		"several lines":    "event: chunk\nid: 7\ndata: {\"choices\":[{\"delta\":\ndata: {\"content\":\"hi\"}}]}\n\ndata: " + end + "\n\n",
		"an empty event":   "event: ping\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: " + end + "\n\n",
		"another type":     "data: {\"id\":7,\"choices\":[{\"delta\":{\"reasoning\":{\"a\":1},\"content\":\"hi\"}}]}\n\ndata: " + end + "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			m, err := llm.ReadStream(llm.APIOpenAI, stream, nil)
			if err != nil {
				t.Fatalf("ReadStream(%q) = %v", stream, err)
			}
			if got := m.Content.Joined(); got != "hi" || m.StopReason != "stop" {
				t.Errorf("ReadStream(%q) says %q and stops for %q; want hi and stop", stream, got, m.StopReason)
			}
		})
	}
}

package cli_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pith-sessions/pith/llm/llmtest"
)

// modelKey is where a script keeps its model.
type modelKey struct{}

// A scriptModel is the server that answers the requests of one script.
type scriptModel struct{ server *llmtest.Server }

// model ANSWER... starts a model that returns these responses, one for each
// request, and describes it in models.json. Later calls add responses. A
// response is its text, or one of these, followed by the text:
//
//	status:N:  the request is rejected
//	length:    the response ends because of its length
//	cut:N:     the connection breaks after N bytes
//	stall:     the response never ends
//	escape:    the response contains terminal escapes
func model(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: model ANSWER...")
	}
	m := ts.Value(modelKey{}).(*scriptModel)
	if m.server == nil {
		m.server = llmtest.NewServer()
		ts.Defer(m.server.Close)
		dir := filepath.Join(ts.Getenv("HOME"), ".pi", "agent")
		ts.Check(os.MkdirAll(dir, 0o700))
		ts.Check(os.WriteFile(filepath.Join(dir, "models.json"), []byte(m.server.ModelsJSON()), 0o600))
	}
	for _, arg := range args {
		m.server.Answer(scriptAnswer(ts, arg))
	}
}

func scriptAnswer(ts *testscript.TestScript, arg string) llmtest.Answer {
	kind, rest, _ := strings.Cut(arg, ":")
	number := func() (int, string) {
		n, text, ok := strings.Cut(rest, ":")
		i, err := strconv.Atoi(n)
		if err != nil || !ok {
			ts.Fatalf("model: %q needs a number and text", arg)
		}
		return i, text
	}
	switch kind {
	case "status":
		n, text := number()
		return llmtest.Status(n, text)
	case "length":
		return llmtest.Text(rest).Stopped("length")
	case "cut":
		n, text := number()
		return llmtest.Text(text).CutAt(n)
	case "escape":
		return llmtest.Text(rest + "\x1b[31m\x1b]0;title\a\r\n\u202e\u2028\x9b")
	case "stall":
		return llmtest.Text(rest).StallAt(400)
	}
	return llmtest.Text(arg).Tokens(1000, 50)
}

// asked N FILE writes what the model was asked with the Nth request to a file;
// asked N fails unless there were N requests.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	m := ts.Value(modelKey{}).(*scriptModel)
	if neg || len(args) != 1 && len(args) != 2 || m.server == nil {
		ts.Fatalf("usage: asked N FILE, or asked COUNT, after model")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	requests := m.server.Requests()
	if len(args) == 1 {
		if len(requests) != n {
			ts.Fatalf("the model was asked %d times, want %d", len(requests), n)
		}
		return
	}
	if n < 1 || n > len(requests) {
		ts.Fatalf("there is no request %d; there were %d", n, len(requests))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), requests[n-1].Body, 0o600))
}

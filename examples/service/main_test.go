package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/llm/llmtest"
	"github.com/pith-sessions/pith/store/pgstore"
	"github.com/pith-sessions/pith/tests/pgtest"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// Two replicas serve one session. The first is killed while the model answers; the
// second finishes the turn.
func TestRestartInTheMiddleOfATurn(t *testing.T) {
	model := llmtest.NewServer()
	defer model.Close()
	asked := make(chan struct{}, 8)
	answers := []llmtest.Answer{llmtest.Text("first answer"), llmtest.Text("never seen").StallAt(0), llmtest.Text("second answer")}
	model.AnswerFunc(func(llmtest.Request) llmtest.Answer {
		a := answers[0]
		answers = answers[1:]
		asked <- struct{}{}
		return a
	})
	program := filepath.Join(t.TempDir(), "service")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the test command compiles programs
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	schema, dsn := pgtest.Schema(t), pgtest.DSN(t)
	start := func() (*exec.Cmd, string) {
		cmd := exec.CommandContext(t.Context(), program, "-dsn", dsn, "-schema", schema, "-model", model.URL)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		url, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return cmd, strings.TrimSpace(url)
	}
	one, first := start()
	_, second := start()
	post := func(url, text string) (string, error) {
		r, err := http.Post(url, "text/plain", strings.NewReader(text))
		if err != nil {
			return "", err
		}
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		return r.Status + " " + string(body), err
	}
	if got, err := post(second+"/sessions/s", "first question"); err != nil || got != "200 OK first answer\n" {
		t.Fatalf("the first question = %q, %v", got, err)
	}
	<-asked
	broken := make(chan error, 1)
	go func() {
		_, err := post(first+"/sessions/s", "second question")
		broken <- err
	}()
	<-asked // the question is stored, and the model is asked
	if err := one.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := <-broken; err == nil {
		t.Fatal("the killed replica answered")
	}
	if got, err := post(second+"/sessions/s/continue", ""); err != nil || got != "200 OK second answer\n" {
		t.Fatalf("continue = %q, %v", got, err)
	}
	if got, err := post(second+"/sessions/s/continue", ""); err != nil || !strings.HasPrefix(got, "409 ") {
		t.Errorf("continue with nothing to continue = %q, %v; want 409", got, err)
	}
	db, err := pgstore.Connect(t.Context(), dsn, pgstore.Options{Schema: schema})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := pith.Open(t.Context(), "/sessions/s.jsonl", pith.Options{Store: db, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.Context()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	if n != 4 {
		t.Errorf("the session has %d messages; want two questions and two answers", n)
	}
}

// Command adk runs an ADK agent, rewinds and forks its conversation, and prints
// the session as the pith command would.
package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log"
	"os"

	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/llmagent"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	adksession "github.com/pith-sessions/pith/integrations/adk"
)

const app, user, id = "example", "ada", "trip"

func main() {
	dir, err := os.MkdirTemp("", "adk")
	if err != nil {
		log.Fatal(err)
	}
	if err := run(context.Background(), os.Stdout, dir); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the sessions are in", dir)
}

func run(ctx context.Context, out io.Writer, dir string) error {
	// snippet: service
	svc, err := adksession.New(adksession.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer svc.Close()
	a, err := llmagent.New(llmagent.Config{Name: "guide", Model: echo{}})
	if err != nil {
		return err
	}
	r, err := runner.New(runner.Config{AppName: app, Agent: a, SessionService: svc, AutoCreateSession: true})
	// end
	if err != nil {
		return err
	}
	for _, text := range []string{"To the sea?", "To the lake?"} {
		if err := ask(ctx, out, r, id, text); err != nil {
			return err
		}
	}
	// snippet: rewind
	got, err := svc.Get(ctx, &session.GetRequest{AppName: app, UserID: user, SessionID: id})
	if err != nil {
		return err
	}
	s := got.Session
	firstAnswer := s.Events().At(1).ID
	fork, err := svc.Fork(ctx, s, firstAnswer) // a session of its own
	if err != nil {
		return err
	}
	if err := svc.Rewind(ctx, s, firstAnswer); err != nil { // this one goes back
		return err
	}
	// end
	if err := ask(ctx, out, r, id, "To the hills?"); err != nil {
		return err
	}
	if err := ask(ctx, out, r, fork.ID(), "To the city?"); err != nil {
		return err
	}
	for _, of := range []string{id, fork.ID()} {
		got, err := svc.Get(ctx, &session.GetRequest{AppName: app, UserID: user, SessionID: of})
		if err != nil {
			return err
		}
		for e := range got.Session.Events().All() {
			fmt.Fprint(out, e.Author, ": ", e.Content.Parts[0].Text, "; ")
		}
		fmt.Fprintln(out)
	}
	return nil
}

func ask(ctx context.Context, out io.Writer, r *runner.Runner, id, text string) error {
	for e, err := range r.Run(ctx, user, id, genai.NewContentFromText(text, genai.RoleUser), agent.RunConfig{}) {
		if err != nil {
			return err
		}
		if e.IsFinalResponse() && e.Content != nil {
			fmt.Fprintln(out, e.Content.Parts[0].Text)
		}
	}
	return nil
}

// echo is a model that returns the number of messages that it sees and the last
// one.
type echo struct{}

func (echo) Name() string { return "echo" }

func (echo) GenerateContent(_ context.Context, req *model.LLMRequest, _ bool) iter.Seq2[*model.LLMResponse, error] {
	return func(yield func(*model.LLMResponse, error) bool) {
		last := req.Contents[len(req.Contents)-1]
		text := fmt.Sprintf("%d: %s", len(req.Contents), last.Parts[0].Text)
		yield(&model.LLMResponse{Content: genai.NewContentFromText(text, genai.RoleModel), TurnComplete: true}, nil)
	}
}

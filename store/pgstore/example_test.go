package pgstore_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/store/pgstore"
)

// A service keeps its users' conversations in PostgreSQL. Any number of its workers
// may run: none of them holds anything between two requests.
type service struct {
	store  *pgstore.Store
	client llm.Client
}

// conversationID keeps what users send out of the names of logs.
var conversationID = regexp.MustCompile(`^[0-9a-z-]{1,64}$`)

// ServeHTTP answers POST /conversations/{id}: the body is the next prompt.
func (v *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	prompt, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !conversationID.MatchString(id) {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	answer, err := v.converse(r, id, string(prompt))
	var stale *pith.StaleError
	switch {
	case err == nil:
		_, _ = io.WriteString(w, answer) // the client may have left; the answer is kept
	case errors.As(err, &stale) || errors.Is(err, fs.ErrExist): // gone on, or begun, by another
		http.Error(w, "the conversation went on elsewhere; read it and ask again", http.StatusConflict)
	case errors.Is(err, pgstore.ErrUnavailable):
		w.Header().Set("Retry-After", "5")
		http.Error(w, "try again in a moment", http.StatusServiceUnavailable)
	default:
		log.Print(err)
		http.Error(w, "internal error", http.StatusInternalServerError)
	}
}

// snippet: converse
func (v *service) converse(r *http.Request, id, prompt string) (string, error) {
	s, err := pith.OpenOrCreate(r.Context(), "/conversations/"+id+".jsonl", pith.Options{
		Store: v.store,
		Cwd:   "/",
	})
	if err != nil {
		return "", err
	}
	a, err := agent.New(s, agent.Config{Client: v.client})
	if err != nil {
		return "", errors.Join(err, s.Close())
	}
	defer a.Close()
	answer, err := a.Prompt(r.Context(), prompt)
	if err != nil {
		return "", err
	}
	return answer.Content.PlainText(), nil
}

// end

// An HTTP service whose workers share their conversations.
func Example() {
	start, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	store, err := pgstore.Connect(start, os.Getenv("DATABASE_URL"), pgstore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	mux := http.NewServeMux()
	mux.Handle("POST /conversations/{id}", &service{store, echo{}}) // a real client comes from package llm
	log.Print(http.ListenAndServe("localhost:8080", mux))
}

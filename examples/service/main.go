// Command service answers questions over HTTP. Its sessions are in PostgreSQL,
// so any number of replicas serve the same ones, and any replica can finish a
// turn that another one left unfinished.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/pgstore"
)

func main() {
	dsn := flag.String("dsn", "", "connection string of the database")
	schema := flag.String("schema", "pith", "schema of the tables")
	model := flag.String("model", "", "base URL of a model that speaks Anthropic's protocol")
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	flag.Parse()
	ctx := context.Background()
	db, err := pgstore.Connect(ctx, *dsn, pgstore.Options{Schema: *schema})
	if err != nil {
		log.Fatal(err)
	}
	client := llm.NewAnthropic(llm.Model{Provider: "example", ID: "model", API: llm.APIAnthropic, BaseURL: *model, ContextWindow: 200_000, MaxTokens: 8_000}, llm.Options{})
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("http://" + l.Addr().String())
	log.Fatal(http.Serve(l, routes(db, client)))
}

func routes(db store.Store, client llm.Client) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		reply(w, r, db, client, string(text))
	})
	mux.HandleFunc("POST /sessions/{id}/continue", func(w http.ResponseWriter, r *http.Request) { reply(w, r, db, client, "") })
	return mux
}

func reply(w http.ResponseWriter, r *http.Request, db store.Store, client llm.Client, text string) {
	answer, err := turn(r.Context(), db, client, r.PathValue("id"), text)
	switch {
	case errors.Is(err, pith.ErrSessionID):
		http.Error(w, err.Error(), http.StatusBadRequest)
	case errors.Is(err, agent.ErrNothingToContinue):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		fmt.Fprintln(w, answer.Content.PlainText())
	}
}

// snippet: turn
// turn runs one turn of a session: with a text, or to finish what was left unfinished.
func turn(ctx context.Context, db store.Store, client llm.Client, id, text string) (*format.Assistant, error) {
	if !format.ValidSessionID(id) {
		return nil, pith.ErrSessionID
	}
	s, err := pith.OpenOrCreate(ctx, "/sessions/"+id+".jsonl", pith.Options{Store: db, ID: id, Cwd: "/", OnConflict: pith.FollowNew})
	if err != nil {
		return nil, err
	}
	c, err := agent.New(s, agent.Config{Client: client})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	defer c.Close()
	if text == "" {
		return c.Continue(ctx)
	}
	return c.Prompt(ctx, text)
}

// end

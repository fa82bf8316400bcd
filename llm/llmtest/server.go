package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/llm"
)

// A Server handles requests of both protocols, on loopback. It is safe for
// concurrent use.
type Server struct {
	// URL is the address without a path. It is the base URL of Messages; that
	// of Chat Completions has the suffix /v1.
	URL string

	http *httptest.Server
	done chan struct{}

	mu       sync.Mutex // guards the fields below
	queue    []Answer
	answer   func(Request) Answer
	requests []Request
}

// A Request is a request received by the server.
type Request struct {
	API    string // as sessions name it
	Path   string
	Header http.Header
	Body   json.RawMessage
}

// Decode reads the body into v.
func (r Request) Decode(v any) error { return json.Unmarshal(r.Body, v) }

// Model returns the requested model.
func (r Request) Model() string {
	var body struct{ Model string }
	_ = r.Decode(&body) // a body that is not JSON names no model
	return body.Model
}

// NewServer starts a server. The caller must close it.
func NewServer() *Server {
	s := &Server{done: make(chan struct{})}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = s.http.URL
	return s
}

// Close stops the server and all responses in progress.
func (s *Server) Close() {
	close(s.done)
	s.http.CloseClientConnections()
	s.http.Close()
}

// Answer queues answers, one for each future request.
func (s *Server) Answer(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queue = append(s.queue, answers...)
}

// AnswerFunc sets the function that answers requests without a queued answer.
// It may be called concurrently.
func (s *Server) AnswerFunc(f func(Request) Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// Requests returns the requests received, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Last returns the last request, or an empty one.
func (s *Server) Last() Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return Request{}
	}
	return s.requests[len(s.requests)-1]
}

// Waiting returns the number of queued answers.
func (s *Server) Waiting() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queue)
}

// The names of the server's models: those of [Server.Anthropic],
// [Server.OpenAI] and [Server.ModelsJSON].
const (
	AnthropicProvider = "test-anthropic"
	OpenAIProvider    = "test-openai"
	ModelID           = "test-model"
)

// Key is the key that the server's clients send.
const Key = "test-key-0123456789"

// AnthropicModel returns a model of the server for Messages. It can think,
// accepts images, has a context window of 200,000 tokens and a price.
func (s *Server) AnthropicModel() llm.Model {
	return s.model(AnthropicProvider, llm.APIAnthropic, s.URL)
}

// OpenAIModel is like AnthropicModel for Chat Completions.
func (s *Server) OpenAIModel() llm.Model {
	return s.model(OpenAIProvider, llm.APIOpenAI, s.URL+"/v1")
}

func (s *Server) model(provider, api, url string) llm.Model {
	return llm.Model{
		Provider: provider, ID: ModelID, Name: "Test Model", API: api, BaseURL: url,
		ContextWindow: 200_000, MaxTokens: 32_000, Reasoning: true, Images: true,
		Cost: llm.Price{Input: 3, Output: 15, CacheRead: 0.3, CacheWrite: 3.75},
	}
}

// Anthropic returns a client for [Server.AnthropicModel].
func (s *Server) Anthropic() *llm.Anthropic { return llm.NewAnthropic(s.AnthropicModel(), s.options()) }

// OpenAI returns a client for [Server.OpenAIModel].
func (s *Server) OpenAI() *llm.OpenAI { return llm.NewOpenAI(s.OpenAIModel(), s.options()) }

func (s *Server) options() llm.Options {
	return llm.Options{Key: llm.NewSecret(Key), HTTP: s.http.Client()}
}

// ModelsJSON returns a models.json with the server's models, for testing
// programs from the outside.
func (s *Server) ModelsJSON() string {
	provider := func(m llm.Model) object {
		return object{"baseUrl": m.BaseURL, "api": m.API, "apiKey": Key, "models": []object{{
			"id": m.ID, "name": m.Name, "reasoning": true, "input": []string{"text", "image"},
			"contextWindow": m.ContextWindow, "maxTokens": m.MaxTokens,
			"cost": object{"input": m.Cost.Input, "output": m.Cost.Output, "cacheRead": m.Cost.CacheRead, "cacheWrite": m.Cost.CacheWrite},
		}}}
	}
	return marshal(object{"providers": object{
		AnthropicProvider: provider(s.AnthropicModel()), OpenAIProvider: provider(s.OpenAIModel()),
	}})
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client is gone
	}
	in := Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body}
	switch {
	case strings.HasSuffix(r.URL.Path, "/v1/messages"):
		in.API = llm.APIAnthropic
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		in.API = llm.APIOpenAI
	default:
		http.NotFound(w, r)
		return
	}
	a := s.next(in)
	for name, values := range a.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	stream := a.Body
	if a.Status != 0 && a.Status != http.StatusOK {
		w.WriteHeader(a.Status)
	} else {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		stream = a.Anthropic(in.Model())
		if in.API == llm.APIOpenAI {
			stream = a.OpenAI(in.Model())
		}
	}
	s.send(w, r, a, stream)
}

func (s *Server) next(in Request) Answer {
	s.mu.Lock()
	s.requests = append(s.requests, in)
	n, answer := len(s.requests), s.answer
	var a Answer
	switch {
	case len(s.queue) > 0:
		a, s.queue = s.queue[0], s.queue[1:]
		answer = nil
	case answer == nil:
		a = Status(http.StatusBadRequest, "llmtest: no answer is queued for this request")
	}
	s.mu.Unlock()
	if answer != nil {
		a = answer(in)
	}
	if a.ID == "" {
		a.ID = fmt.Sprintf("answer-%d", n)
	}
	return a
}

// send writes the response and applies its ending.
func (s *Server) send(w http.ResponseWriter, r *http.Request, a Answer, stream string) {
	control := http.NewResponseController(w)
	at := len(stream)
	if a.ending != whole {
		at = min(a.at, len(stream))
	}
	// Write errors mean that the client is gone, which is allowed.
	_, _ = io.WriteString(w, stream[:at])
	if a.ending == whole {
		return
	}
	_ = control.Flush()
	switch a.ending {
	case cut:
		panic(http.ErrAbortHandler) // closes the connection without ending the response
	case stall:
		select {
		case <-r.Context().Done():
		case <-s.done:
		}
	case hold:
		select {
		case <-a.signal:
			_, _ = io.WriteString(w, stream[at:])
		case <-r.Context().Done():
		case <-s.done:
		}
	}
}

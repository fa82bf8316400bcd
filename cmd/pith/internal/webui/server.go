package webui

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
)

// Config configures a server.
type Config struct {
	// App is what the use cases work on. Its indexes are opened once.
	App *ops.App
	// Window returns the context window of a model in tokens, or 0 if it is not
	// known. Nil means that none is known.
	Window func(model string) int64
	// Command returns a pith command as a person would type it; nil joins the
	// words.
	Command func(words ...string) string
	// Note is called once for each note to print on the terminal; nil ignores
	// them.
	Note func(format string, args ...any)
}

// complete replaces the functions that are nil.
func (c *Config) complete() {
	app := *c.App
	c.App = &app
	if app.Index != nil {
		app.Index = sync.OnceValue(app.Index)
	}
	if app.Words != nil {
		app.Words = sync.OnceValue(app.Words)
	}
	if app.Now == nil {
		app.Now = time.Now
	}
	if c.Window == nil {
		c.Window = func(string) int64 { return 0 }
	}
	if c.Command == nil {
		c.Command = func(words ...string) string {
			text := "pith"
			for _, w := range words {
				text += " " + shellWord(w)
			}
			return text
		}
	}
	if c.Note == nil {
		c.Note = func(string, ...any) {}
	}
}

// A Server serves browsers.
type Server struct {
	c       Config
	guard   *guard
	listen  net.Listener
	http    *http.Server
	archive *archive
	open    *openSessions
	watch   watch
	printed sync.Map // notes that were printed already
}

// New returns a server that listens at addr; port 0 takes a free one. It
// answers once Serve runs.
func New(addr string, c Config) (*Server, error) {
	listen, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	g, err := newGuard(listen.Addr(), addr)
	if err != nil {
		return nil, errors.Join(err, listen.Close())
	}
	c.complete()
	s := &Server{c: c, guard: g, listen: listen, archive: &archive{c: c, list: ops.Watching(c.App)}, open: &openSessions{}}
	s.http = &http.Server{
		Handler: s.recoverPanics(g.wrap(s.routes(), http.HandlerFunc(asset))), ErrorLog: log.New(io.Discard, "", 0), // Note reports what matters
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
	}
	return s, nil
}

// A handler answers a request. Its error becomes a page.
type handler func(http.ResponseWriter, *http.Request) error

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]handler{
		"/{$}": s.listPage, "/learn.json": s.learn,
		"/usage":  s.usagePage,
		"/s/{id}": s.onSession(s.sessionPage), "/s/{id}/index.json": s.onSession(s.sessionIndex), "/s/{id}/part/{n}": s.onSession(s.sessionPart), "/s/{id}/search.json": s.onSession(s.sessionSearch),
		"/s/{id}/context.json": s.onSession(s.sessionContext), "/s/{id}/runs": s.onSession(s.sessionRuns), "/s/{id}/live": s.onSession(s.sessionLive),
		"/s/{id}/compare": s.onSession(s.comparePage),
		"/":               func(http.ResponseWriter, *http.Request) error { return errNothing },
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := answer(w, r); err != nil && r.Context().Err() == nil { // otherwise nobody waits for an answer
				s.fail(w, err)
			}
		})
	}
	return mux
}

// URL returns the address to open, with the token in its fragment.
func (s *Server) URL() string { return s.base() + "/#" + s.guard.token }

// BrowserURL returns the address for the command line of a browser, which every user of
// a machine can read: it opens once. It makes the one before it void.
func (s *Server) BrowserURL() string { return s.base() + "/#once-" + s.guard.newTicket() }

func (s *Server) base() string {
	host, port, err := net.SplitHostPort(s.listen.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Serve answers until ctx ends.
func (s *Server) Serve(ctx context.Context) error {
	defer s.open.close()
	defer s.watch.close()
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	end := context.AfterFunc(ctx, func() { s.http.Close() })
	defer end()
	if err := s.http.Serve(s.listen); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// writing is how long a client may take to read a response.
const writing = time.Minute

// recoverPanics turns a panic of inner into a page that shows no stack. It also
// limits how long a client may take to read a response.
func (s *Server) recoverPanics(inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if caught := recover(); caught != nil && caught != http.ErrAbortHandler {
				s.noteOnce("internal error while making a page: %v", caught)
				s.fail(w, errFault)
			}
		}()
		_ = http.NewResponseController(w).SetWriteDeadline(s.deadline()) // every connection has one
		inner.ServeHTTP(w, r)
	})
}

// command returns a pith command about a session as a person would type it. It
// returns "" if neither the ID nor the path can be pasted into a terminal
// safely.
func (s *Server) command(info *catalog.Info, verb string, rest ...string) string {
	name := info.ID
	if name == "" || !printable(name) || strings.HasPrefix(name, "-") {
		name = info.Path
	}
	if !printable(name) {
		return ""
	}
	words := append([]string{verb, name}, rest...)
	if verb == "" {
		words = words[1:]
	}
	return s.c.Command(words...)
}

// printable reports whether text has only visible characters.
func printable(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
}

// deadline returns the write deadline of a response that starts now.
func (s *Server) deadline() time.Time { return time.Now().Add(writing) }

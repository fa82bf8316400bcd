package webui

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/export/page"
	"github.com/pith-sessions/pith/sessiondir"
)

//go:embed assets
var assets embed.FS

// Config says what is shown.
type Config struct {
	Catalog catalog.Options
	Engine  pith.Options
	Words   *search.Index // nil means that searches read all files
	Home    string
	Now     func() time.Time
	// Tell is told once what the terminal should say; nil tells nobody.
	Tell func(format string, args ...any)
}

// A Server answers browsers.
type Server struct {
	c      Config
	guard  *guard
	listen net.Listener
	http   *http.Server
	open   *openSessions
	told   sync.Map // what was told already
}

// New is a server at an address, which is one of this machine; port 0 takes a free
// one. It answers when Serve runs.
func New(addr string, c Config) (*Server, error) {
	listen, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	g, err := newGuard(listen.Addr(), addr)
	if err != nil {
		return nil, errors.Join(err, listen.Close())
	}
	s := &Server{c: c, guard: g, listen: listen, open: newOpenSessions(c)}
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", s.listPage)
	mux.HandleFunc("/sessions.json", s.listData)
	mux.HandleFunc("/search.json", s.searchData)
	mux.HandleFunc("/s/{id}", s.sessionPage)
	mux.HandleFunc("/s/{id}/index.json", s.sessionIndex)
	mux.HandleFunc("/s/{id}/part/{n}", s.sessionPart)
	mux.HandleFunc("/s/{id}/live", s.sessionLive)
	mux.HandleFunc("/s/{id}/doctor", s.doctorPage)
	mux.HandleFunc("/s/{id}/compare", s.comparePage)
	mux.HandleFunc("/usage", s.usagePage)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { s.fail(w, errNothing) })
	s.http = &http.Server{Handler: g.wrap(mux, http.HandlerFunc(asset)), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10}
	return s, nil
}

// URL is the address to open, with the token.
func (s *Server) URL() string { return "http://" + s.listen.Addr().String() + "/#" + s.guard.token }

// Serve answers until the context ends.
func (s *Server) Serve(ctx context.Context) error {
	defer s.open.close()
	s.http.BaseContext = func(net.Listener) context.Context { return ctx }
	end := context.AfterFunc(ctx, func() { s.http.Close() })
	defer end()
	if err := s.http.Serve(s.listen); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

var errNothing = fmt.Errorf("there is nothing at this address: %w", fs.ErrNotExist)

// fail says what is wrong, on a page, and the terminal once.
func (s *Server) fail(w http.ResponseWriter, err error) {
	code, text := http.StatusInternalServerError, "This could not be read."
	switch {
	case errors.Is(err, context.Canceled):
		return
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, catalog.ErrNotFound), errors.Is(err, pith.ErrNoEntry):
		code, text = http.StatusNotFound, "There is no such session, or it is gone."
	case errors.Is(err, errBusy):
		code, text = http.StatusServiceUnavailable, "Too many pages are open; close one and try again."
	case errors.Is(err, pith.ErrNotSession):
		text = "This file is not a session any more."
	}
	if code == http.StatusInternalServerError && s.c.Tell != nil {
		if _, again := s.told.LoadOrStore(err.Error(), true); !again {
			s.c.Tell("note: %v", err)
		}
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(code)
	fmt.Fprint(w, head("pith")+`<main class="lock"><h1>`+page.Escaped(text)+`</h1><p><a href="/">All sessions</a></p></main></body></html>`)
}

// head begins every page.
func head(title string) string {
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>` + page.Escaped(title) + `</title><link rel="stylesheet" href="/assets/page.css"><link rel="stylesheet" href="/assets/web.css"></head><body>
`
}

const nav = `<nav class="links" aria-label="Pages"><a href="/">Sessions</a><a href="/usage">Usage</a></nav>`

// asset serves what pages are made of.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path[len("/assets/"):]
	var text string
	switch name {
	case "page.css":
		text = page.Style
	case "page.js":
		text = page.Script
	default:
		raw, err := assets.ReadFile("assets/" + name)
		if err != nil {
			refuse(w, http.StatusNotFound, "There is nothing at this address.")
			return
		}
		text = string(raw)
	}
	kind := "text/javascript; charset=utf-8"
	if len(name) > 4 && name[len(name)-4:] == ".css" {
		kind = "text/css; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	fmt.Fprint(w, text)
}

// listed are all sessions, the one used last first.
func (s *Server) listed(ctx context.Context) ([]catalog.Info, error) {
	return catalog.Sorted(catalog.ListAll(ctx, s.c.Catalog))
}

// find is the session with an id, as lists have it.
func (s *Server) find(ctx context.Context, id string) (catalog.Info, error) {
	for info, err := range catalog.ListAll(ctx, s.c.Catalog) {
		if err != nil {
			return catalog.Info{}, err
		}
		if info.ID == id {
			return info, nil
		}
	}
	return catalog.Info{}, fmt.Errorf("session %q: %w", id, catalog.ErrNotFound)
}

func (s *Server) homely(path string) string { return humanize.Path(s.c.Home, path) }

func (s *Server) environment() sessiondir.Environment {
	return sessiondir.Environment{Getenv: s.c.Catalog.Getenv, Home: s.c.Home}
}

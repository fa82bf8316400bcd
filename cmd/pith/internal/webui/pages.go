package webui

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/internal/page"
)

//go:embed assets templates
var files embed.FS

// pages returns the templates. It parses them on the first call.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"icons":   func() template.HTML { return template.HTML(page.Icons) },
		"icon":    func(name, classes string) template.HTML { return template.HTML(page.Icon(name, classes)) },
		"brand":   func() template.HTML { return page.Brand },
		"buttons": func() template.HTML { return template.HTML(page.Buttons) },
		"change":  func(c *page.Change) template.HTML { return template.HTML(page.PlusMinus(c.Added, c.Removed)) },
		"help":    func(keys ...string) template.HTML { return template.HTML(page.Help(keys...)) },
	}).ParseFS(files, "templates/*.html"))
})

func show(w http.ResponseWriter, name string, data any) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	return pages().ExecuteTemplate(w, name, data)
}

// markup returns a part of a page as text.
func markup(name string, data any) (string, error) {
	var b strings.Builder
	err := pages().ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// reply sends a value as JSON.
func reply(w http.ResponseWriter, value any) error {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

var (
	errNothing = fmt.Errorf("page not found: %w", fs.ErrNotExist)
	// errFault means that a panic was reported already.
	errFault = errors.New("internal error")
)

// failures are the texts of error pages by the kinds of errors.
var failures = map[string]string{
	"notFound":   "Session not found. It may have been moved or deleted.",
	"gone":       "Session not found. It may have been moved or deleted.",
	"noEntry":    "This session has no such entry.",
	"tooMany":    "Too many pages are open. Close one and try again.",
	"notSession": "This file is no longer a session.",
	"tooNew":     "A newer program wrote this session. A newer pith may read it.",
}

// fail sends an error page and prints the error on the terminal, once. The page
// shows no path, since the error may name a file outside the sessions.
func (s *Server) fail(w http.ResponseWriter, err error) {
	kind := ops.KindOf(err)
	text, known := failures[kind.Name]
	if !known {
		if text = "Cannot read this session."; !errors.Is(err, errFault) {
			s.noteOnce("%v", err)
		}
	}
	if kind.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(kind.Status)
	_ = pages().ExecuteTemplate(w, "failure", text) // a client that has disconnected needs no answer
}

// noteOnce prints a note on the terminal, once.
func (s *Server) noteOnce(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if _, again := s.printed.LoadOrStore(text, true); !again {
		s.c.Note("note: %s", page.OneLine(text, 300))
	}
}

// asset serves scripts and style sheets, which contain nothing of any session.
func asset(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/assets/")
	text, kind := "", map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".woff2": "font/woff2"}[path.Ext(name)]
	switch name {
	case "style.css":
		text = page.Face + page.Style()
	case "inter.woff2":
		text = string(page.Font)
		w.Header().Set("Cache-Control", "max-age=86400")
	case "common.js":
		text = page.Common()
	case "page.js":
		text = page.Script()
	default:
		raw, err := files.ReadFile("assets/" + name)
		if err != nil || kind == "" {
			refuse(w, http.StatusNotFound, "Page not found.")
			return
		}
		text = string(raw)
	}
	w.Header().Set("Content-Type", kind)
	fmt.Fprint(w, text)
}

// pathWord quotes a path as one word of a shell, from the home directory if it is
// below it.
func (s *Server) pathWord(path string) string {
	if rest, ok := strings.CutPrefix(path, s.c.App.Environment.Home+"/"); ok && s.c.App.Environment.Home != "" {
		return "~/" + shellWord(rest)
	}
	return shellWord(path)
}

// shellWord quotes a text as one word of a shell.
func shellWord(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune("-_./@", r)
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

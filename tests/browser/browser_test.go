package browser_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pith-sessions/pith/tests/browser"
)

// Statements that leave the page may never answer.
func TestDoLeaves(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><title>`+r.URL.Path+`</title>`)
	}))
	defer s.Close()
	p := browser.Open(t, s.URL+"/first", 800, 600)
	p.Do(`location.href = "/second"; await new Promise(() => {})`)
	p.Wait(`document.title === "/second"`)
	p.Do(`document.title = await (await fetch("/third")).text()`)
	if title := browser.Eval[string](p, `document.title`); title != "<!doctype html><title>/third</title>" {
		t.Errorf("Do returned before it was done: the title is %q", title)
	}
}

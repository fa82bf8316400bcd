package webui_test

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/tests/browser"
)

const talk = `{"type":"session","version":3,"id":"0190aaaa-0000-7000-8000-000000000001","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/parcel"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"why are there two mails?"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"m","stopReason":"stop","content":[{"type":"text","text":"I look. <img src=x onerror=alert(1)>"}],"usage":{"input":100,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.01}}}}
{"type":"message","id":"bbbb0001","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"try a mutex, dear xylophone"}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"assistant","provider":"p","model":"m","stopReason":"stop","content":[{"type":"text","text":"The lease is too short."}],"usage":{"input":200,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.02}}}}
`

// serve starts a server over a folder with two sessions, and returns it and the file
// of the first.
func serve(t *testing.T) (*webui.Server, string) {
	t.Helper()
	dir := t.TempDir()
	first := filepath.Join(dir, "2026-02-03T22-52-06-410Z_0190aaaa-0000-7000-8000-000000000001.jsonl")
	second := strings.NewReplacer("000000000001", "000000000002", "two mails", "</script><b>three</b>", "parcel", "other").Replace(talk)
	for path, text := range map[string]string{first: talk, strings.Replace(first, "000000000001", "000000000002", 1): second} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{Catalog: catalog.Options{Dir: dir}, Home: "/home/u", Tell: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	return s, first
}

const ready = `document.documentElement.dataset.ready === "1"`

// A person finds a session, reads it, sees another process append to it, compares
// its branches, and looks at the costs.
func TestInBrowser(t *testing.T) {
	s, file := serve(t)
	p := browser.Open(t, s.URL(), 1280, 900)
	p.Wait(ready)
	if rows := browser.Eval[string](p, `document.documentElement.dataset.rows`); rows != "2" {
		t.Errorf("the list has %s rows; want 2", rows)
	}
	if at := browser.Eval[string](p, `location.href`); strings.Contains(at, "#") {
		t.Errorf("the token is still in the address: %s", at)
	}
	p.Type("#q", "xylophone mutex")
	p.Wait(`document.documentElement.dataset.asked === "xylophone mutex"`)
	p.Wait(`document.documentElement.dataset.rows === "2"`)
	browser.Eval[bool](p, `(document.querySelector("#project").value = "~/parcel", document.querySelector("#project").dispatchEvent(new Event("change")), true)`)
	p.Wait(`document.documentElement.dataset.rows === "1"`)
	p.Accessible()
	p.Click(".list-row")
	p.Wait(ready)
	p.Wait(`document.querySelector("#conversation").innerText.includes("dear xylophone")`) // the hit stands on the branch that was left
	p.Wait(`document.documentElement.dataset.live === "1"`)

	p.Go(strings.Split(s.URL(), "#")[0] + "s/0190aaaa-0000-7000-8000-000000000001")
	p.Wait(ready)
	p.Wait(`document.documentElement.dataset.live === "1"`)
	session, err := pith.Open(t.Context(), file, pith.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.AppendMessage(format.NewUser("said while the page is open", time.Now())); err != nil {
		t.Fatal(err)
	}
	p.Wait(`document.querySelector("#conversation").innerText.includes("said while the page is open")`)
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	p.Accessible()

	base := strings.Split(s.URL(), "#")[0]
	for path, want := range map[string]string{"s/0190aaaa-0000-7000-8000-000000000001/compare": "xylophone", "usage": "$0.030", "s/0190aaaa-0000-7000-8000-000000000001/doctor": "Doctor", "s/none": "There is no such session"} {
		p.Go(base + path)
		if text := browser.Eval[string](p, `document.body.innerText`); !strings.Contains(text, want) {
			t.Errorf("%s reads %q; want %q in it", path, text, want)
		}
		p.Accessible()
	}
	for _, fault := range p.Faults() {
		if !strings.Contains(fault, "401") && !strings.Contains(fault, "404") { // the door, and the page that is not there
			t.Errorf("the browser complains: %s", fault)
		}
	}
	for _, r := range p.Requests() {
		if !strings.HasPrefix(r, base) {
			t.Errorf("the page asked for %s", r)
		}
	}
}

// Who was not given the address, and pages elsewhere, get nothing (W2 to W7).
func TestGuard(t *testing.T) {
	s, _ := serve(t)
	base, token, _ := strings.Cut(s.URL(), "#")
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, body string, change func(*http.Request)) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(r)
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	entered := ask("POST", "enter", token, nil)
	if entered.StatusCode != http.StatusNoContent || len(entered.Cookies()) != 1 || !entered.Cookies()[0].HttpOnly || entered.Cookies()[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("entering gives %d, %v", entered.StatusCode, entered.Cookies())
	}
	known := func(r *http.Request) { r.AddCookie(entered.Cookies()[0]) }
	for name, tt := range map[string]struct {
		method, path, body string
		change             func(*http.Request)
		code               int
	}{
		"with the cookie":     {"GET", "sessions.json", "", known, 200},
		"without a cookie":    {"GET", "sessions.json", "", nil, 401},
		"a wrong token":       {"POST", "enter", "wrong", nil, 403},
		"the token as cookie": {"GET", "sessions.json", "", func(r *http.Request) { r.AddCookie(&http.Cookie{Name: entered.Cookies()[0].Name, Value: token}) }, 401},
		"another host":        {"GET", "sessions.json", "", func(r *http.Request) { known(r); r.Host = "evil.example:" + u.Port() }, 421},
		"another origin":      {"GET", "sessions.json", "", func(r *http.Request) { known(r); r.Header.Set("Origin", "http://evil.example") }, 403},
		"another site":        {"GET", "sessions.json", "", func(r *http.Request) { known(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"a write":             {"POST", "sessions.json", "", known, 405},
		"a path":              {"GET", "s/..%2f..%2fetc%2fpasswd", "", known, 404},
		"nothing":             {"GET", "etc/passwd", "", known, 404},
		"a part that is none": {"GET", "s/0190aaaa-0000-7000-8000-000000000001/part/99", "", known, 404},
	} {
		resp := ask(tt.method, tt.path, tt.body, tt.change)
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != tt.code || strings.Contains(string(text), "goroutine") {
			t.Errorf("%s: %d, %v; want %d: %s", name, resp.StatusCode, err, tt.code, text)
		}
		if resp.Header.Get("Content-Security-Policy") == "" || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers are %v", name, resp.Header)
		}
	}
}

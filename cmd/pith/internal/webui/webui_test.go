package webui_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/tests/browser"
)

// ownID is the ID of the session talk.
const ownID = "0190aaaa-0000-7000-8000-000000000001"

const talk = `{"type":"session","version":3,"id":"0190aaaa-0000-7000-8000-000000000001","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/parcel"}
{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"why are there two mails?"}}
{"type":"message","id":"aaaa0002","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":"p","model":"m","stopReason":"stop","content":[{"type":"text","text":"I look. <img src=x onerror=alert(1)>"}],"usage":{"input":100,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.01}}}}
{"type":"message","id":"bbbb0001","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"try a mutex, dear xylophone"}}
{"type":"message","id":"aaaa0003","parentId":"aaaa0002","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"assistant","provider":"p","model":"m","stopReason":"stop","content":[{"type":"text","text":"The lease is too short."}],"usage":{"input":200,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.02}}}}
`

// over returns an App for the sessions in a directory.
func over(dir string) *ops.App {
	return &ops.App{Dir: dir, Environment: sessiondir.Environment{Home: "/home/u"}}
}

// marked returns marks for sessions by their IDs.
func marked(t *testing.T, of map[string]marks.Marks) func() (*marks.Collection, error) {
	t.Helper()
	dir := t.TempDir()
	c, err := marks.Open(dir)
	for id, m := range of {
		if id != "" && err == nil {
			_, err = c.Update(id, "", func(to *marks.Marks) { *to = m })
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() (*marks.Collection, error) { return marks.Open(dir) }
}

// serve starts a server over a directory with two sessions, and returns it and
// the file of the first.
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
	s, err := webui.New("127.0.0.1:0", webui.Config{App: over(dir), Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	return s, first
}

// run lets a server answer for the length of a test.
func run(t *testing.T, s *webui.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
}

const ready = `document.documentElement.dataset.ready === "1"`

// A client is who was given the address, without a browser.
type client struct {
	t           *testing.T
	base, token string
}

func enter(t *testing.T, s *webui.Server) *client {
	t.Helper()
	base, token, _ := strings.Cut(s.URL(), "#")
	return &client{t, base, token}
}

// ask sends a request; what it would be like from this client is changed at will.
func (c *client) ask(method, path, body string, change func(*http.Request)) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	if change != nil {
		change(r)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// get is the text at an address.
func (c *client) get(path string) (int, string) {
	c.t.Helper()
	resp := c.ask("GET", path, "", nil)
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatalf("GET %s: %v", path, err)
	}
	resp.Body.Close()
	return resp.StatusCode, string(text)
}

// hits are the matches in the list of sessions that a query chooses.
func (c *client) hits(query string) []string {
	c.t.Helper()
	_, text := c.get("?n=1000&q=" + url.QueryEscape(query))
	var out []string
	for _, m := range regexp.MustCompile(`<span class="hit cut" dir="auto"><b>(.*?): </b>`).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// The last word of a search may not be complete; one letter is a word.
func TestSearchAsOneTypes(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	for query, want := range map[string]int{"m": 0, "mu": 2, "a": 2, "a mut": 2, "mu a": 0, "短": 0} {
		if got := c.hits(query); len(got) != want {
			t.Errorf("%q is found in %d sessions; want %d", query, len(got), want)
		}
	}
}

// serveIndexed serves the sessions of a directory, with an index of words.
func serveIndexed(t *testing.T, dir string) *webui.Server {
	t.Helper()
	words, err := search.OpenIndex(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { words.Close() })
	app := over(dir)
	app.Words = func() *search.Index { return words }
	s, err := webui.New("127.0.0.1:0", webui.Config{App: app, Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	return s
}

// If the index has all words, one request finds all matches. Otherwise the first
// matches come first.
func TestAllMatchesAtOnce(t *testing.T) {
	dir := t.TempDir()
	text := strings.Split(talk, "\n")[0] + "\n"
	const matches = 250
	for n := range matches {
		text += fmt.Sprintf(`{"type":"message","id":"c%07d","parentId":null,"timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"mutex %d"}}`+"\n", n, n)
	}
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := serveIndexed(t, dir)
	c := enter(t, s)
	ask := func(path string) (hit string, more bool) {
		t.Helper()
		_, text := c.get(path)
		if strings.Count(text, `class="row"`) != 1 || !strings.Contains(text, "#e-c0000000") {
			t.Fatalf("%s: %s", path, text)
		}
		_, hit, _ = strings.Cut(text, `<span class="hit cut" dir="auto"><b>`)
		hit, _, _ = strings.Cut(hit, ":")
		return hit, strings.Contains(text, "data-more")
	}
	if hit, more := ask("?q=mutex&all=1"); hit != "you · 250 matches" || more {
		t.Errorf("without an index, all=1: %s, more %t", hit, more)
	}
	c.get("learn.json")
	if hit, more := ask("?q=mut"); hit != "you · 250 matches" || more {
		t.Errorf("one request: %s, more %t", hit, more)
	}
	if _, text := c.get("?q=role:user+mutex"); !strings.Contains(text, "data-more") || strings.Contains(text, "250 matches") {
		t.Errorf("the index cannot count matches of a role: want the first ones, and more: %s", text)
	}
}

// A search counts the matches of all sessions, but reads only those of the newest. The
// others follow before anyone scrolls to them.
func TestMatchesOfManySessions(t *testing.T) {
	const sessions = 130
	dir := t.TempDir()
	for n := range sessions {
		id := fmt.Sprintf("s%03d", n)
		text := strings.Replace(strings.Split(talk, "\n")[0], "0190aaaa-0000-7000-8000-000000000001", id, 1) + "\n"
		for m := range 2 {
			text += fmt.Sprintf(`{"type":"message","id":"%s-%d","parentId":null,"timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"mutex %s"}}`+"\n", id, m, id)
		}
		if err := os.WriteFile(filepath.Join(dir, id+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := serveIndexed(t, dir)
	c := enter(t, s)
	c.get("learn.json")
	for n, want := range map[string]int{"": 100, "&n=130": sessions} {
		_, text := c.get("?q=mutex" + n)
		if rows, two := strings.Count(text, `class="row"`), strings.Count(text, "2 matches: </b>"); rows != want || two != want || strings.Contains(text, "data-more") || !strings.Contains(text, ">130 sessions<") {
			t.Errorf("n=%s: %d rows, %d with matches; want %d", n, rows, two, want)
		}
	}
	v := &visitor{browser.Open(t, s.URL(), 1280, 844), t, c.base}
	v.Wait(ready)
	v.Type("#q", "mutex")
	v.Wait(`document.documentElement.dataset.asked === "mutex"`)
	is(v, `document.querySelector("#count").textContent`, "130 sessions")
	v.Do(`document.querySelector(".older a").click()`)
	v.Wait(`[...document.querySelectorAll(".row")].length === 130 && [...document.querySelectorAll(".row")].at(-1).querySelector(".hit").textContent.includes("mutex")`)
}

// An image that oh-my-pi stores next to its sessions is shown (R5).
func TestPictureFromElsewhere(t *testing.T) {
	from, dir := os.DirFS("../../../../tests/conformance/testdata/programs/oh-my-pi-18.2.3"), t.TempDir()
	if err := os.CopyFS(dir, from); err != nil {
		t.Fatal(err)
	}
	blob, err := fs.ReadFile(from, "blobs/6150cd2c9c192bca96c4db35231f857a0715bafc3ad99b9a5cd97dae6b6a1e08")
	if err != nil {
		t.Fatal(err)
	}
	s, err := webui.New("127.0.0.1:0", webui.Config{App: over(dir), Note: t.Logf})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	keys := keysOf(t, c)
	want := `<img alt="image in the conversation" src="data:image/png;base64,` + base64.StdEncoding.EncodeToString(blob) + `">`
	for _, key := range keys {
		if _, html := c.get("s/" + url.PathEscape(key) + "/part/0"); strings.Contains(html, want) {
			return
		}
	}
	t.Errorf("none of %d sessions shows the picture", len(keys))
}

// Clients without the token, and other sites, get nothing (W2 to W7).
func TestGuard(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	token := strings.Split(s.URL(), "#")[1]
	u, err := url.Parse(c.base)
	if err != nil {
		t.Fatal(err)
	}
	header := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				r.Header.Set(pairs[i], pairs[i+1])
			}
		}
	}
	instead := func(name, value string) func(*http.Request) { // of the token
		return func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set(name, value)
		}
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	const id = "0190aaaa-0000-7000-8000-000000000001"
	for name, tt := range map[string]struct {
		method, path, body string
		change             func(*http.Request)
		code               int
	}{
		"with the token":         {"GET", "learn.json", "", nil, 200},
		"the head alone":         {"HEAD", "learn.json", "", nil, 200},
		"under another name":     {"GET", "learn.json", "", host("localhost:" + u.Port()), 200},
		"without a token":        {"GET", "learn.json", "", instead("Cookie", ""), 401},
		"another server's":       {"GET", "learn.json", "", header("Authorization", "Bearer "+strings.Repeat("0", len(token))), 401},
		"the token as cookie":    {"GET", "learn.json", "", instead("Cookie", "pith-"+u.Port()+"="+token), 401},
		"the token in a query":   {"GET", "learn.json?token=" + token, "", instead("Cookie", ""), 401},
		"the token as password":  {"GET", "learn.json", "", func(r *http.Request) { r.SetBasicAuth("pith", token) }, 401},
		"a wrong token":          {"GET", "learn.json", "", header("Authorization", "Bearer wrong"), 401},
		"a wrong token, a page":  {"GET", "", "", header("Authorization", "Bearer wrong", "Accept", "text/html"), 401},
		"no token":               {"GET", "learn.json", "", header("Authorization", "Bearer "), 401},
		"half a token":           {"GET", "learn.json", "", header("Authorization", "Bearer "+token[:24]), 401},
		"a token and more":       {"GET", "learn.json", "", header("Authorization", "Bearer "+token+"x"), 401},
		"a page without a token": {"GET", "s/" + id, "", instead("Accept", "text/html"), 200}, // it holds nothing: see TestLoginPage
		"entering":               {"POST", "enter", token, nil, 405},
		"entering from a page":   {"POST", "enter", token, header("Origin", "http://evil.example"), 403},
		"another host":           {"GET", "learn.json", "", host("evil.example:" + u.Port()), 421},
		"another host's address": {"GET", "learn.json", "", host("192.168.0.1:" + u.Port()), 421},
		"another port":           {"GET", "learn.json", "", host("127.0.0.1:1"), 421},
		"no port":                {"GET", "learn.json", "", host("127.0.0.1"), 421},
		"another origin":         {"GET", "learn.json", "", header("Origin", "http://evil.example"), 403},
		"an origin of nowhere":   {"GET", "learn.json", "", header("Origin", "null"), 403},
		"another port's page":    {"GET", "learn.json", "", header("Origin", "http://127.0.0.1:1"), 403},
		"another site":           {"GET", "learn.json", "", header("Sec-Fetch-Site", "cross-site"), 403},
		"a site beside":          {"GET", "learn.json", "", header("Sec-Fetch-Site", "same-site"), 403},
		"a stylesheet elsewhere": {"GET", "assets/style.css", "", header("Sec-Fetch-Site", "cross-site"), 403},
		"a write":                {"POST", "learn.json", "", nil, 405},
		"a deletion":             {"DELETE", "s/" + id, "", nil, 405},
		"a question":             {"OPTIONS", "learn.json", "", nil, 405},
		"a path":                 {"GET", "s/..%2f..%2fetc%2fpasswd", "", nil, 404},
		"an absolute path":       {"GET", "s/%2fetc%2fpasswd", "", nil, 404},
		"a home":                 {"GET", "s/~%2f.bashrc", "", nil, 404},
		"a reference":            {"GET", "s/@", "", nil, 404},
		"the beginning of an id": {"GET", "s/0190aaaa", "", nil, 404},
		"a NUL":                  {"GET", "s/%00", "", nil, 404},
		"an asset above":         {"GET", "assets/..%2f..%2fserver.go", "", nil, 404},
		"a template":             {"GET", "assets/..%2ftemplates%2flist.html", "", nil, 404},
		"nothing":                {"GET", "etc/passwd", "", nil, 404},
		"a part that is none":    {"GET", "s/" + id + "/part/99", "", nil, 404},
		"a part below none":      {"GET", "s/" + id + "/part/-1", "", nil, 404},
		"a part that is a word":  {"GET", "s/" + id + "/part/x", "", nil, 404},
		"an entry that is none":  {"GET", "s/" + id + "/context.json?at=none", "", nil, 404},
		"no entry":               {"GET", "s/" + id + "/context.json", "", nil, 404},
		"branches that are none": {"GET", "s/" + id + "/compare?a=x&b=y", "", nil, 404},
		"a search for nothing":   {"GET", "?q=", "", nil, 200},
		"half a search":          {"GET", "?q=re:(", "", nil, 200},
		"a head too long":        {"GET", "learn.json", "", header("X-Long", strings.Repeat("x", 1<<20)), 431},
	} {
		resp := c.ask(tt.method, tt.path, tt.body, tt.change)
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != tt.code || strings.Contains(string(text), "goroutine") || strings.Contains(string(text), os.TempDir()) {
			t.Errorf("%s: %d, %v; want %d: %s", name, resp.StatusCode, err, tt.code, text)
		}
		if tt.code == 431 { // net/http refuses it before anybody is asked
			continue
		}
		for field, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store", "Access-Control-Allow-Origin": ""} {
			if got := resp.Header.Get(field); got != want {
				t.Errorf("%s: %s is %q; want %q", name, field, got, want)
			}
		}
		if policy := resp.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy is %q", name, policy)
		}
	}
}

// Any request without the token gets the same, empty page (W4).
func TestLoginPage(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	pages := map[string]bool{}
	for _, path := range []string{"", "?q=mutex", "usage", "s/0190aaaa-0000-7000-8000-000000000001", "s/none", "s/0190aaaa-0000-7000-8000-000000000001/compare", "learn.json", "nowhere"} {
		resp := c.ask("GET", path, "", func(r *http.Request) {
			r.Header.Del("Authorization")
			r.Header.Set("Accept", "text/html,*/*")
		})
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK || len(resp.Cookies()) > 0 || !strings.Contains(string(text), "/assets/login.js") {
			t.Errorf("%s: %d, %v, cookies %v: %s", path, resp.StatusCode, err, resp.Cookies(), text)
		}
		pages[string(text)] = true
	}
	if len(pages) != 1 {
		t.Errorf("there are %d different pages without a token", len(pages))
	}
}

// Where every address of the machine is served, hosts may be numbers, not names of
// others (W1, W2).
func TestOpenAddress(t *testing.T) {
	s, err := webui.New("0.0.0.0:0", webui.Config{App: over(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	c := enter(t, s)
	_, port, _ := net.SplitHostPort(strings.TrimSuffix(strings.TrimPrefix(c.base, "http://"), "/"))
	for host, code := range map[string]int{"192.168.0.1:" + port: 200, "[fe80::1]:" + port: 200, "evil.example:" + port: 421, "192.168.0.1:1": 421, "192.168.0.1.evil.example:" + port: 421} {
		if resp := c.ask("GET", "learn.json", "", func(r *http.Request) { r.Host = host }); resp.StatusCode != code {
			t.Errorf("under %s: %d; want %d", host, resp.StatusCode, code)
		}
	}
}

package webui_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/pith-sessions/pith/tests/browser"
)

// A neighbor is another server on the same address, with another port. It tries to open
// a page of pith with everything that a browser sends it.
type neighbor struct {
	base, target string
	token        string // which it must not see

	mu       sync.Mutex // guards what follows
	requests int
	leaks    []string
}

func newNeighbor(t *testing.T, c *client, token string) *neighbor {
	t.Helper()
	listen, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &neighbor{base: "http://" + listen.Addr().String() + "/", target: c.base, token: token}
	server := &http.Server{Handler: n}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listen) }()
	t.Cleanup(func() {
		_ = server.Shutdown(context.Background())
		<-done
	})
	return n
}

// attack is what the neighbor's page tries. It returns what it could read.
const attack = `(async () => {
  const pith = %q, seen = [document.cookie, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.referrer, window.name];
  for (const init of [{}, { credentials: "include" }, { mode: "no-cors", credentials: "include" }, { headers: { Authorization: "Bearer x" } }, { method: "POST", mode: "no-cors", credentials: "include" }]) {
    for (const path of ["learn.json", "", "assets/login.js"]) {
      try { seen.push(await (await fetch(pith + path, init)).text()); } catch {}
    }
  }
  const channel = new BroadcastChannel("pith"); // and whatever other name: channels are of one origin
  channel.postMessage("token?");
  const load = (tag, props) => new Promise((done) => {
    const el = Object.assign(document.createElement(tag), props, { onload: done, onerror: done });
    document.body.append(el);
    setTimeout(done, 3000);
  });
  await load("iframe", { src: pith });
  for (const frame of document.querySelectorAll("iframe")) { try { seen.push(frame.contentDocument?.body?.innerText ?? ""); } catch {} }
  await load("script", { src: pith + "learn.json" });
  await load("img", { src: pith + "learn.json" });
  const tab = open(pith, "pith");
  for (let i = 0; i < 10; i++) {
    await new Promise((r) => setTimeout(r, 100));
    try { seen.push(tab.document.body.innerText, JSON.stringify({ ...tab.sessionStorage }), tab.location.href); } catch {}
  }
  return seen.join("\n");
})()`

// ServeHTTP records a request and sends its values to pith, in every place
// where a credential could be.
func (n *neighbor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	n.mu.Lock()
	n.requests++
	n.mu.Unlock()
	all := fmt.Sprint(r.Header, r.URL, string(body))
	if strings.Contains(all, n.token) {
		n.leak("the token: " + all)
	}
	for _, path := range []string{"", "usage", "s/0190aaaa-0000-7000-8000-000000000001"} {
		again, err := http.NewRequestWithContext(r.Context(), http.MethodGet, n.target+path, nil)
		if err != nil {
			n.leak(err.Error())
			return
		}
		again.Header = r.Header.Clone()
		for _, name := range []string{"Sec-Fetch-Site", "Origin", "Accept-Encoding"} { // its own program sends what it likes
			again.Header.Del(name)
		}
		resp, err := http.DefaultTransport.RoundTrip(again)
		if err != nil {
			n.leak(err.Error())
			return
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if strings.Contains(string(text), "parcel") || strings.Contains(string(text), "Usage") || strings.Contains(string(text), "mails") {
			n.leak(fmt.Sprintf("with %v it reads %s: %.200s", r.Header["Cookie"], path, text))
		}
	}
	w.Header().Set("Content-Type", "text/html")
	io.WriteString(w, `<!doctype html><title>neighbor</title><body></body>`)
}

func (n *neighbor) leak(what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.leaks = append(n.leaks, what)
}

// Another server on the same address gets nothing from the browser that opens a page of
// pith, and its pages cannot read one (W4).
func TestServerOnAnotherPort(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	_, token, _ := strings.Cut(s.URL(), "#")
	n := newNeighbor(t, c, token)
	p := browser.Open(t, s.URL(), 1280, 900)
	p.Wait(ready)
	p.Go(c.base + "s/0190aaaa-0000-7000-8000-000000000001")
	p.Wait(ready)
	p.Do(fmt.Sprintf(`location.href = %q`, n.base+"from-a-page")) // the referrer
	p.Wait(`document.title === "neighbor"`)
	p.Go(n.base + "typed")
	if seen := browser.Eval[string](p, fmt.Sprintf(attack, c.base)); strings.Contains(seen, token) || strings.Contains(seen, "parcel") || strings.Contains(seen, "mails") {
		t.Errorf("a page of another port reads %.2000s", seen)
	}
	p.Go(c.base) // back to pith in this tab
	p.Wait(ready)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.requests < 2 {
		t.Errorf("the other server was asked %d times only", n.requests)
	}
	for _, leak := range n.leaks {
		t.Errorf("another server learns %s", leak)
	}
}

// Reloading, going back, links, new tabs and bookmarks work; a tab that has no token asks
// for it (W4).
func TestTabs(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	_, token, _ := strings.Cut(s.URL(), "#")
	const id = "0190aaaa-0000-7000-8000-000000000001"
	p := browser.Start(t, 1280, 900)
	v := &visitor{p, t, c.base}

	// A bookmark, without the token and with a wrong one.
	p.Go(c.base + "s/" + id + "#e-aaaa0003")
	p.Wait(`!document.querySelector("#login").hidden`)
	p.Accessible()
	if text := v.text("body"); strings.Contains(text, "mails") {
		t.Errorf("without a token the page reads %q", text)
	}
	for _, wrong := range []string{"wrong", strings.Repeat("0", 48)} {
		p.Type("#token", wrong+"\r")
		p.Wait(`document.querySelector("#why").innerText !== ""`)
		p.Do(`document.querySelector("#token").value = document.querySelector("#why").innerText = ""`)
	}
	p.Type("#token", s.URL()+"\r")
	p.Wait(ready)
	p.Wait(`document.querySelector(".at")?.innerText.includes("The lease is too short")`)

	// Reload, a link, back.
	p.Do(`delete document.documentElement.dataset.ready, location.reload()`)
	p.Wait(ready + ` && location.hash === "#e-aaaa0003"`)
	p.Do(`document.querySelector('#commands a[href^="/?compare"]').click()`)
	p.Wait(`document.querySelector("#results")`)
	p.Do(`history.back()`)
	p.Wait(`location.pathname === "/s/` + id + `" && ` + ready)

	// A new tab, by the middle button.
	p.Do(`const was = open; globalThis.open = (...args) => (globalThis.tab = was(...args))`)
	p.ClickMiddle(`.acts a[href$="compare"]`)
	p.Wait(`globalThis.tab?.document.querySelector("h1")?.innerText.startsWith("Compare")`)

	// Only the token is stored, for this tab alone, and no URL contains it.
	if kept := browser.Eval[string](p, `JSON.stringify([document.cookie, Object.keys(localStorage).filter((k) => k !== "theme"), Object.keys(sessionStorage)])`); kept != `["",[],["token"]]` {
		t.Errorf("the browser keeps %s", kept)
	}
	for _, r := range p.Requests() {
		if u, err := url.Parse(r); err != nil || strings.Contains(u.Path+u.RawQuery, token) {
			t.Errorf("the token is in the address %s", r)
		}
	}

	// Data at a URL is not a page: recorded text is not interpreted as markup.
	p.Go(c.base + "learn.json")
	p.Wait(`document.querySelector("main").innerText.includes("not a page")`)
}

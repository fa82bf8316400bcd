package webui

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// A guard admits requests that carry the token of this server, from its own pages.
type guard struct {
	hosts []string // hosts that a request may name, with the port
	port  string
	open  bool // every address of this machine is served
	token string
	// ticket is exchanged for the token once. It is for the address that a browser is
	// started with, which other users of this machine see in the list of processes.
	ticket atomic.Pointer[ticket]
}

// A ticket is exchanged for the token once, before it expires.
type ticket struct {
	text    string
	expires time.Time
}

// ticketLife is how long a browser may take to start.
const ticketLife = time.Minute

const ticketPath = "/ticket"

// newGuard returns a guard with a new token for a server that listens at addr.
func newGuard(addr net.Addr, asked string) (*guard, error) {
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil, err
	}
	g := &guard{port: port, token: newToken()}
	hosts := []string{"127.0.0.1", "localhost", "::1"}
	if host, _, err := net.SplitHostPort(asked); err == nil && host != "" && !slices.Contains(hosts, host) {
		hosts = append(hosts, host)
	}
	if bound, ok := addr.(*net.TCPAddr); ok && bound.IP.IsUnspecified() {
		g.open = true
		if name, err := os.Hostname(); err == nil {
			hosts = append(hosts, name)
		}
	}
	for _, host := range hosts {
		g.hosts = append(g.hosts, net.JoinHostPort(host, port))
	}
	return g, nil
}

// newToken returns 48 random digits.
func newToken() string {
	raw := make([]byte, 24)
	_, _ = rand.Read(raw) // never fails
	return hex.EncodeToString(raw)
}

// wrap puts the guard before a handler. The handler open needs no token: it serves
// nothing of any session.
func (g *guard) wrap(inner http.Handler, open http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.serves(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "Unknown host name.")
		case !g.sameSite(r):
			refuse(w, http.StatusForbidden, "Requests from other sites are refused.")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "Only GET and HEAD are allowed.")
		case strings.HasPrefix(r.URL.Path, "/assets/"):
			open.ServeHTTP(w, r)
		case r.URL.Path == ticketPath:
			g.exchange(w, r)
		case !g.admits(r):
			loginPage(w, r)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// serves reports whether a request may name host. A server that listens on all
// addresses accepts any IP address: another site can only use its own name.
func (g *guard) serves(host string) bool {
	if slices.Contains(g.hosts, host) {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	return g.open && err == nil && port == g.port && net.ParseIP(name) != nil
}

// sameSite reports whether the request comes from a page of this server or from a
// person, and not from a page of another site.
func (g *guard) sameSite(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Scheme == "http" && u.Host == r.Host
}

// admits reports whether a request carries the token. A browser sends it only because a
// script of this server says so, never by itself.
func (g *guard) admits(r *http.Request) bool {
	return subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+g.token)) == 1
}

// newTicket returns a ticket that is exchanged for the token once, within ticketLife. The
// one before it becomes void.
func (g *guard) newTicket() string {
	t := &ticket{newToken(), time.Now().Add(ticketLife)}
	g.ticket.Store(t)
	return t.text
}

// exchange answers a valid ticket with the token and makes the ticket void.
func (g *guard) exchange(w http.ResponseWriter, r *http.Request) {
	t := g.ticket.Load()
	if t == nil || subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Ticket "+t.text)) != 1 || !g.ticket.CompareAndSwap(t, nil) || time.Now().After(t.expires) {
		refuse(w, http.StatusUnauthorized, "This address was used before or has expired.")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, g.token) // a client that has gone needs no answer
}

// loginPage answers a request without a token. A browser that opens an address gets a
// page that holds nothing and asks again with the token; anything else is refused.
func loginPage(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "" || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		refuse(w, http.StatusUnauthorized, "Open the address that pith serve printed.")
		return
	}
	_ = show(w, "login", nil) // a client that has disconnected needs no answer
}

// refuse answers with a status and one line that gives the reason.
func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	io.WriteString(w, text+"\n")
}

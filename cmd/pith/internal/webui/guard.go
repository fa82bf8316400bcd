package webui

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
)

// A guard lets in who was given the address, from pages of this server alone.
type guard struct {
	hosts  []string // that a request may name, with the port
	port   string
	open   bool   // every address of this machine is served
	token  string // from the fragment of the address
	name   string // of the cookie; cookies do not tell ports apart
	cookie string // that the token is exchanged for
}

// newGuard is a guard for a server at an address.
func newGuard(addr net.Addr, asked string) (*guard, error) {
	token, err := secret()
	if err != nil {
		return nil, err
	}
	cookie, err := secret()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil, err
	}
	g := &guard{port: port, token: token, name: "pith-" + port, cookie: cookie}
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

func secret() (string, error) {
	raw := make([]byte, 24)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(raw), nil
}

// wrap puts the guard before a handler. What open answers needs no cookie, because
// it holds nothing of any session.
func (g *guard) wrap(inner http.Handler, open http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.serves(r.Host):
			refuse(w, http.StatusMisdirectedRequest, "This server does not answer to that name.")
		case !g.sameSite(r):
			refuse(w, http.StatusForbidden, "Requests of other sites are refused.")
		case r.Method == http.MethodPost && r.URL.Path == "/enter":
			g.enter(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "Sessions are only read here.")
		case strings.HasPrefix(r.URL.Path, "/assets/"):
			open.ServeHTTP(w, r)
		case !g.known(r):
			door(w, r)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}

// serves reports whether a request may name a host. Where all addresses are served
// it may be any of them: a number is no name that somebody else could give.
func (g *guard) serves(host string) bool {
	if slices.Contains(g.hosts, host) {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	return g.open && err == nil && port == g.port && net.ParseIP(name) != nil
}

// sameSite reports whether a page of this server made the request, or a person.
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

func (g *guard) known(r *http.Request) bool {
	c, err := r.Cookie(g.name)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.cookie)) == 1
}

// enter exchanges the token for the cookie.
func (g *guard) enter(w http.ResponseWriter, r *http.Request) {
	given, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 256))
	if err != nil || subtle.ConstantTimeCompare(given, []byte(g.token)) != 1 {
		refuse(w, http.StatusForbidden, "This is not the address that pith serve printed.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: g.name, Value: g.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.WriteHeader(http.StatusNoContent)
}

// door is what who has no cookie gets: a page that takes the token from its own
// address. For data it is a plain refusal.
func door(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		refuse(w, http.StatusUnauthorized, "Open the address that pith serve printed.")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	_ = pages().ExecuteTemplate(w, "door", nil) // who went away needs no answer
}

// refuse says in one line why there is nothing.
func refuse(w http.ResponseWriter, code int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(code)
	io.WriteString(w, text+"\n")
}

package webui_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/tests/browser"
)

// The address that a browser is started with opens once: it stands on a command line,
// which other users of the machine can read. The tab that used it goes on as any other.
func TestBrowserAddressOpensOnce(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	void, address := s.BrowserURL(), s.BrowserURL()
	if strings.Contains(address, c.token) {
		t.Fatalf("BrowserURL = %q, which holds the token", address)
	}
	p := browser.Open(t, address, 1280, 900)
	p.Wait(ready)
	if at := browser.Eval[string](p, `location.href`); at != c.base {
		t.Errorf("the browser is at %q; want %q", at, c.base)
	}
	p.Do(`delete document.documentElement.dataset.ready, location.reload()`)
	p.Wait(ready)

	for _, used := range []string{address, void} {
		_, ticket, _ := strings.Cut(used, "#once-")
		for _, kind := range []string{"Ticket ", "Bearer ", ""} {
			for _, path := range []string{"ticket", "", "learn.json"} {
				resp := c.ask("GET", path, "", func(r *http.Request) { r.Header.Set("Authorization", kind+ticket) })
				if resp.StatusCode != http.StatusUnauthorized {
					t.Errorf("%q with the ticket of %s: %s; want 401", path, used, resp.Status)
				}
			}
		}
		other := browser.Start(t, 1280, 900)
		other.Go(used)
		other.Wait(`document.querySelector("#why")?.innerText.includes("used before")`)
		if text := browser.Eval[string](other, `document.body.innerText`); strings.Contains(text, "parcel") {
			t.Errorf("a second browser reads %q", text)
		}
	}
}

// Of many that have the same ticket one gets the token.
func TestTicketIsExchangedOnce(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	_, ticket, _ := strings.Cut(s.BrowserURL(), "#once-")
	const clients = 32
	got := make(chan int, clients)
	for range clients {
		go func() {
			r, err := http.NewRequest("GET", c.base+"ticket", nil)
			if err != nil {
				t.Error(err)
			}
			r.Header.Set("Authorization", "Ticket "+ticket)
			resp, err := http.DefaultTransport.RoundTrip(r)
			if err != nil {
				t.Error(err)
				got <- 0
				return
			}
			resp.Body.Close()
			got <- resp.StatusCode
		}()
	}
	opened := 0
	for range clients {
		if <-got == http.StatusOK {
			opened++
		}
	}
	if opened != 1 {
		t.Errorf("%d of %d clients got the token; want 1", opened, clients)
	}
}

package webui

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

// A ticket that no browser used expires: its address stays in logs of processes.
func TestTicketExpires(t *testing.T) {
	tests := map[string]struct {
		wait time.Duration
		want int
	}{
		"at once":        {0, http.StatusOK},
		"a slow browser": {50 * time.Second, http.StatusOK},
		"a minute later": {61 * time.Second, http.StatusUnauthorized},
		"a day later":    {24 * time.Hour, http.StatusUnauthorized},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &guard{token: newToken()}
				r := httptest.NewRequest("GET", ticketPath, nil)
				r.Header.Set("Authorization", "Ticket "+g.newTicket())
				<-time.After(tt.wait)
				w := httptest.NewRecorder()
				g.exchange(w, r)
				if w.Code != tt.want || (w.Body.String() == g.token) != (tt.want == http.StatusOK) {
					t.Errorf("the ticket after %v: %d, %q; want %d", tt.wait, w.Code, w.Body, tt.want)
				}
			})
		})
	}
}

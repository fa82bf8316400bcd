package team_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
)

// A browser shows the sessions of the store, and what another machine pushes appears by
// itself.
func TestServe(t *testing.T) {
	ana, _ := newTeam(t)
	laptop, reader := newDesk(t, ana, "laptop"), newDesk(t, ana, "reader")
	laptop.samples()
	laptop.do("push", "--all")

	ctx, stop := context.WithCancel(t.Context())
	printed, print := io.Pipe()
	var told strings.Builder
	ended := make(chan int, 1)
	go func() { ended <- cli.Run(ctx, reader.world(print, &told), []string{"serve", "--json"}) }()
	var address struct{ URL string }
	if err := json.NewDecoder(printed).Decode(&address); err != nil {
		stop()
		t.Fatalf("%v; pith serve ended with %d: %s", err, <-ended, told.String())
	}
	base, token, _ := strings.Cut(address.URL, "#")
	get := func(path string) io.ReadCloser {
		t.Helper()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", path, resp, err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp.Body
	}
	var list struct {
		Key  []string
		Tags [][]string
	}
	if err := json.NewDecoder(get("sessions.json")).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for id := range laptop.files() {
		if !slices.Contains(list.Key, id) {
			t.Errorf("the list has %q; %s is missing", list.Key, id)
		}
	}

	if len(list.Tags) == 0 || !strings.HasSuffix(strings.Join(list.Tags[0], " "), "@laptop") {
		t.Errorf("the list does not say whose sessions these are: %q", list.Tags)
	}

	const talk = "019c0000-0000-7000-8000-00000000a001"
	_, _ = io.ReadAll(get("s/" + talk + "/index.json"))
	events := bufio.NewScanner(get("s/" + talk + "/live"))
	events.Buffer(nil, 1<<20)
	laptop.local("append", talk, "said on the laptop, read in the browser")
	laptop.do("push", "--all")
	for !strings.Contains(events.Text(), "said on the laptop") {
		if !events.Scan() {
			t.Fatalf("the page was not told: %v", events.Err())
		}
	}
	stop()
	if code := <-ended; code != 0 || told.Len() > 0 {
		t.Errorf("pith serve ended with %d and said %q", code, told.String())
	}
}

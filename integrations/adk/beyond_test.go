package adksession_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	adksession "github.com/pith-sessions/pith/integrations/adk"
)

func state(sess session.Session) map[string]any {
	out := map[string]any{}
	for k, v := range sess.State().All() {
		out[k] = v
	}
	return out
}

func setting(id string, delta map[string]any) *session.Event {
	e := said(id, "text of "+id)
	e.Actions.StateDelta = delta
	return e
}

// Rewinding and forking restore the session's state at every event, whatever was written
// since; shared state stays. Compared with a fold over all deltas.
func TestStateGoesBack(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			const n = 120
			rng := rand.New(rand.NewPCG(1, 2))
			o := options(t)
			s := open(t, o)
			h := create(t, s, "s")
			model := []map[string]any{{}}
			for i := range n {
				delta := map[string]any{}
				for range rng.IntN(3) {
					delta[fmt.Sprint("k", rng.IntN(8))] = fmt.Sprint(i, " ", string(make([]byte, rng.IntN(60))))
				}
				add(t, s, h, setting(fmt.Sprint("e", i), delta))
				now := map[string]any{}
				for k, v := range model[i] {
					now[k] = v
				}
				for k, v := range delta {
					now[k] = v
				}
				model = append(model, now)
			}
			add(t, s, h, setting("shared", map[string]any{"user:u": 1.0, "app:a": 2.0}))
			for _, i := range []int{n - 1, 77, 40, 31, 1} {
				want := map[string]any{"user:u": 1.0, "app:a": 2.0}
				for k, v := range model[i+1] {
					want[k] = v
				}
				other := open(t, o)
				fork, err := other.Fork(t.Context(), get(t, other, "s"), fmt.Sprint("e", i))
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Rewind(t.Context(), h, fmt.Sprint("e", i)); err != nil {
					t.Fatal(err)
				}
				for what, got := range map[string]session.Session{"fork": fork, "the handle": h, "the session": get(t, s, "s"), "another service": get(t, other, "s")} {
					if diff := cmp.Diff(want, state(got)); diff != "" || got.Events().Len() != i+1 {
						t.Errorf("%s at %d: %d events, state (-want +got):\n%s", what, i, got.Events().Len(), diff)
					}
				}
			}
			add(t, s, h, said("after", "goes on"))
			if got := ids(get(t, open(t, o), "s")); !slices.Equal(got, []string{"e0", "e1", "after"}) {
				t.Errorf("events = %v", got)
			}
			if err := s.Rewind(t.Context(), h, ""); err != nil || h.Events().Len() != 0 {
				t.Errorf("Rewind to the beginning = %v, %d events", err, h.Events().Len())
			}
			if err := s.Rewind(t.Context(), h, "e50"); err == nil {
				t.Error("Rewind to an event of another branch = nil")
			}
		})
	}
}

// A fork goes its own way.
func TestForkIsIndependent(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t, options(t))
			h := create(t, s, "s")
			add(t, s, h, said("1", "one"), said("2", "two"))
			fork, err := s.Fork(t.Context(), h, "1")
			if err != nil {
				t.Fatal(err)
			}
			add(t, s, fork, said("f", "fork"))
			add(t, s, h, said("3", "three"))
			if got := ids(get(t, s, fork.ID())); !slices.Equal(got, []string{"1", "f"}) {
				t.Errorf("fork = %v", got)
			}
			if got := ids(get(t, s, "s")); !slices.Equal(got, []string{"1", "2", "3"}) {
				t.Errorf("session = %v", got)
			}
			list, err := s.List(t.Context(), &session.ListRequest{AppName: app, UserID: user})
			if err != nil || len(list.Sessions) != 2 {
				t.Errorf("List = %v, %v; want two sessions", list, err)
			}
		})
	}
}

func TestCompact(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t, options(t))
			h := create(t, s, "s")
			add(t, s, h, setting("1", map[string]any{"k": "v"}), said("2", "two"),
				answer("call", &genai.Part{FunctionCall: &genai.FunctionCall{ID: "c", Name: "f"}}),
				answer("result", &genai.Part{FunctionResponse: &genai.FunctionResponse{ID: "c", Name: "f"}}), said("5", "five"))
			var left []string
			err := s.Compact(t.Context(), h, 2, func(_ context.Context, events []*session.Event) (string, error) {
				for _, e := range events {
					left = append(left, e.ID)
				}
				return "what was said", nil
			})
			if err != nil || !slices.Equal(left, []string{"1", "2"}) {
				t.Fatalf("Compact = %v, summarized %v; want 1 and 2: the call stays with its result", err, left)
			}
			add(t, s, h, said("6", "six"))
			got := get(t, s, "s")
			if text := got.Events().At(0).Content.Parts[0].Text; text != "what was said" || !slices.Equal(ids(got)[1:], []string{"call", "result", "5", "6"}) || state(got)["k"] != "v" {
				t.Errorf("events %v, first %q, state %v", ids(got), text, state(got))
			}
			if all, err := s.History(t.Context(), h); err != nil || len(all) != 6 {
				t.Errorf("History = %d events, %v; want all 6", len(all), err)
			}
			found, err := s.Search(t.Context(), adksession.SearchRequest{AppName: app, Text: "TWO"})
			if err != nil || len(found) != 1 || found[0].EventID != "2" || found[0].SessionID != "s" || found[0].UserID != user {
				t.Errorf("Search = %+v, %v; want the event that was left out", found, err)
			}
		})
	}
}

// Temporary state is visible in the handle until the invocation ends, and stored nowhere;
// partial events are visible until the whole one comes.
func TestTemporary(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t, options(t))
			h := create(t, s, "s")
			e := setting("1", map[string]any{"temp:t": "x", "k": "v"})
			add(t, s, h, e)
			if _, there := h.Events().At(0).Actions.StateDelta["temp:t"]; there || state(h)["temp:t"] != "x" || state(get(t, s, "s"))["temp:t"] != nil {
				t.Errorf("handle %v, stored %v", state(h), state(get(t, s, "s")))
			}
			next := said("2", "next")
			next.InvocationID = "another"
			add(t, s, h, next)
			if state(h)["temp:t"] != nil {
				t.Error("temporary state outlived its invocation")
			}
			part := said("part", "par")
			part.Partial = true
			add(t, s, h, part)
			if got := ids(h); !slices.Equal(got, []string{"1", "2", "part"}) {
				t.Errorf("handle = %v; want the partial event", got)
			}
			add(t, s, h, said("3", "partial no more"))
			if got := ids(h); !slices.Equal(got, []string{"1", "2", "3"}) || !slices.Equal(ids(get(t, s, "s")), got) {
				t.Errorf("handle = %v, stored %v", got, ids(get(t, s, "s")))
			}
		})
	}
}

// Of a long session only the end is read.
func TestRecentEventsReadTheEnd(t *testing.T) {
	o := stores["memory"](t)
	counted := &counting{Store: o.Store}
	s := open(t, o)
	h := create(t, s, "s")
	for i := range 3000 {
		e := setting(fmt.Sprint(i), map[string]any{fmt.Sprint("k", i%40): "a value that makes the state too large to be written with each event"})
		e.Timestamp = time.Unix(int64(i), 0)
		add(t, s, h, e)
	}
	o.Store = counted
	r, err := open(t, o).Get(t.Context(), &session.GetRequest{AppName: app, UserID: user, SessionID: "s", NumRecentEvents: 20})
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(r.Session); len(got) != 20 || got[0] != "2980" || len(state(r.Session)) != 40 {
		t.Errorf("events %v, %d keys of state", got, len(state(r.Session)))
	}
	if size := counted.size.Load(); counted.read.Load() > size/5 {
		t.Errorf("read %d bytes of %d", counted.read.Load(), size)
	}
}

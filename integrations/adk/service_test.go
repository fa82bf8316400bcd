package adksession_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/adk/v2/model"
	"google.golang.org/adk/v2/session"
	"google.golang.org/genai"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	adksession "github.com/pith-sessions/pith/integrations/adk"
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/memstore"
	"github.com/pith-sessions/pith/store/pgstore"
)

// answer is an event of an agent with parts of every kind.
func answer(id string, parts ...*genai.Part) *session.Event {
	e := &session.Event{ID: id, Author: "agent", InvocationID: "inv", Timestamp: time.Now().UTC()}
	e.Content = &genai.Content{Role: genai.RoleModel, Parts: parts}
	return e
}

func sampleEvents() []*session.Event {
	call := answer("call", &genai.Part{Text: "thinking", Thought: true, ThoughtSignature: []byte{0, 255}}, genai.NewPartFromText("I look."),
		&genai.Part{FunctionCall: &genai.FunctionCall{ID: "c1", Name: "look", Args: map[string]any{"at": "<b>&\u2028"}}},
		&genai.Part{FunctionCall: &genai.FunctionCall{ID: "c2", Name: "look"}})
	call.UsageMetadata = &genai.GenerateContentResponseUsageMetadata{PromptTokenCount: 10, CandidatesTokenCount: 5, TotalTokenCount: 15}
	results := answer("results",
		&genai.Part{FunctionResponse: &genai.FunctionResponse{ID: "c1", Name: "look", Response: map[string]any{"output": "a wall"}}},
		&genai.Part{FunctionResponse: &genai.FunctionResponse{ID: "c2", Name: "look", Response: map[string]any{"error": "too dark"}}})
	results.Actions = session.EventActions{StateDelta: map[string]any{"seen": []any{"wall", 1.5, nil, map[string]any{}}}, ArtifactDelta: map[string]int64{"f": 2}}
	picture := said("picture", "what is this?")
	picture.Content.Parts = append(picture.Content.Parts, genai.NewPartFromBytes([]byte{0x89, 0, 1, 2, 255}, "image/png"))
	failed := &session.Event{ID: "failed", Author: "agent", Timestamp: time.Now().UTC(), LLMResponse: model.LLMResponse{ErrorCode: "429", ErrorMessage: "slow down"}}
	silent := &session.Event{ID: "silent", Author: "agent", Branch: "a.b", Routes: []string{"x"}, Output: map[string]any{"n": 1.0}, NodeInfo: &session.NodeInfo{Path: "p"}}
	return []*session.Event{said("hello", "hello \x00 \u2028 \U0001f600"), picture, call, results, failed, silent, answer("done", genai.NewPartFromText("A wall."))}
}

// Every event comes back as it was, from the service that wrote it and from another, and
// its JSON is the same byte for byte.
func TestEventsComeBackEqual(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			s := open(t, o)
			want := sampleEvents()
			add(t, s, create(t, s, "s"), want...)
			for _, reader := range []*adksession.Service{s, open(t, o)} {
				var got []*session.Event
				for e := range get(t, reader, "s").Events().All() {
					got = append(got, e)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("events differ (-want +got):\n%s", diff)
				}
				a, _ := json.Marshal(want)
				b, _ := json.Marshal(got)
				if string(a) != string(b) {
					t.Errorf("JSON differs:\n%s\n%s", a, b)
				}
			}
		})
	}
}

// sessionFile returns the only session file below a directory.
func sessionFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("session files = %v, %v; want one", files, err)
	}
	return files[0]
}

// The engine reads these sessions as ordinary trees, and without findings.
func TestOrdinaryTree(t *testing.T) {
	dir := t.TempDir()
	s := open(t, adksession.Options{Dir: dir})
	add(t, s, create(t, s, "s"), sampleEvents()...)
	tree, err := pith.Open(t.Context(), sessionFile(t, dir), pith.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	if f := tree.Findings(); len(f) > 0 {
		t.Errorf("findings: %v", f)
	}
	c, err := tree.Context()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for m, err := range c.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := format.DecodeMessage(m.Raw)
		if err != nil {
			t.Fatal(err)
		}
		content, _ := format.ContentOf(decoded)
		got = append(got, string(decoded.Role())+": "+content.PlainText())
	}
	want := []string{"user: hello \x00 \u2028 \U0001f600", "user: what is this?", "assistant: I look.", "toolResult: a wall", `toolResult: {"error":"too dark"}`, "assistant: ", "assistant: A wall."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// command builds pith and returns how to run it with a home of its own.
func command(t *testing.T) func(args ...string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pith")
	build := exec.Command("go", "build", "-o", program, "./cmd/pith")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the test command compiles programs
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir())
		return cmd
	}
}

// The pith command shows, lists, checks, exports and serves them, and its MCP server
// finds them.
func TestCommandReadsThem(t *testing.T) {
	dir := t.TempDir()
	s := open(t, adksession.Options{Dir: dir})
	h := create(t, s, "a-session")
	add(t, s, h, said("one", "where is the lighthouse?"), answer("two", genai.NewPartFromText("on the rock")))
	if err := s.Rewind(t.Context(), h, "one"); err != nil {
		t.Fatal(err)
	}
	add(t, s, h, answer("three", genai.NewPartFromText("behind the dune")))
	pith := command(t)
	file := sessionFile(t, dir)
	for _, c := range []struct {
		args  []string
		stdin string
		want  []string
	}{
		{args: []string{"tree", file}, want: []string{"where is the lighthouse?", "on the rock", "behind the dune"}},
		{args: []string{"ls", "--all", "--session-dir", dir}, want: []string{"where is the lighthouse?"}},
		{args: []string{"export", file, "--format", "md", "-o", "-"}, want: []string{"behind the dune"}},
		{args: []string{"doctor", file}},
		{args: []string{"mcp", "--session-dir", dir}, stdin: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"lighthouse","all_projects":true}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read","arguments":{"session":"a-session"}}}
`, want: []string{"where is the lighthouse?", "behind the dune"}},
	} {
		cmd := pith(c.args...)
		cmd.Stdin = strings.NewReader(c.stdin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("pith %v: %v\n%s", c.args, err, out)
		}
		for _, want := range c.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("pith %v lacks %q:\n%s", c.args, want, out)
			}
		}
	}

	serve := pith("serve", "--json", "--session-dir", dir)
	printed, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Process.Kill(); _ = serve.Wait() })
	var address struct{ URL string }
	if err := json.NewDecoder(printed).Decode(&address); err != nil {
		t.Fatal(err)
	}
	base, token, _ := strings.Cut(address.URL, "#")
	for page, want := range map[string]string{"sessions.json": "where is the lighthouse?", "s/a-session/index.json": "behind the dune"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+page, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if body, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s lacks %q: %v\n%s", page, want, err, body)
		}
	}
}

// A service that has listed a session lists it again as another service left it.
func TestListSeesOthers(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			s, other := open(t, o), open(t, o)
			create(t, other, "kept")
			h := create(t, other, "changed")
			list := func() map[string]any {
				t.Helper()
				r, err := s.List(t.Context(), &session.ListRequest{AppName: app})
				if err != nil {
					t.Fatal(err)
				}
				out := map[string]any{}
				for _, h := range r.Sessions {
					out[h.ID()] = state(h)["k"]
				}
				return out
			}
			steps := []struct {
				act  func()
				want map[string]any
			}{
				{func() {}, map[string]any{"kept": nil, "changed": nil}},
				{func() { add(t, other, h, setting("1", map[string]any{"k": "a"})) }, map[string]any{"kept": nil, "changed": "a"}},
				{func() { add(t, other, h, setting("2", map[string]any{"k": "b"})) }, map[string]any{"kept": nil, "changed": "b"}},
				{func() {
					if err := other.Delete(t.Context(), &session.DeleteRequest{AppName: app, UserID: user, SessionID: "kept"}); err != nil {
						t.Fatal(err)
					}
				}, map[string]any{"changed": "b"}},
				{func() { create(t, other, "new") }, map[string]any{"changed": "b", "new": nil}},
			}
			for i, step := range steps {
				step.act()
				if diff := cmp.Diff(step.want, list()); diff != "" {
					t.Errorf("step %d (-want +got):\n%s", i, diff)
				}
				if name == "files" { // the names in directories that did not change lately are remembered
					age(t, o.Dir, time.Duration(i+1)*time.Hour)
					if diff := cmp.Diff(step.want, list()); diff != "" {
						t.Errorf("step %d, an old directory (-want +got):\n%s", i, diff)
					}
				}
			}
		})
	}
}

// Ids of any text are safe, and no two of them are one session.
func TestIDsOfAnyText(t *testing.T) {
	texts := []string{"a", "A", "..", ".", "/", "/etc/passwd", "../a", `..\a`, "a/b", "a\x00b", "a\x00", "\x00", "\U0001f600", "\u00e9", "e\u0301", "con", "a.jsonl", "user", "user.state",
		strings.Repeat("x", 4096), strings.Repeat("x", 4095) + "y", strings.Repeat("\x00", 4096), "a--b", "a-", " ", "\n"}
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			s := open(t, o)
			for _, id := range texts {
				for _, k := range []session.CreateRequest{{AppName: id, UserID: "u", SessionID: "s"}, {AppName: "app", UserID: id, SessionID: "s"}, {AppName: "app", UserID: "u", SessionID: id}} {
					k.State = map[string]any{"me": fmt.Sprintf("%q", k.AppName+"|"+k.UserID+"|"+k.SessionID)}
					if _, err := s.Create(t.Context(), &k); err != nil && !errors.Is(err, fs.ErrExist) {
						t.Fatalf("%.40q: %v", id, err)
					}
				}
			}
			list, err := open(t, o).List(t.Context(), &session.ListRequest{AppName: "app", UserID: "u"})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range list.Sessions {
				got = append(got, l.ID())
				if me, _ := l.State().Get("me"); me != fmt.Sprintf("%q", "app|u|"+l.ID()) {
					t.Errorf("session %.40q has the state of %.60v", l.ID(), me)
				}
			}
			want := slices.Clone(texts)
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			if o.Dir != "" {
				if files, _ := filepath.Glob(filepath.Join(filepath.Dir(o.Dir), "*")); slices.ContainsFunc(files, func(f string) bool { return strings.HasSuffix(f, "a") }) {
					t.Errorf("files outside the folder: %v", files)
				}
			}
		})
	}
}

func TestUnknownSession(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t, options(t))
			_, err := s.Get(t.Context(), &session.GetRequest{AppName: app, UserID: user, SessionID: "none"})
			_, adk := session.InMemoryService().Get(t.Context(), &session.GetRequest{AppName: app, UserID: user, SessionID: "none"})
			var missing *adksession.NotFoundError
			if !errors.As(err, &missing) || !errors.Is(err, fs.ErrNotExist) || err.Error() != adk.Error() {
				t.Errorf("Get = %v; want %v", err, adk)
			}
			h := create(t, s, "s")
			if err := s.Delete(t.Context(), &session.DeleteRequest{AppName: app, UserID: user, SessionID: "s"}); err != nil {
				t.Fatal(err)
			}
			if err := s.AppendEvent(t.Context(), h, said("e", "x")); !errors.As(err, &missing) {
				t.Errorf("AppendEvent to a deleted session = %v; want a NotFoundError", err)
			}
			add(t, s, create(t, s, "s"), said("e", "x")) // the id is free again
		})
	}
}

// An event that has no JSON is refused before anything is written, also its state.
func TestUnencodableEvents(t *testing.T) {
	for name, options := range stores {
		t.Run(name, func(t *testing.T) {
			s := open(t, options(t))
			h := create(t, s, "s")
			add(t, s, h, said("good", "x"))
			for _, bad := range []map[string]any{{"k": math.NaN()}, {"app:k": "written?", "k": make(chan int)}, {"user:k": func() {}, "app:k": "written?"}} {
				e := said("bad", "x")
				e.Actions.StateDelta = bad
				if err := s.AppendEvent(t.Context(), h, e); err == nil {
					t.Errorf("AppendEvent with %v = nil", bad)
				}
				now := get(t, s, "s")
				if _, err := now.State().Get("app:k"); !slices.Equal(ids(now), []string{"good"}) || !slices.Equal(ids(h), []string{"good"}) || err == nil {
					t.Errorf("events %v, handle %v, app:k %v; want nothing written", ids(now), ids(h), err)
				}
			}
			if _, err := s.Create(t.Context(), &session.CreateRequest{AppName: app, UserID: user, SessionID: "t", State: map[string]any{"k": math.Inf(1)}}); err == nil {
				t.Error("Create with a state that has no JSON = nil")
			}
		})
	}
}

// A database that does not answer ends every call with the context.
func TestUnreachableDatabase(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = pgstore.Connect(ctx, "postgres://u@"+silent.Addr().String()+"/d?sslmode=disable", pgstore.Options{})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Connect = %v; want the deadline", err)
	}
	s := open(t, adksession.Options{Store: &away{Store: memstore.New()}})
	for what, call := range map[string]func(context.Context) error{
		"Create": func(ctx context.Context) error {
			_, err := s.Create(ctx, &session.CreateRequest{AppName: app, UserID: user})
			return err
		},
		"Get": func(ctx context.Context) error {
			_, err := s.Get(ctx, &session.GetRequest{AppName: app, UserID: user, SessionID: "s"})
			return err
		},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s = %v; want the deadline", what, err)
		}
		cancel()
	}
}

// away is a store whose calls end with their context and not before.
type away struct{ *memstore.Store }

func (a *away) Open(ctx context.Context, _ string) (store.Log, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (a *away) Create(ctx context.Context, _ string, _ store.Fill) (store.Log, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

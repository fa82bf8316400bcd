package webui_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
)

const (
	ownID    = "0190aaaa-0000-7000-8000-000000000001"
	claudeID = "c1a0de00-0000-4000-8000-000000000001"
	ompID    = "0190aaaa-0000-7000-8000-000000000009"
)

// actionNames are all actions.
var actionNames = []string{"name", "label", "branch", "fork", "clone", "pin", "archive", "snooze", "tag", "trash", "restore"}

// A home is a directory with a session of pi, one of Claude Code, one of oh-my-pi, and
// one in the trash.
type home struct {
	t    *testing.T
	dir  string
	item string
}

func newHome(t *testing.T) *home {
	t.Helper()
	h := &home{t: t, dir: t.TempDir()}
	claude := `{"type":"user","uuid":"aaaa0001","parentUuid":null,"timestamp":"2026-11-17T01:49:54.368Z","cwd":"/p","message":{"role":"user","content":"fix the parser"}}
{"type":"user","uuid":"bbbb0001","parentUuid":"aaaa0001","timestamp":"2026-11-17T01:49:55.368Z","message":{"role":"user","content":"try a state machine"}}
`
	gone := strings.ReplaceAll(talk, ownID, "0190aaaa-0000-7000-8000-000000000007")
	for path, text := range map[string]string{
		h.own(): talk, ".claude/projects/-p/" + claudeID + ".jsonl": claude, h.omp(): strings.ReplaceAll(talk, ownID, ompID),
		".pi/agent/sessions/--p--/2026-02-03T22-52-06-410Z_0190aaaa-0000-7000-8000-000000000007.jsonl": gone,
	} {
		h.write(path, text)
	}
	r, err := trash.Put(h.path(".pi/agent/sessions/--p--/2026-02-03T22-52-06-410Z_0190aaaa-0000-7000-8000-000000000007.jsonl"), trash.Options{Dir: h.path("trash")})
	if err != nil {
		t.Fatal(err)
	}
	h.item = r.ID
	return h
}

func (h *home) own() string {
	return ".pi/agent/sessions/--p--/2026-02-03T22-52-06-410Z_" + ownID + ".jsonl"
}
func (h *home) omp() string {
	return ".omp/agent/sessions/-p/2026-02-03T22-52-06-410Z_" + ompID + ".jsonl"
}

func (h *home) path(name string) string { return filepath.Join(h.dir, filepath.FromSlash(name)) }

func (h *home) write(name, text string) {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.path(name)), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// config returns the configuration of a server whose pages may change sessions.
func (h *home) config() webui.Config {
	open := func() (*marks.Collection, error) { return marks.Open(h.path("state")) }
	return webui.Config{
		Catalog: catalog.Options{Home: h.dir, Getenv: func(string) string { return "" }}, Home: h.dir, Note: h.t.Logf,
		Engine: pith.Options{},
		Marks: func() func(string) marks.Marks {
			all, err := open()
			if err != nil {
				h.t.Error(err)
				return func(string) marks.Marks { return marks.Marks{} }
			}
			return all.Of
		},
		Write: &webui.Write{Marks: open, Trash: func() (trash.Options, error) { return trash.Options{Dir: h.path("trash")}, nil }},
	}
}

// serve starts a server.
func (h *home) serve(c webui.Config) (*webui.Server, *client) {
	h.t.Helper()
	s, err := webui.New("127.0.0.1:0", c)
	if err != nil {
		h.t.Fatal(err)
	}
	run(h.t, s)
	return s, enter(h.t, s)
}

// files returns the files of the home that sessions, marks and the trash have.
func (h *home) files() map[string]string {
	h.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.Contains(path, ".cache") || strings.HasSuffix(path, ".lock") {
			return err
		}
		text, err := os.ReadFile(path)
		out[path] = string(text)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// unchanged fails if a file is not as before.
func (h *home) unchanged(what string, before map[string]string) {
	h.t.Helper()
	if now := h.files(); !maps.Equal(before, now) {
		h.t.Errorf("%s: files changed: %q, before: %q", what, slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(before)))
	}
}

// A deed is an order and its answer.
type deed map[string]any

// stateOf returns the state of a session in the list.
func (c *client) stateOf(key string) string {
	c.t.Helper()
	_, text := c.get("sessions.json?have=x")
	var list struct{ Key, State []string }
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		c.t.Fatal(err)
	}
	if i := slices.Index(list.Key, key); i >= 0 && i < len(list.State) {
		return list.State[i]
	}
	return ""
}

// order returns a valid order about a session.
func (h *home) order(c *client, action, key string) deed {
	o := deed{"session": key, "state": c.stateOf(key)}
	switch action {
	case "name":
		o["text"] = "a new name"
	case "label":
		o["entry"], o["text"] = "aaaa0001", "a label"
	case "branch":
		o["entry"] = "aaaa0001"
	case "fork":
		o["entry"] = "bbbb0001"
	case "clone":
		o["entry"] = "aaaa0001"
	case "pin", "archive", "snooze":
		o["on"] = true
	case "tag":
		o["text"] = "bug +later"
	case "restore":
		o = deed{"item": h.item}
	}
	return o
}

// page makes a request look like one of a page of the server.
func (c *client) page(r *http.Request) {
	r.Header.Set("Origin", strings.TrimSuffix(c.base, "/"))
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/json")
}

// do sends an order as a page does, with changes, and returns the status and the answer.
func (c *client) do(action string, o deed, change func(*http.Request)) (int, deed) {
	c.t.Helper()
	body, err := json.Marshal(o)
	if err != nil {
		c.t.Fatal(err)
	}
	resp := c.ask("POST", "do/"+action, string(body), func(r *http.Request) {
		c.page(r)
		if change != nil {
			change(r)
		}
	})
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	out := deed{}
	if json.Unmarshal(text, &out) != nil {
		out["error"] = string(text)
	}
	return resp.StatusCode, out
}

// Every action does what its command does, and its answer undoes it.
func TestActions(t *testing.T) {
	for _, action := range actionNames {
		t.Run(action, func(t *testing.T) {
			h := newHome(t)
			_, c := h.serve(h.config())
			c.get("s/" + ownID + "/index.json") // it is open, and must change there too
			before := h.files()
			code, out := c.do(action, h.order(c, action, ownID), nil)
			if code != 200 || out["done"] == "" {
				t.Fatalf("%s = %d, %v", action, code, out)
			}
			if maps.Equal(before, h.files()) {
				t.Errorf("%s changed nothing", action)
			}
			_, list := c.get("sessions.json?have=x")
			_, index := c.get("s/" + ownID + "/index.json")
			wanted := map[string]string{"name": "a new name", "pin": `"pinned"`, "archive": `"archived"`, "tag": `["bug","later"]`, "restore": "000000000007"}
			if want := wanted[action]; !strings.Contains(list, want) {
				t.Errorf("after %s the list has no %s: %s", action, want, list)
			}
			switch action {
			case "trash":
				if strings.Contains(list, ownID) {
					t.Errorf("the list still has the session: %s", list)
				}
			case "label":
				if !strings.Contains(index, `"labels":{"0":"a label"}`) {
					t.Errorf("the session has no label: %s", index)
				}
			case "branch":
				file, err := os.ReadFile(h.path(h.own()))
				if err != nil || !strings.HasPrefix(string(file), talk) || !strings.Contains(string(file)[len(talk):], `"customType":"pith/leaf"`) || strings.Count(string(file)[len(talk):], "\n") != 1 {
					t.Errorf("branch wrote %s, %v", strings.TrimPrefix(string(file), talk), err)
				}
			case "fork", "clone":
				if now, err := os.ReadFile(h.path(h.own())); err != nil || string(now) != talk {
					t.Errorf("%s changed its source: %v", action, err)
				}
				key, _ := out["session"].(string)
				if code, text := c.get("s/" + key); key == ownID || code != 200 || !strings.Contains(text, "why are there two mails?") || strings.Contains(text, "xylophone") {
					t.Errorf("the new session %q = %d, %.300s", key, code, text)
				}
				if want := map[string]any{"fork": "try a mutex, dear xylophone"}[action]; out["text"] != want {
					t.Errorf("%s returns the text %v; want %v", action, out["text"], want)
				}
			}
			undo, ok := out["undo"].(map[string]any)
			if !ok {
				if action != "restore" {
					t.Errorf("%s has no undo: %v", action, out)
				}
				return
			}
			o, _ := undo["order"].(map[string]any)
			if code, out := c.do(undo["action"].(string), o, nil); code != 200 {
				t.Fatalf("undo of %s: %v = %d, %v", action, undo, code, out)
			}
			if _, now := c.get("sessions.json?have=x"); action != "fork" && action != "clone" && (!strings.Contains(now, ownID) || wanted[action] != "" && strings.Contains(now, wanted[action])) {
				t.Errorf("after undo of %s: %s", action, now)
			}
			if _, now := c.get("sessions.json?have=x"); (action == "fork" || action == "clone") && strings.Contains(now, out["session"].(string)) {
				t.Errorf("after undo of %s: %s", action, now)
			}
			if _, index := c.get("s/" + ownID + "/index.json"); strings.Contains(index, `"labels":{"0":`) {
				t.Errorf("after undo of %s: %s", action, index)
			}
		})
	}
}

// Every action needs the token in its header, a page of this server, and JSON. A refused
// one changes nothing.
func TestActionsAreGuarded(t *testing.T) {
	h := newHome(t)
	s, c := h.serve(h.config())
	_, token, _ := strings.Cut(s.URL(), "#")
	set := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				if r.Header.Del(pairs[i]); pairs[i+1] != "" {
					r.Header.Set(pairs[i], pairs[i+1])
				}
			}
		}
	}
	body := func(text string) func(*http.Request) {
		return func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
		}
	}
	before := h.files()
	for _, action := range actionNames {
		o := h.order(c, action, ownID)
		for name, tt := range map[string]struct {
			change func(*http.Request)
			code   int
		}{
			"no token":                  {set("Authorization", ""), 401},
			"no token, asks for a page": {set("Authorization", "", "Accept", "text/html"), 401},
			"a wrong token":             {set("Authorization", "Bearer "+strings.Repeat("0", len(token))), 401},
			"the token as cookie":       {set("Authorization", "", "Cookie", "token="+token), 401},
			"the token as password":     {func(r *http.Request) { r.SetBasicAuth("pith", token) }, 401},
			"the token in a query":      {func(r *http.Request) { r.Header.Del("Authorization"); r.URL.RawQuery = "token=" + token }, 401},
			"another origin":            {set("Origin", "http://evil.example"), 403},
			"another port":              {set("Origin", "http://127.0.0.1:1"), 403},
			"another name":              {set("Origin", strings.Replace(strings.TrimSuffix(c.base, "/"), "127.0.0.1", "localhost", 1)), 403},
			"another scheme":            {set("Origin", strings.Replace(strings.TrimSuffix(c.base, "/"), "http:", "https:", 1)), 403},
			"an origin of nowhere":      {set("Origin", "null"), 403},
			"no origin":                 {set("Origin", ""), 403},
			"another site":              {set("Sec-Fetch-Site", "cross-site"), 403},
			"a site beside":             {set("Sec-Fetch-Site", "same-site"), 403},
			"a person":                  {set("Sec-Fetch-Site", "none"), 403},
			"another host":              {func(r *http.Request) { r.Host = "evil.example" }, 421},
			"a form":                    {set("Content-Type", "application/x-www-form-urlencoded"), 415},
			"text":                      {set("Content-Type", "text/plain"), 415},
			"no type":                   {set("Content-Type", ""), 415},
			"another method":            {func(r *http.Request) { r.Method = "PUT" }, 405},
			"a read":                    {func(r *http.Request) { r.Method = "GET" }, 404},
			"not JSON":                  {body("name=x"), 400},
			"two orders":                {body(`{"session":"` + ownID + `"}{}`), 400},
			"an unknown field":          {body(`{"session":"` + ownID + `","path":"/etc/passwd"}`), 400},
			"too long":                  {body(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`), 413},
			"too long, in pieces": {func(r *http.Request) {
				body(`{"text":"` + strings.Repeat("x", 1<<20) + `"}`)(r)
				r.ContentLength = -1
			}, 400},
		} {
			if code, out := c.do(action, o, tt.change); code != tt.code || out["error"] == nil {
				t.Errorf("%s, %s = %d, %v; want %d", action, name, code, out, tt.code)
			}
		}
		h.unchanged(action, before)
	}
	for _, path := range []string{"none", "..%2fname", "name/more", ""} {
		if code, out := c.do(path, deed{}, nil); code != 404 {
			t.Errorf("do/%s = %d, %v; want 404", path, code, out)
		}
	}
}

// Without --write there is no action and no page offers one.
func TestNoActions(t *testing.T) {
	h := newHome(t)
	config := h.config()
	config.Write = nil
	_, c := h.serve(config)
	before := h.files()
	for _, action := range actionNames {
		if code, out := c.do(action, h.order(c, action, ownID), nil); code != 405 {
			t.Errorf("%s = %d, %v; want 405", action, code, out)
		}
	}
	h.unchanged("all", before)
	for _, path := range []string{"", "inbox", "s/" + ownID, "sessions.json"} {
		if _, text := c.get(path); strings.Contains(text, "act.js") || strings.Contains(text, `id="rename"`) || strings.Contains(text, `id="actions"`) || strings.Contains(text, `"state":`) {
			t.Errorf("%q offers actions: %s", path, text)
		}
	}
}

// changing are the actions that write to the file of a session, or move it.
var changing = []string{"name", "label", "branch", "trash"}

// Actions are refused like commands are, in one line, and change nothing then.
func TestActionRefusals(t *testing.T) {
	h := newHome(t)
	team := h.config()
	team.Who = func(string) string { return "eve@laptop" }
	_, own := h.serve(h.config())
	_, members := h.serve(team)
	before := h.files()
	refused := func(c *client, action string, o deed, code int, why string) {
		t.Helper()
		got, out := c.do(action, o, nil)
		if text, _ := out["error"].(string); got != code || !strings.Contains(text, why) || strings.Contains(text, "\n") {
			t.Errorf("%s %v = %d, %v; want %d, %s", action, o, got, out, code, why)
		}
	}
	with := func(o deed, pairs ...string) deed {
		for i := 0; i < len(pairs); i += 2 {
			o[pairs[i]] = pairs[i+1]
		}
		return o
	}
	var index struct{ IDs []string }
	if _, text := own.get("s/" + claudeID + "/index.json"); json.Unmarshal([]byte(text), &index) != nil || len(index.IDs) == 0 {
		t.Fatalf("the session of Claude Code has no entries: %s", text)
	}
	entry := index.IDs[0]
	for _, action := range actionNames {
		order := func(key string) deed { return h.order(own, action, key) }
		if action == "restore" {
			for _, item := range []string{"", "none", "..", "../state", "/etc"} {
				refused(own, action, deed{"item": item}, 404, "not in the trash")
			}
			refused(members, action, order(""), 404, "no such session")
			continue
		}
		refused(members, action, h.order(members, action, ownID), 403, "of eve@laptop is in the team database and read-only here; download it with pith pull first")
		for _, key := range []string{"", "none", "0190aaaa", "@", "../../etc/passwd", h.path(h.own())} {
			refused(own, action, order(key), 404, "no such session")
		}
		if slices.Contains(changing, action) || action == "fork" || action == "clone" {
			o := order(claudeID)
			if o["entry"] != nil {
				o["entry"] = entry
			}
			refused(own, action, o, 403, "Claude Code sessions are read-only; import it first: pith import "+claudeID)
		}
		if slices.Contains(changing, action) {
			refused(own, action, with(order(ownID), "state", ""), 409, "has changed since the page was loaded")
			refused(own, action, with(order(ownID), "state", own.stateOf(ompID)), 409, "has changed since the page was loaded")
		}
		if order(ownID)["entry"] != nil {
			refused(own, action, with(order(ownID), "entry", ""), 400, "names no entry")
			for _, entry := range []string{"none", "@leaf", "aaaa"} {
				refused(own, action, with(order(ownID), "entry", entry), 404, "no such entry")
			}
		}
	}
	for _, blank := range []string{" ", "\n\t", "\x1b\x07"} {
		for _, action := range []string{"name", "label"} {
			refused(own, action, with(h.order(own, action, ownID), "text", blank), 422, "the text is empty")
		}
	}
	for _, bad := range []string{"", "a,b", "--force", "a\u200bb", strings.Repeat("x", 65)} {
		refused(own, "tag", with(h.order(own, "tag", ownID), "text", bad), 422, "invalid tags")
	}
	refused(own, "fork", with(h.order(own, "fork", ownID), "entry", "aaaa0002"), 422, "entry aaaa0002 is not a user message")
	refused(own, "fork", with(h.order(own, "fork", ownID), "entry", "aaaa0001"), 422, "nothing before this message")
	h.unchanged("all", before)
}

// Marks are pith's own, so that sessions of other agents can have them; the files of the
// agents do not change.
func TestMarksOfOtherAgents(t *testing.T) {
	h := newHome(t)
	_, c := h.serve(h.config())
	path := h.path(".claude/projects/-p/" + claudeID + ".jsonl")
	before := h.files()[path]
	for _, action := range []string{"pin", "archive", "snooze", "tag"} {
		if code, out := c.do(action, h.order(c, action, claudeID), nil); code != 200 {
			t.Errorf("%s = %d, %v", action, code, out)
		}
	}
	if before == "" || h.files()[path] != before {
		t.Error("the file of the agent changed")
	}
}

// A file that changes after a page was loaded makes the orders of the page void; the page
// learns the new state.
func TestStalePage(t *testing.T) {
	h := newHome(t)
	_, c := h.serve(h.config())
	for _, action := range changing {
		o := h.order(c, action, ownID)
		more := `{"type":"message","id":"` + action + `1","parentId":"aaaa0003","timestamp":"2026-02-03T22:53:00.000Z","message":{"role":"user","content":"another"}}` + "\n"
		file, err := os.OpenFile(h.path(h.own()), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(more); err != nil {
			t.Fatal(err)
		}
		file.Close()
		before := h.files()
		if code, out := c.do(action, o, nil); code != 409 || !strings.Contains(out["error"].(string), "has changed since the page was loaded") {
			t.Errorf("%s with an old state = %d, %v; want 409", action, code, out)
		}
		h.unchanged(action, before)
		if code, out := c.do(action, h.order(c, action, ownID), nil); code != 200 {
			t.Errorf("%s with the new state = %d, %v", action, code, out)
		}
	}
}

// A name from a page is cleaned like one of the command.
func TestNamesFromPages(t *testing.T) {
	h := newHome(t)
	_, c := h.serve(h.config())
	for text, want := range map[string]string{"a\nb": "a b", "\x1b[31mred": "[31mred", "</script><b>": "</script><b>", "": ""} {
		o := h.order(c, "name", ownID)
		o["text"] = text
		if code, out := c.do("name", o, nil); code != 200 || out["name"] != want {
			t.Errorf("name %q = %d, %v; want %q", text, code, out, want)
		}
	}
}

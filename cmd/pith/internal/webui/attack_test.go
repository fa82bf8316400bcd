package webui_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/internal/housekeeping/marks"
	"github.com/pith-sessions/pith/internal/page"
	"github.com/pith-sessions/pith/tests/browser"
	"github.com/pith-sessions/pith/tests/corpus"
)

// hostile are texts that would do something if they became markup, an address or a
// command (E1 to E5).
var hostile = []string{
	`</script><script>alert(1)</script>`, `<!-- <script>`, "\u2028\u2029", `<img src=x onerror=alert(1)>`, `" onmouseover="alert(1)`, `' style='background:url(//evil.example/x)`,
	`[x](javascript:alert(1))`, "[x](java\tscript:alert(1))", `javascript:alert(1)`, `![x](https://evil.example/pixel.png)`, `<svg onload=alert(1)>`,
	`<style>@import url(//evil.example)</style>`, "```a\" onload=\"x\ncode\n```", "\x1b[2J\x1b]0;owned\a", "\u202edlrow olleh", `{{.}}{{template "head"}}`, `../../../etc/passwd`, `$(touch /tmp/owned)`, `//evil.example/`, "a\nb\x00c",
}

// terminal records the notes to the terminal.
type terminal struct {
	mu   sync.Mutex
	told []string
}

func (w *terminal) tell(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, fmt.Sprintf(format, args...))
}

// lines returns the notes. A repeated note fails the test.
func (w *terminal) lines(t *testing.T) []string {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	sorted := slices.Sorted(slices.Values(w.told))
	if len(slices.Compact(sorted)) != len(w.told) {
		t.Errorf("the terminal was told something twice: %q", w.told)
	}
	return slices.Clone(w.told)
}

// serveDir serves the sessions of a directory.
func serveDir(t *testing.T, dir string) (*webui.Server, *terminal) {
	t.Helper()
	w := &terminal{}
	infos, err := catalog.Sorted(catalog.ListAll(t.Context(), catalog.Options{Dir: dir}))
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]marks.Marks{}
	for i := range infos {
		tags[infos[i].ID] = marks.Marks{Tags: []string{infos[i].ID}}
	}
	app := over(dir)
	app.Marks = marked(t, tags)
	s, err := webui.New("127.0.0.1:0", webui.Config{App: app, Note: w.tell})
	if err != nil {
		t.Fatal(err)
	}
	run(t, s)
	return s, w
}

func quote(t *testing.T, text string) string {
	t.Helper()
	out, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// keysOf are the names of all sessions in addresses.
func keysOf(t *testing.T, c *client) []string {
	t.Helper()
	code, text := c.get("?n=100000&have=nothing")
	if code != 200 {
		t.Fatalf("the list is %d", code)
	}
	var keys []string
	for _, m := range regexp.MustCompile(`data-key="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		key, err := url.PathUnescape(html.UnescapeString(m[1]))
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	return keys
}

// harm is what in a page must not be there.
func harm(text string) string {
	for _, c := range []string{"\x1b", "\a", "\u202e", "\u2028"} {
		if strings.Contains(text, c) {
			return fmt.Sprintf("the character %q", c)
		}
	}
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.CommentToken:
			return "a comment"
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			if slices.Contains([]string{"iframe", "object", "embed", "form", "base", "style", "video", "audio"}, tok.Data) {
				return "the element " + tok.Data
			}
			for _, a := range tok.Attr {
				local := strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "//")
				switch {
				case strings.HasPrefix(a.Key, "on"), a.Key == "style", a.Key == "srcset", a.Key == "srcdoc":
					return "the attribute " + a.Key + " of " + tok.Data
				case tok.Data == "script" && (a.Key != "src" || !strings.HasPrefix(a.Val, "/assets/")), tok.Data == "link" && a.Key == "href" && !strings.HasPrefix(a.Val, "/assets/") && a.Val != "data:,":
					return tok.Data + " " + a.Val
				case a.Key == "src" && tok.Data == "img" && !strings.HasPrefix(a.Val, "data:image/png;base64,"):
					return "a picture from " + a.Val
				case a.Key == "href" && tok.Data == "a" && !local && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "mailto:"):
					return "a link to " + a.Val
				}
			}
		}
	}
}

// visit goes to every address of a session and returns what is wrong with the answers.
func visit(c *client, key string) (wrong []string) {
	at := "s/" + url.PathEscape(key)
	paths := []string{at, at + "/index.json", at + "/compare", at + "/search.json?q=a", at + "/runs?call=c1"}
	var index struct{ Stretches []struct{ I []string } }
	if code, text := c.get(at + "/index.json"); code == 200 && json.Unmarshal([]byte(text), &index) == nil && len(index.Stretches) > 0 {
		paths = append(paths, at+"/part/0")
		ids := index.Stretches[0].I
		for _, id := range ids[:min(2, len(ids))] {
			paths = append(paths, at+"/context.json?at="+url.QueryEscape(id), at+"/compare?b="+url.QueryEscape(id), at+"/runs?call=c1&at="+url.QueryEscape(id))
		}
	}
	for _, path := range paths {
		code, text := c.get(path)
		if !slices.Contains([]int{200, 403, 404, 500}, code) || strings.Contains(text, "goroutine ") {
			wrong = append(wrong, fmt.Sprintf("%s: %d %.200s", path, code, text))
		}
		if code != 200 && !strings.Contains(text, "this session") && !strings.Contains(text, "This session") && !strings.Contains(text, "no longer a session") && !strings.Contains(text, "not found") {
			wrong = append(wrong, fmt.Sprintf("%s: no clear page: %.200s", path, text))
		}
		if strings.Contains(path, ".json") {
			continue // it is put into pages as text; TestHostileTextInBrowser shows that
		}
		for piece := range strings.SplitSeq(text, page.Separator) {
			if complaint := harm(piece); complaint != "" {
				wrong = append(wrong, fmt.Sprintf("%s: %s in %.300s", path, complaint, piece))
			}
		}
	}
	return wrong
}

// hostileSession says a text in every field that a session has.
func hostileSession(t *testing.T, n int, text string) string {
	q := quote(t, text)
	lines := []string{
		`{"type":"session","version":3,"id":` + quote(t, fmt.Sprintf("%d-%s", n, text)) + `,"timestamp":"2026-02-03T22:52:06.410Z","cwd":` + quote(t, "/home/u/"+text) + `,"parentSession":` + q + `}`,
		`{"type":"model_change","id":"m1","parentId":null,"timestamp":"2026-02-03T22:52:06.500Z","provider":` + q + `,"modelId":` + q + `}`,
		`{"type":"message","id":` + q + `,"parentId":"m1","timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":` + q + `}}`,
		`{"type":"message","id":"a1","parentId":` + q + `,"timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","provider":` + q + `,"model":` + q + `,"stopReason":"error","errorMessage":` + q + `,"content":[{"type":"text","text":` + q + `},{"type":"thinking","thinking":` + q + `},{"type":"toolCall","id":"c1","name":"subagent","arguments":{"agent":` + q + `,"task":` + q + `}},{"type":"image","mimeType":` + q + `,"data":` + q + `},{"type":` + q + `}],"usage":{"input":100,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.01}}}}`,
		`{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"subagent","content":[{"type":"text","text":` + q + `}],"details":{"mode":"single","results":[{"agent":` + q + `,"task":` + q + `,"exitCode":1,"errorMessage":` + q + `,"sessionFile":"/etc/passwd","outputFile":"/etc/passwd","messages":[{"role":"assistant","content":[{"type":"text","text":` + q + `}]}]}]}}}`,
		`{"type":"message","id":"b1","parentId":"r1","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"bashExecution","command":` + q + `,"output":` + q + `,"exitCode":1}}`,
		`{"type":"compaction","id":"k1","parentId":"b1","timestamp":"2026-02-03T22:52:11.000Z","summary":` + q + `,"firstKeptEntryId":"r1","tokensBefore":300}`,
		`{"type":"custom_message","id":"u1","parentId":"k1","timestamp":"2026-02-03T22:52:12.000Z","customType":` + q + `,"content":` + q + `,"display":true}`,
		`{"type":"branch_summary","id":"s1","parentId":"a1","timestamp":"2026-02-03T22:52:13.000Z","fromId":"u1","summary":` + q + `}`,
		`{"type":"label","id":"l1","parentId":"s1","timestamp":"2026-02-03T22:52:14.000Z","targetId":"a1","label":` + q + `}`,
		`{"type":"session_info","id":"n1","parentId":"l1","timestamp":"2026-02-03T22:52:15.000Z","name":` + q + `}`,
		`{"type":` + q + `,"id":"x1","parentId":"n1","timestamp":` + q + `,"data":` + q + `}`,
		`{"type":"message","id":"z1","parentId":"n1","timestamp":"2026-02-03T22:52:16.000Z","message":{"role":` + q + `,"content":` + q + `}}`,
	}
	return strings.Join(lines, "\n") + "\n"
}

// writeHostile fills a directory with a session for each hostile text.
func writeHostile(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for n, text := range hostile {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("2026-02-03T22-52-%02d-410Z_%d.jsonl", n, n)), []byte(hostileSession(t, n, text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Whatever a session contains in any field, its pages have only the elements of
// pages, and no file that it names outside the allowed directories is shown
// (W11).
func TestHostileText(t *testing.T) {
	s, w := serveDir(t, writeHostile(t))
	c := enter(t, s)
	keys := keysOf(t, c)
	if len(keys) != len(hostile) {
		t.Errorf("%d of %d sessions are listed", len(keys), len(hostile))
	}
	for _, key := range keys {
		for _, wrong := range visit(c, key) {
			t.Error(wrong)
		}
	}
	for _, path := range []string{"", "usage", "usage?stack=model&q=" + url.QueryEscape(hostile[0]) + "&range=" + url.QueryEscape(hostile[3]), "?q=" + url.QueryEscape(hostile[0])} {
		code, text := c.get(path)
		if complaint := harm(text); code != 200 || complaint != "" {
			t.Errorf("%s: %d, %s", path, code, complaint)
		}
	}
	for _, key := range keys {
		if _, text := c.get("s/" + url.PathEscape(key) + "/runs?call=c1"); strings.Contains(text, "root:") {
			t.Errorf("a run shows a file outside the folders: %s", text)
		}
	}
	if told := w.lines(t); len(told) > 0 {
		t.Errorf("the terminal was told %q", told)
	}
}

// A copied command is exactly the offered one, also if the session's name
// contains the placeholder for the entry: between the quotes of that name an
// entry ID would be a command.
func TestHostileNames(t *testing.T) {
	dir := t.TempDir()
	head := `{"type":"session","version":3,"id":"a @entry@ b","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}` + "\n"
	entry := `{"type":"message","id":"x; touch owned;","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":"hello"}}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "s.jsonl"), []byte(head+entry), 0o600); err != nil {
		t.Fatal(err)
	}
	s, _ := serveDir(t, dir)
	c := enter(t, s)
	_, text := c.get("s/" + url.PathEscape(keysOf(t, c)[0]))
	if !strings.Contains(text, `data-copy="`+html.EscapeString("pith files 'a @entry@ b'")+`"`) {
		t.Errorf("the files are not offered: %s", text)
	}
	for _, m := range regexp.MustCompile(`data-copy="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if strings.Count(m[1], "@entry@") > 1 {
			t.Errorf("a command takes an entry twice: %s", m[1])
		}
	}
}

// In a browser none of it does anything: no dialog, no request, no complaint.
func TestHostileTextInBrowser(t *testing.T) {
	s, _ := serveDir(t, writeHostile(t))
	c := enter(t, s)
	keys := keysOf(t, c)
	p := browser.Open(t, s.URL(), 1280, 900)
	p.Wait(ready)
	for _, key := range keys {
		p.Go(c.base + "s/" + url.PathEscape(key))
		p.Wait(ready)
		p.Press("e")
		p.Wait(`document.querySelector(".ran .run, .ran .more")`)
		p.Press("x")
		p.Wait(`document.querySelector("#context .ctx li")`)
		p.Press("c")
	}
	p.Accessible()
	for _, r := range p.Requests() {
		if !strings.HasPrefix(r, c.base) {
			t.Errorf("the page asked for %s", r)
		}
	}
	for _, fault := range p.Faults() {
		t.Errorf("the browser complains: %s", fault)
	}
}

// Every file that is odd or damaged has a page, or a page that says why not (W9).
func TestOddSessions(t *testing.T) {
	dir := t.TempDir()
	put := func(name string, data []byte) {
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range corpus.Odd() {
		if len(f.Bytes) < 1<<20 {
			put("odd-"+f.Name, f.Bytes)
		}
	}
	for n, f := range corpus.DamageKinds() {
		put(fmt.Sprintf("damage-%d", n), f.Bytes)
	}
	s, w := serveDir(t, dir)
	c := enter(t, s)
	keys := keysOf(t, c)
	if len(keys) < 40 {
		t.Fatalf("only %d sessions are listed", len(keys))
	}
	for _, key := range keys {
		for _, wrong := range visit(c, key) {
			t.Error(wrong)
		}
	}
	for _, line := range w.lines(t) {
		if strings.Contains(line, "fault of pith") {
			t.Error(line)
		}
	}
}

// A stream is the events of a page that waits.
type stream struct{ lines *bufio.Scanner }

func listen(c *client, key string) (*stream, *http.Response) {
	resp := c.ask("GET", "s/"+key+"/live", "", nil)
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	return &stream{lines}, resp
}

// next is the next event, and its data.
func (s *stream) next() (event, data string) {
	for s.lines.Scan() {
		if name, ok := strings.CutPrefix(s.lines.Text(), "event: "); ok {
			s.lines.Scan()
			return name, strings.TrimPrefix(s.lines.Text(), "data: ")
		}
	}
	return "end", ""
}

// Of thousands of waiting pages some are served and the others are rejected;
// the list is still served, and a closed page makes room (W8).
func TestManyStreams(t *testing.T) {
	s, _ := serve(t)
	c := enter(t, s)
	const id = "0190aaaa-0000-7000-8000-000000000001"
	var open []*http.Response
	refused := 0
	for range 1000 {
		_, resp := listen(c, id)
		switch resp.StatusCode {
		case 200:
			open = append(open, resp)
		case 503:
			refused++
			resp.Body.Close()
		default:
			t.Fatalf("a stream is answered with %d", resp.StatusCode)
		}
	}
	if len(open) == 0 || len(open) > 100 || refused == 0 {
		t.Errorf("%d streams are open and %d refused", len(open), refused)
	}
	if code, _ := c.get(""); code != 200 {
		t.Errorf("the list is answered with %d", code)
	}
	for _, resp := range open {
		resp.Body.Close()
	}
	for {
		_, resp := listen(c, id)
		if resp.StatusCode == 200 {
			break
		}
		resp.Body.Close()
	}
}

// A client that sends a request letter by letter, or none at all, is dropped,
// and blocks no other (W8).
func TestSlowClients(t *testing.T) {
	t.Parallel()
	s, _ := serve(t)
	c := enter(t, s)
	host := strings.TrimSuffix(strings.TrimPrefix(c.base, "http://"), "/")
	var slow []net.Conn
	for range 200 {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: "+host+"\r\nX-Slow: "); err != nil {
			t.Fatal(err)
		}
		slow = append(slow, conn)
	}
	if code, _ := c.get(""); code != 200 {
		t.Errorf("the list is answered with %d", code)
	}
	for _, conn := range slow[:3] {
		if err := conn.SetReadDeadline(time.Now().Add(2 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(conn); err != nil || strings.Contains(string(text), "200") {
			t.Errorf("a slow client is answered with %q, %v; want an end", text, err)
		}
	}
}

// A client that requests a stream and never reads it is dropped when the buffer
// is full, and blocks no other (W8).
func TestStreamThatIsNotRead(t *testing.T) {
	t.Parallel()
	s, file := serve(t)
	c := enter(t, s)
	const id = "0190aaaa-0000-7000-8000-000000000001"
	if code, _ := c.get("s/" + id + "/index.json"); code != 200 {
		t.Fatalf("the index is answered with %d", code)
	}
	host := strings.TrimSuffix(strings.TrimPrefix(c.base, "http://"), "/")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET /s/%s/live HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", id, host, c.token); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(conn, 16).ReadString('\n'); err != nil { // it is there, and from now on not read
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, `{"type":"message","id":"aaaa9999","parentId":"aaaa0003","timestamp":"2026-02-03T22:53:00.000Z","message":{"role":"user","content":"%s"}}`+"\n", strings.Repeat("long ", 4<<20)); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for range tick.C { // what is sent to who is gone is refused
		if code, _ := c.get(""); code != 200 {
			t.Fatalf("the list is answered with %d", code)
		}
		if _, err := conn.Write([]byte("x")); err != nil {
			return
		}
	}
}

// A session grows, is rewritten, becomes something else or is deleted while a
// page shows it: the page is notified, and not the terminal (W9).
func TestSessionsThatVanish(t *testing.T) {
	dir := t.TempDir()
	const id = "0190aaaa-0000-7000-8000-000000000001"
	file := filepath.Join(dir, "2026-02-03T22-52-06-410Z_"+id+".jsonl")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(talk)
	s, w := serveDir(t, dir)
	c := enter(t, s)
	if code, text := c.get("s/" + id + "/index.json"); code != 200 || !strings.Contains(text, "aaaa0003") {
		t.Fatalf("the index is %d %s", code, text)
	}
	events, _ := listen(c, id)
	if event, _ := events.next(); event != "here" {
		t.Fatalf("the first event is %s", event)
	}
	more := `{"type":"message","id":"cccc0001","parentId":"aaaa0003","timestamp":"2026-02-03T22:53:12.000Z","message":{"role":"user","content":"said later"}}` + "\n"
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, part := range []string{more[:40], more[40:]} { // a line that is being written
		if _, err := f.WriteString(part); err != nil {
			t.Fatal(err)
		}
	}
	for has := false; !has; {
		event, data := events.next()
		if event != "grown" {
			t.Fatalf("after an append comes %s %s", event, data)
		}
		_, index := c.get("s/" + id + "/index.json") // like a page that must reload everything
		has = strings.Contains(data, "said later") || strings.Contains(index, "said later")
	}
	lines := strings.SplitAfter(talk, "\n")
	if err := os.Truncate(file, int64(len(lines[0]+lines[1]))); err != nil {
		t.Fatal(err)
	}
	for cut := false; !cut; {
		event, data := events.next()
		if event != "grown" {
			t.Fatalf("after the file was cut comes %s %s", event, data)
		}
		code, index := c.get("s/" + id + "/index.json")
		cut = code == 200 && strings.Contains(index, "aaaa0001") && !strings.Contains(index, "aaaa0003")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	event, _ := events.next()
	for event == "grown" {
		event, _ = events.next()
	}
	if event != "gone" {
		t.Errorf("after the file was deleted comes %s", event)
	}
	for _, path := range []string{"s/" + id, "s/" + id + "/index.json", "s/" + id + "/part/0", "s/" + id + "/live"} {
		if code, text := c.get(path); code != 404 || !strings.Contains(text, "moved or deleted") || strings.Contains(text, dir) {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	if keys := keysOf(t, c); len(keys) != 0 {
		t.Errorf("the list still has %q", keys)
	}
	write("this is no session\n")
	if code, text := c.get("s/" + id); code != 404 {
		t.Errorf("a file that is no session any more: %d %s", code, text)
	}
	if told := w.lines(t); len(told) > 0 {
		t.Errorf("the terminal was told %q", told)
	}
}

// An unreadable session is reported to the terminal once, and its path is not
// sent to clients (W9).
func TestUnreadableSession(t *testing.T) {
	if os.Getuid() == 0 {
		// A directory in place of the file cannot be read by any user.
		t.Log("as root: the file becomes a folder")
	}
	dir := t.TempDir()
	const id = "0190aaaa-0000-7000-8000-000000000001"
	file := filepath.Join(dir, "2026-02-03T22-52-06-410Z_"+id+".jsonl")
	if err := os.WriteFile(file, []byte(talk), 0o600); err != nil {
		t.Fatal(err)
	}
	s, w := serveDir(t, dir)
	c := enter(t, s)
	if n := len(keysOf(t, c)); n != 1 {
		t.Fatalf("%d sessions", n)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if code, text := c.get("s/" + id); code == 200 || strings.Contains(text, dir) || strings.Contains(text, "goroutine") {
			t.Errorf("the page is %d %s", code, text)
		}
	}
	if told := w.lines(t); len(told) > 1 {
		t.Errorf("the terminal was told %q", told)
	}
}

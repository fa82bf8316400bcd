package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/amount"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/subagent"
	"github.com/pith-sessions/pith/internal/toolcall"
)

// A call is a line of a block: what was done, and what came of it.
type call struct {
	it         *inspect.Item
	icon, name string
	arg        string
	prose      bool // the argument is a text, not code or a path
	isPath     bool
	result     string
	bad        bool
	pm         bool // the result is what was added and removed
	change     Change
	took       time.Duration
	body       func()
	open       bool
	agent      bool // it runs subagents
}

// block writes calls and thinking as lines, under a head if there are several.
func (w *writer) block(items []inspect.Item) {
	calls := make([]call, len(items))
	count, failed := 0, 0
	var took time.Duration
	var last time.Time // when the call before returned
	files := map[string]bool{}
	added, removed := 0, 0
	for i := range items {
		c := &calls[i]
		*c = w.read(&items[i])
		if items[i].Kind == inspect.Thinking {
			continue
		}
		if count++; c.bad {
			failed++
		}
		if tool := items[i].Tool; tool != nil && tool.Result != nil && !tool.Result.Time.IsZero() {
			if tool.Result.DurationMs == 0 && last.After(items[i].Time.Time) { // calls of one response run one after the other
				c.took = max(0, tool.Result.Time.Sub(last))
			}
			last = tool.Result.Time.Time
		}
		took += c.took
		if c.change.Path != "" {
			files[c.change.Path] = true
			added, removed = added+c.change.Added, removed+c.change.Removed
			w.changed = append(w.changed, c.change)
		}
	}
	if head := count > 1 && !w.Brief; !head {
		w.raw(`<div class="calls">`)
	} else {
		w.raw(`<details class="calls" open><summary class="cap">`, Icon("chev", "chev"), `<b>`, Count(int64(count), "call"), `</b>`)
		if failed > 0 {
			w.raw(`<span>`, strconv.Itoa(failed), ` failed</span>`)
		}
		if len(files) > 0 {
			w.raw(`<span>`, Count(int64(len(files)), "file"), ` `, PlusMinus(added, removed), `</span>`)
		}
		w.raw(`<span class="grow"></span><span class="num">`)
		if took > 0 {
			w.raw(Duration(took))
		}
		w.raw(`</span></summary>`)
	}
	for i := range calls {
		w.line(&calls[i])
	}
	if count < 2 || w.Brief {
		w.raw(`</div>`)
	} else {
		w.raw(`</details>`)
	}
}

// PlusMinus returns numbers of added and removed lines as HTML.
func PlusMinus(added, removed int) string {
	s := `<span class="pm">`
	if added > 0 || removed == 0 {
		s += `<b>+` + strconv.Itoa(added) + `</b>`
	}
	if removed > 0 {
		s += `<i>−` + strconv.Itoa(removed) + `</i>`
	}
	return s + `</span>`
}

// line writes a call.
func (w *writer) line(c *call) {
	if w.Brief { // scripts do not use brief calls
		w.around(`<p class="did"><b>`, OneLine(c.name, 24), `</b> `)
		w.around(``, OneLine(c.arg, 60), ` `)
		w.around(`<i>`, c.result, `</i></p>`)
		return
	}
	class := "call"
	if c.it.Kind == inspect.Thinking {
		class += " think"
	}
	if c.bad {
		class += " failed"
	}
	if c.agent {
		class += " runs"
	}
	w.raw(`<details class="`, class, `"`)
	if c.it.Kind != inspect.Thinking {
		w.mark(c.it, Row{Kind: 'c', Text: cmp.Or(short(c), c.name), Note: c.result, Icon: c.icon, Bad: c.bad})
	}
	if c.agent {
		w.raw(` data-call="`, CallKey(string(c.it.Tool.CallID)), `"`)
	}
	if c.open {
		w.raw(` open`)
	}
	w.raw(`><summary>`, Icon(c.icon, ""))
	w.around(`<span class="n" title="`, OneLine(c.name, 60), `">`)
	w.around(``, OneLine(c.name, 24), `</span>`)
	if c.prose {
		w.around(`<span class="a text"><span class="base" dir="auto">`, OneLine(c.arg, mostOfCall), `</span></span>`)
	} else {
		w.raw(`<span class="a">`)
		dir, base := "", c.arg
		if c.isPath {
			dir, base = path.Split(c.arg)
		}
		if dir != "" && base != "" {
			w.around(`<span class="dir">`, OneLine(dir, mostOfCall), `</span>`)
		} else {
			base = dir + base
		}
		w.around(`<span class="base">`, OneLine(base, mostOfCall), `</span></span>`)
	}
	switch {
	case c.bad:
		w.around(`<span class="r bad">`, c.result, `</span>`)
	case c.pm:
		w.raw(`<span class="r">`, PlusMinus(c.change.Added, c.change.Removed), `</span>`)
	default:
		w.around(`<span class="r">`, c.result, `</span>`)
	}
	w.raw(`<span class="d num">`)
	if c.took >= 50*time.Millisecond {
		w.raw(Duration(c.took))
	}
	w.raw(`</span>`, Icon("chev", "chev"), `</summary>`)
	if c.body != nil {
		c.body()
	}
	w.label(string(c.it.Label))
	w.raw(`</details>`)
}

// short returns the argument of a call for the tree, where only the name of a
// file has room.
func short(c *call) string {
	if c.isPath {
		return path.Base(c.arg)
	}
	return c.arg
}

// mostOfCall is the maximum length of a call's line.
const mostOfCall = 200

// read describes an item as a call.
func (w *writer) read(it *inspect.Item) call {
	switch it.Kind {
	case inspect.Thinking:
		first, _, _ := strings.Cut(strings.TrimSpace(unmarked(string(it.Text))), "\n")
		return call{it: it, icon: "think", name: "Thought", arg: Sentence(first), prose: true, body: func() {
			w.raw(`<div class="out" dir="auto">`)
			text, cut := w.cut(string(it.Text))
			w.text(text)
			w.cutNote(cut)
			w.raw(`</div>`)
		}}
	case inspect.Shell:
		c := call{it: it, icon: "term", name: "You ran", arg: string(it.Bash.Command), result: countLines(string(it.Text))}
		switch {
		case it.Bash.Cancelled:
			c.result, c.bad = "cancelled", true
		case it.Bash.ExitCode != nil && *it.Bash.ExitCode != 0:
			c.result, c.bad = "exit "+strconv.FormatInt(*it.Bash.ExitCode, 10), true
		}
		c.open = c.bad
		c.body = func() { w.output("$ " + string(it.Bash.Command) + "\n" + string(it.Text)) }
		return c
	case inspect.Other:
		return call{it: it, icon: "file", name: string(it.Name), arg: string(it.Text), prose: true, body: func() { w.output(string(it.Text)) }}
	}
	return w.readTool(it)
}

// readTool describes a tool call with its result.
func (w *writer) readTool(it *inspect.Item) call {
	args := it.Tool.Arguments
	c := call{it: it, name: title(string(it.Name)), agent: subagent.IsTool(string(it.Name))}
	c.arg, c.isPath = toolcall.Argument(args)
	c.icon = iconOf(string(it.Name), c.agent)
	if c.agent {
		for _, name := range []string{"description", "task", "prompt"} {
			if text := jsonl.LookupString(args, name); text != "" {
				c.arg, c.isPath, c.prose = text, false, true
				break
			}
		}
	}
	if c.icon == "grep" {
		if pattern := cmp.Or(jsonl.LookupString(args, "pattern"), jsonl.LookupString(args, "query")); pattern != "" {
			c.arg, c.isPath = pattern, false
		}
	}
	if c.arg == "" && len(args) > 2 {
		c.arg = string(args)
	}
	full := c.arg
	if c.isPath {
		c.arg = w.relative(c.arg)
	} else if w.Cwd != "" && !c.prose {
		c.arg = strings.TrimPrefix(c.arg, "cd "+w.Cwd+" && ")
		c.arg = strings.ReplaceAll(c.arg, w.Cwd+"/", "")
		if w.Home != "" {
			c.arg = strings.ReplaceAll(c.arg, w.Home+"/", "~/")
		}
	}
	r := it.Tool.Result
	diff := ""
	output := ""
	if r == nil {
		c.result = "no result"
	} else {
		output = PlainOutput(string(r.Text))
		diff = w.Diffs[string(r.EntryID)]
		if c.took = time.Duration(r.DurationMs) * time.Millisecond; c.took == 0 && !r.Time.IsZero() && !it.Time.IsZero() {
			c.took = max(0, r.Time.Sub(it.Time.Time))
		}
	}
	added, removed, made := changes(args, diff)
	if _, act := inspect.PathOf(string(it.Name), args); c.isPath && made && (act == inspect.Changes || diff != "" || c.icon == "edit") && (r == nil || !r.IsError) {
		c.change, c.pm = Change{c.arg, added, removed}, true
		c.result = strings.TrimSuffix("+"+strconv.Itoa(added)+" −"+strconv.Itoa(removed), " −0")
	}
	if r != nil && !c.pm {
		c.result = outcome(&c, output, r)
	}
	if r != nil && r.IsError {
		c.bad, c.open = true, true
		c.result = failed(output)
	}
	c.body = func() { w.body(&c, full, output, diff) }
	return c
}

// body writes the arguments that are not on the line, and what the tool printed
// or changed.
func (w *writer) body(c *call, shown, output, diff string) {
	args := c.it.Tool.Arguments
	if c.pm {
		w.diff(cmp.Or(diff, drawn(args)))
	} else if text := rest(args, shown); text != "" {
		part, cut := w.cut(text)
		w.around(`<pre class="out args">`, part, `</pre>`)
		w.cutNote(cut)
	}
	r := c.it.Tool.Result
	if r == nil || c.pm && !c.bad {
		return
	}
	if output != "" {
		w.output(output)
	}
	for range r.Images {
		w.picture(string(r.EntryID))
	}
}

// output writes what a program printed.
func (w *writer) output(text string) {
	part, cut := w.cut(text)
	w.around(`<pre class="out" tabindex="0">`, part, `</pre>`)
	w.cutNote(cut)
}

// rest returns the arguments of a call, or "" if its line, which shows one of
// them, contains all of them.
func rest(args []byte, shown string) string {
	text := toolcall.Text(args)
	if name, value, ok := strings.Cut(strings.TrimSuffix(text, "\n"), ": "); ok && value == shown && len(value) <= mostOfCall && !strings.Contains(name+value, "\n") {
		return ""
	}
	if strings.TrimSpace(text) == "{}" {
		return ""
	}
	return text
}

// relative returns a path relative to the project or the home directory.
func (w *writer) relative(name string) string {
	if rest, ok := strings.CutPrefix(name, w.Cwd+"/"); ok && w.Cwd != "" {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, w.Home+"/"); ok && w.Home != "" {
		return "~/" + rest
	}
	return name
}

// title returns the name of a tool as agents show it.
func title(name string) string {
	if r, size := utf8.DecodeRuneInString(name); size == 1 && r >= 'a' && r <= 'z' && !strings.Contains(name, "__") {
		return strings.ToUpper(name[:1]) + strings.ReplaceAll(name[1:], "_", " ")
	}
	return name
}

// icons are parts of the names of tools.
var icons = []struct{ part, icon string }{
	{"todo", "read"}, {"write", "write"}, {"create", "write"}, {"edit", "edit"}, {"patch", "edit"}, {"replace", "edit"}, {"web", "web"}, {"fetch", "web"}, {"browser", "web"}, {"grep", "grep"}, {"glob", "grep"},
	{"find", "grep"}, {"search", "grep"}, {"ls", "grep"}, {"list", "grep"}, {"read", "read"}, {"view", "read"}, {"bash", "term"}, {"shell", "term"}, {"exec", "term"}, {"command", "term"}, {"terminal", "term"},
}

func iconOf(name string, agent bool) string {
	if agent {
		return "agent"
	}
	name = strings.ToLower(name)
	for _, i := range icons {
		if strings.Contains(name, i.part) {
			return i.icon
		}
	}
	return "file"
}

var (
	exitCode = regexp.MustCompile(`(?i)\bexit(?:ed with)?(?: status| code)?:? (-?\d{1,6})\b`)
	passes   = regexp.MustCompile(`\b(\d{1,6}) (passed|failed)\b`)
)

// ends returns the start and the end of an output, where its result is told.
func ends(output string) (first, last string) {
	output = strings.TrimSpace(output)
	return output[:min(len(output), 200)], output[max(0, len(output)-600):]
}

// failed returns how a call failed, in a few words.
func failed(output string) string {
	first, last := ends(output)
	if m := exitCode.FindStringSubmatch(last); m != nil {
		return "exit " + m[1]
	}
	if m := exitCode.FindStringSubmatch(first); m != nil {
		return "exit " + m[1]
	}
	return "failed"
}

// outcome returns what came of a call that did not fail, in a few words.
func outcome(c *call, output string, r *inspect.Result) string {
	switch {
	case c.agent:
		if r.Spent != nil {
			return amount.Cents(r.Spent.Spent)
		}
		return ""
	case c.icon == "grep":
		files := map[string]bool{}
		n := 0
		for line := range strings.Lines(output) {
			if name, _, ok := strings.Cut(line, ":"); strings.TrimSpace(line) != "" {
				if n++; ok {
					files[name] = true
				}
			}
		}
		if len(files) > 1 && n > len(files) {
			return strconv.Itoa(n) + " in " + Count(int64(len(files)), "file")
		}
	case c.icon == "term":
		_, last := ends(output)
		if m := passes.FindAllStringSubmatch(last, -1); m != nil {
			i := max(0, slices.IndexFunc(m, func(m []string) bool { return m[2] == "failed" && m[1] != "0" }))
			return m[i][0]
		}
		if m := exitCode.FindStringSubmatch(last); m != nil {
			return "exit " + m[1]
		}
	}
	return countLines(output)
}

func countLines(text string) string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return "no output"
	}
	return Count(int64(strings.Count(text, "\n")+1), "line")
}

// Sentence returns the first sentence of a text.
func Sentence(text string) string {
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		if r == '.' || r == '!' || r == '?' {
			if next < len(text) && text[next] == ' ' && i >= 12 {
				return text[:next]
			}
		}
		if r == '。' {
			return text[:next]
		}
	}
	return text
}

// CallKey returns a short name for a call in a page. The IDs of most providers are long
// and do not compress.
func CallKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

// cut returns the start of a text, and the number of characters left out.
func (w *writer) cut(text string) (string, int) {
	if w.Most <= 0 || len(text) <= w.Most {
		return text, 0
	}
	end := w.Most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end], utf8.RuneCountInString(text[end:])
}

func (w *writer) cutNote(cut int) {
	if cut > 0 {
		w.raw(`<div class="more">… ` + Count(int64(cut), "more character") + `</div>`)
	}
}

// pictures are the image types that a browser shows and that have no active
// content.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// mostPicture is the maximum length of a shown image, in base64: a browser that
// decodes a larger one is blocked for a while.
const mostPicture = 24 << 20

// A picture is an image of an entry.
type picture struct {
	mimeType string // as the session has it
	kind     string // as a browser reads the bytes; empty if it would not
	size     int    // in base64
	data     string // empty if it is too large to be shown
}

// pictureOf returns the image of a raw block. Its bytes must match its type.
func pictureOf(block []byte) picture {
	raw, _ := jsonl.Lookup(block, "data")
	data := jsonl.TextOf(raw)
	p := picture{mimeType: jsonl.LookupString(block, "mimeType"), size: len(data)}
	head, err := base64.StdEncoding.DecodeString(string(data[:min(len(data), 64)&^3]))
	if kind := http.DetectContentType(head); err == nil && slices.Contains(pictures, kind) && kind == p.mimeType && isBase64(data) {
		p.kind = kind
	}
	if p.kind != "" && p.size <= mostPicture {
		p.data = string(data)
	}
	return p
}

// picture shows the next image of an entry. One that a browser would not show is
// described.
func (w *writer) picture(entry string) {
	list := w.pictures[entry][w.shown[entry]:]
	if len(list) == 0 {
		return
	}
	p := &list[0]
	w.shown[entry]++
	if p.kind == "" {
		w.around(`<p class="more">image (`, OneLine(p.mimeType, 60), `) cannot be shown</p>`)
		return
	}
	if p.size > mostPicture {
		w.raw(`<p class="more">image of ` + strconv.Itoa(p.size*3/4>>20) + ` MB is too large for a page</p>`)
		return
	}
	weight := strconv.Itoa(max(1, p.size*3/4>>10)) + " kB"
	if w.Most > 0 && p.size > 64*w.Most {
		w.raw(`<p class="more">image of ` + weight + `</p>`)
		return
	}
	w.raw(`<figure class="shot"><img alt="image in the conversation" src="data:`, p.kind, `;base64,`, p.data, `"><figcaption>`, strings.TrimPrefix(p.kind, "image/"), ` · `, weight, `</figcaption></figure>`)
}

func isBase64(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool {
		return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '='
	})
}

// Argument returns the most informative argument of a call, or all of them.
func Argument(b *format.ToolCallBlock) string {
	if text, _ := toolcall.Argument(b.Arguments); text != "" {
		return text
	}
	return string(b.Arguments)
}

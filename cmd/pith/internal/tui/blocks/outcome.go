package blocks

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"github.com/pith-sessions/pith/cmd/pith/internal/text/humanize"
	"github.com/pith-sessions/pith/cmd/pith/internal/text/termsafe"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/facts"
	"github.com/pith-sessions/pith/cmd/pith/internal/tui/paint"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/toolcall"
)

var (
	exitCode = regexp.MustCompile(`(?i)\bexit(?:ed)?(?: with)?(?: code| status)?[: ]+(\d+)`)
	passed   = regexp.MustCompile(`\b(\d+) pass(?:ed|ing)\b`)
)

// sizeOfEdit is the size of an edit at the end of the line of a call.
var sizeOfEdit = regexp.MustCompile(` \+\d+ -\d+$`)

// outcomeCells is the maximum width of an outcome.
const outcomeCells = 24

// Outcome returns the result of a call in a few words: the size of a change, the exit
// code of a command, the number of lines.
func Outcome(it *inspect.Item) []paint.Span {
	r := (*inspect.Result)(nil)
	if it.Tool != nil {
		r = it.Tool.Result
	}
	if r == nil {
		return []paint.Span{{Tone: paint.Warning, Text: "… running"}}
	}
	text := strings.TrimRight(string(r.Text), "\n")
	if r.IsError {
		if code := exitCode.FindStringSubmatch(text[max(0, len(text)-2000):]); code != nil {
			return []paint.Span{{Tone: paint.Error, Text: "✗ exit " + code[1]}}
		}
		return []paint.Span{{Tone: paint.Error, Text: termsafe.Fit("✗ "+firstLine(text), outcomeCells)}}
	}
	if added, removed := Changed(it); added+removed > 0 {
		return facts.Changes(added, removed)
	}
	end := text[max(0, len(text)-4000):]
	if all := passed.FindAllStringSubmatch(end, -1); len(all) > 0 {
		return []paint.Span{{Tone: paint.Dim, Text: all[len(all)-1][1] + " passed"}}
	}
	out := ""
	switch n := strings.Count(text, "\n") + 1; {
	case len(r.Images) == 1:
		out = r.Images[0].String()
	case len(r.Images) > 1:
		out = humanize.Count(len(r.Images), "image")
	case text == "":
		out = "exit 0"
		if _, command := argument(it); !command {
			out = "no output"
		}
	case n > 1:
		out = humanize.Count(n, "line")
	default:
		out = text
	}
	return []paint.Span{{Tone: paint.Dim, Text: termsafe.Fit(out, outcomeCells)}}
}

// argument returns what a call was made with, and whether that is a command.
func argument(it *inspect.Item) (text string, command bool) {
	if it.Tool == nil {
		return "", false
	}
	text, isPath := toolcall.Argument(it.Tool.Arguments)
	return text, !isPath && text != ""
}

// Changed returns the number of lines that a call added to a file and removed from it.
func Changed(it *inspect.Item) (added, removed int) {
	if it.Tool == nil {
		return 0, 0
	}
	if added, removed = toolcall.Changes(it.Tool.Arguments); added+removed > 0 {
		return added, removed
	}
	if _, act := inspect.PathOf(string(it.Name), it.Tool.Arguments); act != inspect.Changes {
		return 0, 0
	}
	var file struct{ Content, Text string }
	if json.Unmarshal(it.Tool.Arguments, &file) == nil {
		if text := cmp.Or(file.Content, file.Text); text != "" {
			added = strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		}
	}
	return added, 0
}

// Took returns how long a call took; 0 if that is unknown.
func Took(it *inspect.Item) time.Duration {
	if it.Tool == nil || it.Tool.Result == nil {
		return 0
	}
	r := it.Tool.Result
	if r.DurationMs > 0 {
		return time.Duration(r.DurationMs) * time.Millisecond
	}
	if r.Time.IsZero() || it.Time.IsZero() {
		return 0
	}
	return max(0, r.Time.Sub(it.Time.Time))
}

// Head returns a call on one line: what was run, read or changed. path shortens the path
// of a file.
func Head(it *inspect.Item, path func(string) string) string {
	text := ""
	if it.Tool != nil {
		text = sizeOfEdit.ReplaceAllString(toolcall.Line(string(it.Name), it.Tool.Arguments, path), "")
	}
	return termsafe.Fit(strings.Join(strings.Fields(text[:min(len(text), 1000)]), " "), 300)
}

// A Tally counts what calls did.
type Tally struct {
	Calls, Failed  int
	Files          map[string]bool
	Added, Removed int
	Took           time.Duration
}

// Add counts a call.
func (t *Tally) Add(it *inspect.Item) {
	t.Calls++
	t.Took += Took(it)
	switch {
	case it.Tool == nil:
		return
	case it.Tool.Result != nil && it.Tool.Result.IsError:
		t.Failed++
		return
	}
	if path, act := inspect.PathOf(string(it.Name), it.Tool.Arguments); act == inspect.Changes && path != "" {
		if t.Files == nil {
			t.Files = map[string]bool{}
		}
		t.Files[path] = true
		added, removed := Changed(it)
		t.Added, t.Removed = t.Added+added, t.Removed+removed
	}
}

// AddTurn counts the calls of a turn.
func (t *Tally) AddTurn(x *inspect.Turn) {
	for i := range x.Items {
		if x.Items[i].Kind == inspect.ToolUse {
			t.Add(&x.Items[i])
		}
	}
}

// Spans returns the counts of changed files, or nil.
func (t *Tally) Spans() []paint.Span {
	if len(t.Files) == 0 {
		return nil
	}
	return append([]paint.Span{{Tone: paint.Dim, Text: humanize.Count(len(t.Files), "file") + " "}}, facts.Changes(t.Added, t.Removed)...)
}

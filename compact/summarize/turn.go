package summarize

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A turn is a request of the user and what was done about it.
type turn struct {
	number  int
	request string
	last    string // what the assistant said last
	steps   bounded
	called  bool   // tools were called
	stop    string // why the last answer ended
	fault   string // what was wrong with it
	changed []string
	more    int // files that were changed beside those
	commits []string
	read    []string // files
	ran     []string // the last commands, and how they ended
}

// Limits of one turn.
const (
	maxChanged = 12
	maxCommits = 6
	maxRan     = 4
	maxRead    = 8
)

func (t *turn) say(text string) {
	t.last = text
	t.steps.first, t.steps.last = 4, 14
	if step := prose(text, 160); step != "" {
		t.steps.add(step)
	}
}

func (t *turn) change(file string) {
	switch {
	case slices.Contains(t.changed, file):
	case len(t.changed) < maxChanged:
		t.changed = append(t.changed, file)
	default:
		t.more++
	}
}

func (t *turn) commit(message string) {
	if len(t.commits) < maxCommits {
		t.commits = append(t.commits, message)
	}
}

func (t *turn) look(file string) {
	if len(t.read) < maxRead && !slices.Contains(t.read, file) {
		t.read = append(t.read, file)
	}
}

func (t *turn) run(line, outcome string) {
	t.ran = append(slices.DeleteFunc(t.ran, func(before string) bool { return strings.HasPrefix(before, "`"+line+"`") }), "`"+line+"` "+outcome)
	t.ran = t.ran[max(0, len(t.ran)-maxRan):]
}

// open reports whether the turn did not come to its end.
func (t *turn) open() bool {
	switch t.stop {
	case "stop", "":
		return t.last == "" && !t.called
	}
	return true
}

// weight says how much a turn matters to what comes later.
func (t *turn) weight() int {
	w := min(len(t.changed)+t.more, 4)*2 + min(len(t.commits), 2)*2 + min(utf8.RuneCountInString(t.request)/40, 3)
	if t.called {
		w++
	}
	if utf8.RuneCountInString(t.last) > 200 {
		w++
	}
	return w
}

// best are the n turns that matter most, in their order. Of equals the later one
// matters more.
func best(turns []turn, n int) []turn {
	order := make([]int, len(turns))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(turns[b].weight(), turns[a].weight()), cmp.Compare(b, a))
	})
	order = order[:min(n, len(order))]
	slices.Sort(order)
	out := make([]turn, 0, len(order))
	for _, i := range order {
		out = append(out, turns[i])
	}
	return out
}

// small reports whether a request says too little to be told: yes, go on.
func small(request string) bool { return utf8.RuneCountInString(request) < 24 && !wide(request) }

// wide reports whether a text is in a script that says much in few characters.
func wide(s string) bool {
	n := 0
	for _, r := range s {
		if r >= 0x2E80 {
			n++
		}
	}
	return n >= 6
}

// line is a turn in one line; "" when nothing came of it.
func (t *turn) line(limit int) string {
	if wide(t.request) || wide(t.last) {
		limit = limit * 2 / 3
	}
	request, outcome := oneLine(t.request, limit), prose(t.last, limit*3/2)
	if t.stop == "error" || t.stop == "aborted" {
		outcome = strings.TrimSpace(outcome + " (" + stopped(t) + ")")
	}
	deeds := t.deeds(limit)
	switch {
	case deeds == "" && t.last == "" && (small(t.request) || t.stop == "aborted"):
		return ""
	case outcome == "":
		return strings.TrimSpace(request + deeds)
	case request == "":
		return outcome + deeds
	case small(t.request) && t.called:
		return outcome + deeds
	case small(t.request) && utf8.RuneCountInString(outcome) < 40:
		return ""
	}
	return request + " → " + outcome + deeds
}

func stopped(t *turn) string {
	if t.stop == "aborted" {
		return "interrupted"
	}
	if t.fault == "" {
		return "ended in an error"
	}
	return "ended in an error: " + clip(t.fault, 120)
}

// deeds are the files that a turn changed, its commits, and where there is room
// how its last command ended.
func (t *turn) deeds(limit int) string {
	var parts []string
	if len(t.changed) > 0 {
		const shown = 3
		var names []string
		for _, file := range t.changed[:min(shown, len(t.changed))] {
			names = append(names, shortName(file))
		}
		if rest := len(t.changed) + t.more - shown; rest > 0 {
			names = append(names, strconv.Itoa(rest)+" more")
		}
		parts = append(parts, "changed "+strings.Join(names, ", "))
	}
	for _, message := range t.commits[max(0, len(t.commits)-2):] {
		parts = append(parts, "committed "+strconv.Quote(clip(message, 80)))
	}
	if len(t.ran) > 0 && len(t.commits) == 0 && limit >= 100 {
		parts = append(parts, t.ran[len(t.ran)-1])
	}
	if len(parts) == 0 {
		return ""
	}
	return " [" + strings.Join(parts, "; ") + "]"
}

// progress is what was done in a turn, in lines of their own.
func (t *turn) progress() []string {
	var lines []string
	for _, list := range []struct {
		what  string
		items []string
	}{{"Changed ", t.changed}, {"Committed ", t.commits}, {"Ran ", t.ran}, {"Read ", t.read}} {
		if len(list.items) > 0 {
			lines = append(lines, clip(list.what+strings.Join(list.items, ", "), 700))
		}
	}
	return lines
}

// shortName is the name of a file with its folder. The whole path stands in the
// list of files at the end of a summary.
func shortName(file string) string {
	file = oneLine(strings.ReplaceAll(file, `\`, "/"), 120)
	return strings.TrimPrefix(path.Join(path.Base(path.Dir(file)), path.Base(file)), "/")
}

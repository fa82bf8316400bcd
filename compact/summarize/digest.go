package summarize

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A digest is what was picked out of a conversation, message by message. Its size
// does not grow with the conversation beyond its limits.
type digest struct {
	turns   []turn
	left    int // turns that were dropped
	demands bounded
	choices bounded
	work    work
	said    string  // what the assistant said last
	told    string  // the last of what it said that is more than a few words
	other   bounded // what extensions and other branches told
	earlier *earlier
	focus   focus
}

// A turn is a request of the user and what was done about it.
type turn struct {
	number  int
	request string
	last    string // what the assistant said last
	steps   bounded
	stop    string // why the last answer ended
	fault   string // what was wrong with it
	changed []string
	ran     []string // commands, and how they ended
}

// Limits of a digest.
const (
	maxTurns   = 400 // of more, older ones are dropped
	maxChanged = 12
	maxRan     = 4
)

func newDigest(p compact.Prompt) *digest {
	return &digest{
		demands: bounded{first: 6, last: 12}, choices: bounded{first: 4, last: 12}, other: bounded{first: 2, last: 4},
		work: newWork(p.Part == compact.LeftBranch), earlier: parseEarlier(p.PreviousSummary), focus: newFocus(p.Instructions),
	}
}

// read takes all messages of a prompt.
func (d *digest) read(ctx context.Context, p compact.Prompt) error {
	for m, err := range p.Messages {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		message, err := m.Decode()
		if err != nil {
			continue // a message that is no JSON object says nothing
		}
		d.add(message)
	}
	return nil
}

func (d *digest) add(m format.Message) {
	switch m := m.(type) {
	case *format.User:
		d.request(valid(m.Content.Joined()))
	case *format.Assistant:
		d.answer(m)
	case *format.ToolResult:
		d.work.result(m, d.turn())
	case *format.BashExecution:
		if !m.ExcludeFromContext {
			d.work.byUser(m)
		}
	case *format.CustomRole:
		if text := oneLine(m.Content.PlainText(), 200); text != "" && !m.ExcludeFromContext {
			d.other.add("From " + m.CustomType + ": " + text)
		}
	case *format.BranchSummaryMessage:
		d.other.add("From a branch that was left: " + prose(branchText(m.Summary), 500))
	case *format.CompactionSummaryMessage:
		d.earlier = parseEarlier(m.Summary)
	}
}

// request begins a turn.
func (d *digest) request(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	request := spoken(edges(text, 3000, 1000))
	if question := lastQuestion(d.said); question != "" && !isQuestion(request) && request[0] != '/' {
		d.choices.add("**" + strings.Trim(oneLine(request, 200), "*") + "**: the user's answer to: " + oneLine(question, 160))
	}
	d.said = ""
	if len(d.turns) >= maxTurns {
		d.left += maxTurns / 4
		d.turns = slices.Delete(d.turns, 1, 1+maxTurns/4) // the first stays: it is the goal
	}
	d.turns = append(d.turns, turn{number: d.left + len(d.turns), request: request})
	for s := range sentences(request) {
		if n := utf8.RuneCountInString(s); n >= 12 && n <= 320 && !isQuestion(s) && says(s, demandWords) {
			d.demands.add(oneLine(s, 240))
		}
	}
	d.focus.look(request)
}

// turn is the one that goes on. What comes before the first request has none, as
// when a turn is cut through.
func (d *digest) turn() *turn {
	if len(d.turns) == 0 {
		d.turns = append(d.turns, turn{})
	}
	return &d.turns[len(d.turns)-1]
}

func (d *digest) answer(m *format.Assistant) {
	t := d.turn()
	t.stop, t.fault = m.StopReason, oneLine(m.ErrorMessage, 120)
	if text := strings.TrimSpace(valid(answerText(m.Content))); text != "" {
		d.said = edges(text, 4000, 1000)
		if d.told == "" || !small(d.said) {
			d.told = d.said
		}
		t.say(d.said)
		if open, boxes := openBoxes(d.said); boxes > 1 {
			d.work.todo = open
		}
		for s := range sentences(d.said) {
			if n := utf8.RuneCountInString(s); n >= 32 && n <= 280 && !isQuestion(s) && !isPasted(s) && says(s, choiceWords) {
				d.choices.add(oneLine(s, 220))
			}
		}
		d.focus.look(d.said)
	}
	for _, b := range m.Content.Blocks {
		if call, ok := b.(*format.ToolCallBlock); ok {
			d.work.call(call, t)
		}
	}
}

// What sentences of the user's say that are conditions, and of the assistant's that
// are decisions. The lists are short and English on purpose: requests are quoted in
// any language.
var (
	demandWords = []string{" must ", " never ", " always ", "do not ", "don't ", "don’t ", "make sure ", " only "}
	choiceWords = []string{" decided ", "decision", "root cause", "the reason ", "the problem is ", "the problem was ", "turns out"}
)

func says(sentence string, words []string) bool {
	sentence = " " + strings.ToLower(sentence) + " "
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(sentence, w) })
}

// small reports whether a text says too little to be told: yes, go on.
func small(text string) bool { return utf8.RuneCountInString(text) < 24 && !wide(text) }

func (t *turn) say(text string) {
	t.last = text
	t.steps.first, t.steps.last = 4, 14
	t.steps.add(prose(text, 160))
}

func (t *turn) change(file string) {
	if len(t.changed) < maxChanged && !slices.Contains(t.changed, file) {
		t.changed = append(t.changed, file)
	}
}

func (t *turn) run(line, outcome string) {
	line = "`" + clip(line, 100) + "`"
	t.ran = append(slices.DeleteFunc(t.ran, func(before string) bool { return strings.HasPrefix(before, line) }), line+" "+outcome)
	t.ran = t.ran[max(0, len(t.ran)-maxRan):]
}

// open reports whether the turn did not come to its end.
func (t *turn) open() bool {
	if t.stop == "stop" || t.stop == "" {
		return t.last == "" && len(t.changed)+len(t.ran) == 0
	}
	return true
}

// weight says how much a turn matters to what comes later.
func (t *turn) weight() int {
	return 2*min(len(t.changed), 4) + min(len(t.ran), 2) + min(utf8.RuneCountInString(t.request)/40, 3) + min(utf8.RuneCountInString(t.last)/200, 2)
}

// line is a turn in one line; "" when nothing came of it.
func (t *turn) line(limit int) string {
	if wide(t.request) || wide(t.last) {
		limit = limit * 2 / 3
	}
	outcome, deeds := prose(t.last, limit*3/2), t.deeds()
	switch {
	case t.stop == "aborted":
		outcome = strings.TrimSpace(outcome + " (interrupted)")
	case t.stop == "error":
		outcome = strings.TrimSpace(outcome + " (ended in an error: " + t.fault + ")")
	}
	request := oneLine(t.request, limit)
	switch {
	case deeds == "" && t.last == "" && (small(request) || t.stop == "aborted"):
		return ""
	case deeds == "" && small(request) && utf8.RuneCountInString(outcome) < 40:
		return ""
	case outcome == "":
		return request + deeds
	case utf8.RuneCountInString(request) < leastRequest && !wide(request): // yes, go on
		return outcome + deeds
	}
	return request + " → " + outcome + deeds
}

// deeds are the files that a turn changed and its last command. The whole paths
// stand in the list of files at the end of a summary.
func (t *turn) deeds() string {
	var parts []string
	if n := len(t.changed); n > 0 {
		const shown = 3
		var names []string
		for _, file := range t.changed[:min(shown, n)] {
			file = oneLine(strings.ReplaceAll(file, `\`, "/"), 120)
			names = append(names, strings.TrimPrefix(path.Join(path.Base(path.Dir(file)), path.Base(file)), "/"))
		}
		if n > shown {
			names = append(names, strconv.Itoa(n-shown)+" more")
		}
		parts = append(parts, "changed "+strings.Join(names, ", "))
	}
	if n := len(t.ran); n > 0 {
		parts = append(parts, t.ran[n-1])
	}
	if len(parts) == 0 {
		return ""
	}
	return " [" + strings.Join(parts, "; ") + "]"
}

// A focus finds sentences about what the user asked a summary to mind.
type focus struct {
	asked string
	words []string
	found bounded
}

func newFocus(instructions string) focus {
	f := focus{asked: strings.TrimSpace(valid(instructions)), found: bounded{last: 6}}
	for word := range strings.FieldsSeq(strings.ToLower(f.asked)) {
		if word = strings.Trim(word, ".,:;!?\"'()"); len(word) >= 4 && len(f.words) < 24 {
			f.words = append(f.words, word)
		}
	}
	return f
}

// look takes the sentences of a text that have one of the words. Later ones stay.
func (f *focus) look(text string) {
	if len(f.words) == 0 {
		return
	}
	for s := range sentences(text) {
		if says(s, f.words) {
			f.found.add(oneLine(s, 240))
		}
	}
}

package summarize

import (
	"context"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// A digest is what was picked out of a conversation, message by message. Its size
// does not grow with the conversation beyond its limits.
type digest struct {
	turns   []turn
	left    int      // turns that were dropped
	demands []string // conditions that the user stated
	choices []string // decisions, and the user's answers to questions
	other   []string // what extensions and other branches told
	said    string   // what the assistant said last
	told    string   // the last of what it said that is more than a few words
	earlier *earlier
	work    work
	asked   string   // what a summary is to mind
	words   []string // of that
	minded  []string // sentences that have one of the words
}

// A turn is a request of the user and what was done about it.
type turn struct {
	number  int
	request string
	last    string   // what the assistant said last
	steps   []string // what it said on the way
	stop    string   // why the last answer ended
	fault   string   // what was wrong with it
	changed []string // files
	ran     []string // commands, and how they ended
}

// maxTurns is how many turns are kept. Of more, older ones are dropped.
const maxTurns = 400

func newDigest(p compact.Prompt) *digest {
	d := &digest{earlier: parseEarlier(p.PreviousSummary), asked: strings.TrimSpace(valid(p.Instructions))}
	d.work.blind = p.Part == compact.LeftBranch
	for word := range strings.FieldsSeq(strings.ToLower(d.asked)) {
		if word = strings.Trim(word, ".,:;!?\"'()"); len(word) >= 4 && len(d.words) < 24 {
			d.words = append(d.words, word)
		}
	}
	return d
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
		if message, err := format.DecodeMessage(m.Raw); err == nil { // one that is no JSON object says nothing
			d.add(message)
		}
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
		if !m.ExcludeFromContext && !m.Cancelled {
			outcome := map[bool]string{true: failed, false: passed}[m.ExitCode != nil && *m.ExitCode != 0]
			d.work.end(command(m.Command), &turn{number: -maxTurns}, outcome, "")
		}
	case *format.CustomRole:
		if text := oneLine(m.Content.PlainText(), 200); text != "" && !m.ExcludeFromContext {
			d.other = keep(d.other, "From "+m.CustomType+": "+text)
		}
	case *format.BranchSummaryMessage:
		d.other = keep(d.other, "From a branch that was left: "+prose(branchText(m.Summary), 500))
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
		d.choices = keep(d.choices, "**"+strings.Trim(oneLine(request, 200), "*")+"**: the user's answer to: "+oneLine(question, 160))
	}
	if d.said = ""; len(d.turns) >= maxTurns {
		d.left += maxTurns / 4
		d.turns = slices.Delete(d.turns, 1, 1+maxTurns/4) // the first stays: it is the goal
	}
	d.turns = append(d.turns, turn{number: d.left + len(d.turns), request: request})
	d.demands = d.pick(d.demands, request, 12, demandWords)
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
	for _, b := range m.Content.Blocks {
		if call, ok := b.(*format.ToolCallBlock); ok {
			d.work.call(call, t)
		}
	}
	text := strings.TrimSpace(valid(answerText(m.Content)))
	if text == "" {
		return
	}
	d.said = edges(text, 4000, 1000)
	if d.told == "" || !small(d.said) {
		d.told = d.said
	}
	t.last, t.steps = d.said, keep(t.steps, prose(d.said, 160))
	d.work.boxes(d.said)
	d.choices = d.pick(d.choices, d.said, 32, choiceWords)
}

// What sentences of the user's say that are conditions, and of the assistant's that
// are decisions. The lists are short and English on purpose: requests are quoted in
// any language.
var (
	demandWords = []string{" must ", " never ", " always ", "do not ", "don't ", "don’t ", "make sure ", " only "}
	choiceWords = []string{" decided ", "decision", "root cause", "the reason ", "the problem is ", "the problem was ", "turns out"}
)

// pick adds the sentences of a text that have one of the words to a list, and those
// that have one of what a summary is to mind to theirs.
func (d *digest) pick(list []string, text string, least int, words []string) []string {
	for _, s := range sentences(text) {
		if says(s, d.words) {
			d.minded = keep(d.minded, oneLine(s, 240))
		}
		if n := length(s); n >= least && n <= 280 && !isQuestion(s) && says(s, words) {
			list = keep(list, oneLine(s, 220))
		}
	}
	return list
}

func says(sentence string, words []string) bool {
	sentence = " " + strings.ToLower(sentence) + " "
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(sentence, w) })
}

// small reports whether a text says too little to be told: yes, go on.
func small(text string) bool { return length(text) < 24 }

func (t *turn) change(file string) {
	const most = 12
	if len(t.changed) < most && !slices.Contains(t.changed, file) {
		t.changed = append(t.changed, file)
	}
}

func (t *turn) run(line, outcome string) {
	const most = 4
	line = "`" + clip(line, 100) + "` "
	t.ran = append(slices.DeleteFunc(t.ran, func(before string) bool { return strings.HasPrefix(before, line) }), line+outcome)
	t.ran = t.ran[max(0, len(t.ran)-most):]
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
	return 2*min(len(t.changed), 4) + min(len(t.ran), 2) + min(length(t.request)/40, 3) + min(length(t.last)/200, 2)
}

// line is a turn in one line; "" when nothing came of it.
func (t *turn) line(limit int) string {
	request, outcome, deeds := oneLine(t.request, limit), prose(t.last, limit*3/2), t.deeds()
	switch t.stop {
	case "aborted":
		outcome += " (interrupted)"
	case "error":
		outcome += " (ended in an error: " + t.fault + ")"
	}
	outcome = strings.TrimSpace(outcome)
	switch {
	case deeds == "" && t.last == "" && (small(request) || t.stop == "aborted"), deeds == "" && small(request) && length(outcome) < 40:
		return ""
	case outcome == "":
		return request + deeds
	case length(request) < leastRequest: // yes, go on
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

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

// A digest holds the extracted parts of a conversation. Its size is bounded,
// however long the conversation is.
type digest struct {
	turns        []turn
	left         int      // number of dropped turns
	demands      []string // conditions that the user stated
	choices      []string // decisions, and the user's answers to questions
	other        []string // messages from extensions and other branches
	lastResponse string   // last text of the assistant
	lastText     string   // last text of the assistant that is more than a few words
	earlier      *earlier
	work         work
	asked        string   // focus of the summary, as the user asked
	words        []string // words of asked
	minded       []string // sentences that contain one of the words
}

// A turn is a user request and the work done for it.
type turn struct {
	number  int
	request string
	last    string   // last text of the assistant
	steps   []string // earlier texts of the assistant
	stop    string   // stop reason of the last response
	fault   string   // error of the last response
	changed []string // files
	ran     []string // commands and their outcomes
}

// maxTurns is the number of turns to keep. Older ones are dropped.
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

func (d *digest) read(ctx context.Context, p compact.Prompt) error {
	for m, err := range p.Messages {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if message, err := format.DecodeMessage(m.Raw); err == nil { // skip a message that is not a JSON object
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
		d.other = keep(d.other, "From an abandoned branch: "+prose(branchText(m.Summary), 500))
	case *format.CompactionSummaryMessage:
		d.earlier = parseEarlier(m.Summary)
	}
}

func (d *digest) request(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	request := spoken(edges(text, 3000, 1000))
	if question := lastQuestion(d.lastResponse); question != "" && !isQuestion(request) && request[0] != '/' {
		d.choices = keep(d.choices, "**"+strings.Trim(oneLine(request, 200), "*")+"**: the user's answer to: "+oneLine(question, 160))
	}
	if d.lastResponse = ""; len(d.turns) >= maxTurns {
		d.left += maxTurns / 4
		d.turns = slices.Delete(d.turns, 1, 1+maxTurns/4) // keep the first: it is the goal
	}
	d.turns = append(d.turns, turn{number: d.left + len(d.turns), request: request})
	d.demands = d.pick(d.demands, request, 12, demandWords)
}

// turn returns the current turn. Messages before the first request, as in a
// split turn, get a turn without a request.
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
	d.lastResponse = edges(text, 4000, 1000)
	if d.lastText == "" || !small(d.lastResponse) {
		d.lastText = d.lastResponse
	}
	t.last, t.steps = d.lastResponse, keep(t.steps, prose(d.lastResponse, 160))
	d.work.boxes(d.lastResponse)
	d.choices = d.pick(d.choices, d.lastResponse, 32, choiceWords)
}

// Words that mark user sentences as conditions, and assistant sentences as
// decisions. The lists are short and English on purpose: requests are quoted in
// any language.
var (
	demandWords = []string{" must ", " never ", " always ", "do not ", "don't ", "don’t ", "make sure ", " only "}
	choiceWords = []string{" decided ", "decision", "root cause", "the reason ", "the problem is ", "the problem was ", "turns out"}
)

// pick adds the sentences of a text that contain one of the words to a list,
// and those that match the focus to minded.
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

// small reports whether a text says too little to be worth reporting: yes, go
// on.
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

// open reports whether the turn is unfinished.
func (t *turn) open() bool {
	if t.stop == "stop" || t.stop == "" {
		return t.last == "" && len(t.changed)+len(t.ran) == 0
	}
	return true
}

// weight returns how much a turn matters to later work.
func (t *turn) weight() int {
	return 2*min(len(t.changed), 4) + min(len(t.ran), 2) + min(length(t.request)/40, 3) + min(length(t.last)/200, 2)
}

// line returns a turn on one line, or "" if it had no result.
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

// deeds returns the files that a turn changed and its last command. The full
// paths are in the file lists at the end of a summary.
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

package summarize

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// choices are what was decided: by the user, in answer to a question, and by the
// assistant, in its own words.
type choices struct {
	users, assistants bounded
	named             bounded // items of plans, which may be decisions
	latest            bounded // what the assistant announced since the user spoke
}

func newChoices() choices {
	return choices{users: bounded{first: 2, last: 10}, assistants: bounded{first: 2, last: 10}, named: bounded{first: 2, last: 4}, latest: bounded{last: 32}}
}

// reply takes the user's answer to the question that the assistant asked last.
func (c *choices) reply(said, answer string) {
	question := lastQuestion(said)
	if question == "" || isQuestion(strings.TrimSpace(answer)) {
		return
	}
	answer = oneLine(answer, 200)
	if len(answer) < 2 || !isProse(answer) || answer[0] == '/' {
		return
	}
	c.users.add("**" + strings.Trim(answer, "*") + "**: the user's answer to: " + oneLine(question, 160))
}

// lastQuestion is the question that a text ends with; "" when it does not.
func lastQuestion(text string) string {
	var last, question string
	n, at := 0, 0
	for s := range sentences(text) {
		n++
		last = s.text
		if isQuestion(s.text) {
			question, at = s.text, n
		}
	}
	if last == "" || n-at > 4 {
		return ""
	}
	return question
}

// look takes what an answer announces.
func (c *choices) look(text string) {
	for s := range sentences(text) {
		n := utf8.RuneCountInString(s.text)
		if n < 32 && !(n >= 14 && wide(s.text)) || n > 280 || isQuestion(s.text) || strings.HasSuffix(s.text, ":") {
			continue
		}
		switch {
		case isProse(s.text) && choiceWords.in(s.text):
			c.announce(&c.assistants, oneLine(s.text, 220))
		case s.item && boldLead(s.text):
			c.announce(&c.named, oneLine(s.text, 160))
		}
	}
}

func (c *choices) announce(in *bounded, text string) {
	in.add(text)
	c.latest.add(text)
}

// retract forgets what the user does not agree with: what was announced since the
// user last spoke, and before that what the rejection speaks of.
func (c *choices) retract(r rejection) {
	latest := c.latest.all()
	rejected := func(text string) bool { return slices.Contains(latest, text) || r.about(text) }
	c.assistants.drop(rejected)
	c.named.drop(rejected)
}

// boldLead reports whether an item of a list begins with a name in bold and goes
// on with a reason, as models write plans in every language.
func boldLead(item string) bool {
	rest, ok := strings.CutPrefix(item, "**")
	if !ok {
		return false
	}
	name, reason, ok := strings.Cut(rest, "**")
	return ok && name != "" && utf8.RuneCountInString(reason) > 20
}

package rpcserver

import "github.com/pith-sessions/pith/agent"

// hookMembers are what the answer to a hook can have, and contentMembers what
// stands in its compaction or summary. messageMembers are those of a message that
// the model is to see.
var (
	hookMembers = parameters("cancel?, compaction?, summary?, details?, customInstructions|instructions?, replaceInstructions?, label?, " +
		"message?, messages?, systemPrompt?, entries?, continue?")
	contentMembers = parameters("summary, firstKeptEntryId?, tokensBefore?, details?, usage?")
	messageMembers = parameters("customType, content, display?, details?")
)

// A hookAnswer is what a client said to a hook. The zero hookAnswer said nothing.
type hookAnswer struct{ *params }

// said reports whether the client said anything.
func (a hookAnswer) said() bool { return a.params != nil }

// check returns err, or the error of a malformed answer, or agent.ErrCancelled if
// the answer cancels.
func (a hookAnswer) check(err error) error {
	if err != nil || !a.said() {
		return err
	}
	cancel := a.isTrue("cancel")
	if a.bad != nil {
		return a.bad
	}
	if cancel {
		return agent.ErrCancelled
	}
	return nil
}

// words is a text of the answer; nil when it has none.
func (a hookAnswer) words(name string) *string {
	return optional(a.params, name, a.text)
}

// members are those of an object in the answer; nil when it has none.
func (a hookAnswer) members(name string, known []parameter) *params {
	if _, ok := a.present(name); !ok {
		return nil
	}
	raw := a.object(name)
	if a.bad != nil {
		return nil
	}
	return readParams(known, raw)
}

// take keeps the first fault of a part of the answer.
func (a hookAnswer) take(part *params) {
	if a.bad == nil {
		a.bad = part.bad
	}
}

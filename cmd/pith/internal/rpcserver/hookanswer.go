package rpcserver

import "github.com/pith-sessions/pith/agent"

// hookMembers are the members of the answer to a hook, contentMembers those of
// its compaction or summary, and messageMembers those of a message for the
// model.
var (
	hookMembers = parameters("cancel?, compaction?, summary?, details?, customInstructions|instructions?, replaceInstructions?, label?, " +
		"message?, messages?, systemPrompt?, entries?, continue?")
	contentMembers = parameters("summary, firstKeptEntryId?, tokensBefore?, details?, usage?")
	messageMembers = parameters("customType, content, display?, details?")
)

// A hookAnswer is a client's answer to a hook. The zero hookAnswer is empty.
type hookAnswer struct{ *params }

// hasAnswer reports whether the client answered.
func (a hookAnswer) hasAnswer() bool { return a.params != nil }

// check returns err, or the error of a malformed answer, or agent.ErrCancelled if
// the answer cancels.
func (a hookAnswer) check(err error) error {
	if err != nil || !a.hasAnswer() {
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

// words returns a text of the answer; nil if there is none.
func (a hookAnswer) words(name string) *string {
	return optional(a.params, name, a.text)
}

// members returns the members of an object in the answer; nil if there is none.
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

// take keeps the first error of a part of the answer.
func (a hookAnswer) take(part *params) {
	if a.bad == nil {
		a.bad = part.bad
	}
}

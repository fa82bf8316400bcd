package transcript

import (
	"fmt"

	"github.com/pith-sessions/pith/format"
)

// This file is the reference for Repair: it finds everything that Repair must
// fix, in another way.

// A ProblemKind says why a provider would refuse a context.
type ProblemKind uint8

// Problems that a context must not have.
const (
	UnknownRole     ProblemKind = iota + 1 // no model knows it, or the message is not an object
	ExcludedMessage                        // marked as not meant for a model
	FailedAnswer                           // ended in an error or aborted
	EmptyAnswer                            // says nothing and calls nothing
	TruncatedCall                          // a call of an answer that was cut off
	IncompleteCall                         // a call without an id or without the name of a tool
	ReusedCallID                           // an earlier call has that id
	UnansweredCall                         // the next messages are not the results, in the order of the calls
	StrayResult                            // a result whose call is not directly before it
	UnsendableText                         // half a surrogate pair, or bytes that are not UTF-8
	problemKindCount
)

var problemTexts = [problemKindCount]string{
	UnknownRole:     "has a role that no model knows",
	ExcludedMessage: "is marked as not meant for the model",
	FailedAnswer:    "is an answer that failed or was aborted",
	EmptyAnswer:     "is an answer that says nothing",
	TruncatedCall:   "has a call of a tool in an answer that was cut off",
	IncompleteCall:  "has a call without an id or without the name of a tool",
	ReusedCallID:    "has a call with the id of an earlier one",
	UnansweredCall:  "has a call whose result does not follow",
	StrayResult:     "is a result whose call is not directly before it",
	UnsendableText:  "has characters that cannot be sent",
}

// A Problem is one reason for a provider to refuse a context.
type Problem struct {
	Kind  ProblemKind
	Index int // of the message
	Pos   int // on the path, of its entry
}

func (p Problem) String() string {
	return fmt.Sprintf("message %d %s", p.Index, problemTexts[p.Kind])
}

// Check lists the problems of a context. [Repair] leaves none.
func Check(msgs []Message) []Problem {
	c := checker{used: make(map[string]bool)}
	for i, m := range msgs {
		c.next(i, m)
	}
	c.close()
	return c.problems
}

type checker struct {
	problems []Problem
	used     map[string]bool // ids of calls
	waiting  []string        // ids of the calls whose results must come next
	caller   Problem         // the answer that made them
}

func (c *checker) next(i int, m Message) {
	v := look(m.Raw)
	at := Problem{Index: i, Pos: m.Pos}
	if v.role == format.RoleToolResult && len(c.waiting) > 0 && v.callID == c.waiting[0] {
		c.waiting = c.waiting[1:]
	} else {
		c.close()
		c.problem(at, StrayResult, v.role == format.RoleToolResult)
	}
	_, replaced := sendable(m.Raw)
	c.problem(at, UnsendableText, replaced)
	c.problem(at, UnknownRole, !v.known())
	c.problem(at, ExcludedMessage, v.excluded)
	if v.role == format.RoleAssistant {
		c.answer(at, &v)
	}
}

func (c *checker) answer(at Problem, v *view) {
	c.problem(at, FailedAnswer, v.failed())
	c.caller = at
	for i := range v.blocks {
		b := &v.blocks[i]
		if b.kind != blockCall {
			continue
		}
		c.problem(at, TruncatedCall, v.truncated())
		c.problem(at, IncompleteCall, !b.complete())
		c.problem(at, ReusedCallID, c.used[b.id])
		c.used[b.id] = true
		c.waiting = append(c.waiting, b.id)
	}
	c.problem(at, EmptyAnswer, !v.spoken && len(c.waiting) == 0)
}

// close ends the results of an answer; calls that still wait are unanswered.
func (c *checker) close() {
	c.problem(c.caller, UnansweredCall, len(c.waiting) > 0)
	c.waiting = nil
}

func (c *checker) problem(at Problem, kind ProblemKind, found bool) {
	if found {
		at.Kind = kind
		c.problems = append(c.problems, at)
	}
}

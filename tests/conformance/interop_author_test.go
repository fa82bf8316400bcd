package conformance_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pith-sessions/pith/tests/interop/pi"
)

// A step is one call on a session by its name in pi, with its arguments, in the
// form of the api vectors: {"ref": k} is the id of the k-th entry.
type step []json.RawMessage

func (s step) name() string {
	var name string
	_ = json.Unmarshal(s[0], &name) // written by call, always a string
	return name
}

// call is a step. The arguments are JSON.
func call(name string, args ...string) step {
	s := step{json.RawMessage(`"` + name + `"`)}
	for _, a := range args {
		s = append(s, json.RawMessage(a))
	}
	return s
}

// undefined is JavaScript's undefined as an argument of a step.
var undefined = string(pi.Undefined)

// An author writes scripts: random, but the same for the same seed. It tracks
// the tree that its calls make, so that each call makes sense in its place.
//
// It omits the few things that pith deliberately does differently from pi,
// which have their own tests:
//   - an entry that only describes a session is never the first after the leaf
//     was moved: pi would resume there, pith stays with the conversation
//     (pitfall 77);
//   - no message is without content, because pi's list loses such a session
//     (pitfall 17), and the user always says something (pitfall 57).
type author struct {
	words
	modern      bool // uses what only pi 0.87.1 knows: usage, context edits, system messages
	sameWriting bool // leaves out names and labels that the two programs write differently
	entries     []authored
	leaf        int  // -1 before the first entry
	moved       bool // the leaf was moved and nothing was appended since
	clock       int64
}

// authored is an entry that a script makes.
type authored struct {
	parent   int
	editable bool
}

func newAuthor(seed uint64, modern bool) *author {
	return &author{words: words{random: rand.New(rand.NewPCG(seed, 99))}, modern: modern, leaf: -1, clock: 1_765_241_610_000}
}

// script is n calls or a few more. Like pi, it begins with settings, a question
// and an answer: pi 0.73.1 and 0.87.1 keep a session in memory until the first
// answer.
func (a *author) script(n int) []step {
	steps := []step{a.model(), a.thinking(), a.user(), a.assistant()}
	for len(steps) < n {
		steps = append(steps, a.next())
	}
	if a.moved {
		steps = append(steps, a.user()) // both programs resume at the last entry
	}
	return steps
}

// reopened tells the author that the session was opened again: the leaf is at
// the last entry.
func (a *author) reopened() { a.leaf, a.moved = len(a.entries)-1, false }

// An act is a kind of call that an author can choose.
type act struct {
	weight int
	modern bool
	write  func(*author) step // nil when it makes no sense here
}

var acts = []act{
	{weight: 20, write: (*author).user},
	{weight: 20, write: (*author).assistant},
	{weight: 10, write: (*author).toolResult},
	{weight: 4, write: (*author).bash},
	{weight: 1, write: (*author).customRole},
	{weight: 3, write: (*author).system, modern: true},
	{weight: 3, write: (*author).model},
	{weight: 3, write: (*author).thinking},
	{weight: 4, write: (*author).customMessage},
	{weight: 4, write: (*author).compaction},
	{weight: 4, write: (*author).edit, modern: true},
	{weight: 4, write: (*author).custom},
	{weight: 6, write: (*author).label},
	{weight: 3, write: (*author).sessionName},
	{weight: 3, write: (*author).usageEntry, modern: true},
	{weight: 6, write: (*author).branch},
	{weight: 1, write: (*author).reset},
	{weight: 4, write: (*author).summary},
}

func (a *author) next() step {
	total := 0
	for _, act := range acts {
		total += act.weight
	}
	for {
		pick := a.random.IntN(total)
		i := 0
		for ; pick >= acts[i].weight; i++ {
			pick -= acts[i].weight
		}
		if acts[i].modern && !a.modern {
			continue
		}
		if s := acts[i].write(a); s != nil {
			return s
		}
	}
}

// add takes an entry into the account.
func (a *author) add(e authored) {
	e.parent = a.leaf
	a.entries = append(a.entries, e)
	a.leaf, a.moved = len(a.entries)-1, false
}

// path is the entries from the leaf up.
func (a *author) path() []int {
	var up []int
	for i := a.leaf; i >= 0; i = a.entries[i].parent {
		up = append(up, i)
	}
	return up
}

// pathIDs returns the IDs from the root to the leaf at which a session must be
// after the author's calls.
func (a *author) pathIDs(ids []string) []string {
	path := []string{}
	for _, k := range slices.Backward(a.path()) {
		path = append(path, ids[k])
	}
	return path
}

func ref(k int) string { return fmt.Sprintf(`{"ref":%d}`, k) }

func (a *author) message(editable bool, body string) step {
	a.clock += int64(a.random.IntN(60_000))
	if !a.chance(10) { // else it has no time of its own
		body += fmt.Sprintf(`,"timestamp":%d`, a.clock)
	}
	a.add(authored{editable: editable})
	return call("appendMessage", `{`+body+`}`)
}

func (a *author) user() step { return a.message(true, `"role":"user","content":`+a.spoken()) }

func (a *author) assistant() step {
	content := a.textBlock()
	if a.chance(2) {
		content = `{"type":"thinking","thinking":` + a.text() + `,"thinkingSignature":"c2lnbmF0dXJl"},` + content
	}
	reason := "stop"
	if a.chance(2) {
		content += fmt.Sprintf(`,{"type":"toolCall","id":"call_%d","name":"read","arguments":{"path":%s,"limit":1.5}}`, len(a.entries), a.word())
		reason = "toolUse"
	}
	if a.chance(12) {
		content, reason = "", "error"
	}
	return a.message(true, `"role":"assistant","content":[`+content+`],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5","usage":`+
		a.usage()+`,"stopReason":"`+reason+`"`)
}

func (a *author) toolResult() step {
	return a.message(true, fmt.Sprintf(`"role":"toolResult","toolCallId":"call_%d","toolName":"read","content":[%s],"details":%s,"isError":%v`,
		a.leaf, a.textBlock(), a.details(), a.chance(5)))
}

func (a *author) bash() step {
	return a.message(false, fmt.Sprintf(`"role":"bashExecution","command":%s,"output":%s,"exitCode":%d,"cancelled":false,"truncated":false,"excludeFromContext":%v`,
		a.word(), a.text(), a.random.IntN(3), a.chance(2)))
}

func (a *author) customRole() step {
	return a.message(false, `"role":"custom","customType":"lint","content":`+a.spoken()+`,"display":true`)
}

func (a *author) system() step {
	body := `"role":"system","content":` + a.text()
	if a.chance(2) {
		body += `,"sections":{"project":` + a.text() + `,"style":null}`
	}
	if a.chance(2) {
		body += fmt.Sprintf(`,"toolsAdded":[{"name":"tool_%d","description":%s,"parameters":{"type":"object","properties":{}}}]`, a.random.IntN(3), a.text())
	}
	if a.chance(3) {
		body += fmt.Sprintf(`,"toolsRemoved":[{"name":"tool_%d"}]`, a.random.IntN(3))
	}
	a.clock++
	a.add(authored{})
	return call("appendMessage", fmt.Sprintf(`{%s,"timestamp":%d}`, body, a.clock))
}

package corpus

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// An Exhibit of the zoo is a session with runs of subagents, or two sessions
// whose histories part, and the files that belong to them.
type Exhibit struct {
	Name string
	What string // one sentence: what there is to see
	// Session is the file to look at first, Other the one to compare it with or
	// "". Both are paths below the folder of the zoo, with slashes.
	Session, Other string
	Files          []ZooFile
	// OwnMicros is what the session spent itself and ChildMicros what its runs and
	// all runs below them did, in millionths, each counted once.
	OwnMicros, ChildMicros int64
}

// A ZooFile is one file of an exhibit.
type ZooFile struct {
	Path  string // below the folder of the zoo, with slashes
	Bytes []byte
}

// Zoo returns the exhibits. dir is the folder into which they will be written:
// results name the files of children by their paths.
func Zoo(dir string) []Exhibit {
	var all []Exhibit
	for _, group := range []func(string) []Exhibit{zooExample, zooEarly, zooLate, zooWorkflow, zooBackground, zooRelatives, zooTraps, zooParted} {
		all = append(all, group(dir)...)
	}
	return all
}

// WriteZoo writes all exhibits below a folder.
func WriteZoo(dir string) ([]Exhibit, error) {
	all := Zoo(dir)
	for _, e := range all {
		for _, f := range e.Files {
			name := filepath.Join(dir, filepath.FromSlash(f.Path))
			if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
				return nil, err
			}
			if err := os.WriteFile(name, f.Bytes, 0o600); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

const zooCwd = "/home/mira/src/parcel-tracker"

// An enclosure is an exhibit being built.
type enclosure struct {
	Exhibit
	dir string // of the exhibit, as the machine names it
}

func newEnclosure(zoo, name, what string) *enclosure {
	return &enclosure{Exhibit{Name: name, What: what, Session: path.Join(name, "parent.jsonl")}, filepath.Join(zoo, name)}
}

// at is the path of a file of the exhibit as a session names it.
func (e *enclosure) at(name string) string { return filepath.Join(e.dir, filepath.FromSlash(name)) }

func (e *enclosure) file(name, content string) {
	e.Files = append(e.Files, ZooFile{path.Join(e.Name, name), []byte(content)})
}

func (e *enclosure) session(name string, s *script) { e.file(name, s.out.String()) }

// done closes the exhibit with its parent session and the money in it.
func (e *enclosure) done(s *script, own, children int64) Exhibit {
	e.session("parent.jsonl", s)
	e.OwnMicros, e.ChildMicros = own, children
	return e.Exhibit
}

// zooScript begins a session. Every answer in it is written with cost, so that
// sums are known.
func zooScript(seed uint64, extra string) *script {
	s := newScript(9000+seed, zooCwd, day(8, 21, 9, 30), extra)
	s.model = models[0]
	return s
}

// The money of the zoo, in millionths: what one answer of a parent and of a child
// costs.
const (
	parentMicros = 20_000
	childMicros  = 3_000
)

// cost writes an answer of which the price is known.
func (s *script) cost(micros int64, stopReason string, blocks ...block) string {
	s.pass(14)
	return s.entry("message",
		`"message":{"role":"assistant","content":[%s],"api":%s,"provider":%s,"model":%s,"usage":%s,"stopReason":%s,"timestamp":%d}`,
		joined(blocks), js(s.model.api), js(s.model.provider), js(s.model.id), piUsage(micros), js(stopReason), s.now-2100)
}

// tokensFor are the tokens that an answer of a price has.
func tokensFor(micros int64) (input, output int64) { return micros / 10, micros / 100 }

// piUsage is a usage as pi writes it in an answer.
func piUsage(micros int64) string {
	in, out := tokensFor(micros)
	return fmt.Sprintf(`{"input":%d,"output":%d,"cacheRead":0,"cacheWrite":0,"totalTokens":%d,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":%s}}`,
		in, out, in+out, dollars(micros))
}

// runUsage is a usage as extensions write it in a result: the cost is a number.
func runUsage(micros int64, turns int) string {
	in, out := tokensFor(micros)
	return fmt.Sprintf(`{"input":%d,"output":%d,"cacheRead":0,"cacheWrite":0,"cost":%s,"turns":%d}`, in, out, dollars(micros), turns)
}

func dollars(micros int64) string { return string(appendCost(nil, float64(micros)/1e6)) }

// asked writes the user's message and an answer that calls tools.
func (s *script) asked(text string, calls ...block) {
	s.user(text)
	s.cost(parentMicros, "toolUse", append([]block{said("I'll hand that over.")}, calls...)...)
}

// ran writes the result of the oldest waiting call with its details.
func (s *script) ran(text, details string) string {
	return s.toolResult(text, `,"details":`+details, false)
}

// closing ends a turn of a parent.
func (s *script) closing(text string) { s.cost(parentMicros, "stop", said(text)) }

// kid is the session of a child: a task, a look at a file, an answer.
func kid(seed uint64, extra, task, answer string) *script {
	s := zooScript(seed, extra)
	s.work(task, answer)
	return s
}

// work writes what a child does: two answers, one call of a tool.
func (s *script) work(task, answer string) {
	s.user("Task: " + task)
	s.cost(childMicros, "toolUse", s.read("internal/notify/worker.go"))
	s.result("package notify\n")
	s.cost(childMicros, "stop", said(answer))
}

// kidMicros is what such a session costs.
const kidMicros = 2 * childMicros

// fields joins members, each a name and its JSON.
func fields(pairs ...string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i+1 < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(js(pairs[i]) + ":" + pairs[i+1])
	}
	return b.String() + "}"
}

func list(elements ...string) string { return "[" + strings.Join(elements, ",") + "]" }

// task is the arguments of one task.
func task(agent, text string) string { return fields("agent", js(agent), "task", js(text)) }

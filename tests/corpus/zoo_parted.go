package corpus

import (
	"path"
	"strings"
)

// zooParted are histories that part: branches of one session, a session and its
// fork, a copy that the other left behind, and two sessions that have nothing in
// common.
func zooParted(zoo string) []Exhibit {
	return []Exhibit{partedBranches(zoo), partedFork(zoo), partedStrangers(zoo), partedContinued(zoo)}
}

// partedStart is what both sides have in common.
func partedStart(s *script) string {
	s.use(models[0])
	s.user("customers get the mail twice, why?")
	s.cost(parentMicros, "toolUse", s.read("internal/notify/worker.go"))
	s.result("package notify\n")
	return s.cost(parentMicros, "stop", said("Two workers may send the same mail."))
}

func partedMutex(s *script) {
	s.user("put a mutex around it")
	s.cost(parentMicros, "toolUse", s.edit("internal/notify/worker.go", "send()", "mu.Lock()\nsend()"), s.bash("go test ./..."))
	s.edited("internal/notify/worker.go", 48, "+ 48 mu.Lock()\n")
	s.failed("--- FAIL: TestDuplicateMail")
	s.cost(parentMicros, "stop", said("The test still fails: the workers are two processes."))
}

func partedTable(s *script) {
	s.user("where is \"already sent\" stored?")
	s.cost(parentMicros, "toolUse", s.read("internal/queue/lease.go"))
	s.result("package queue\n")
	s.cost(parentMicros, "stop", said("In memory, once for each worker."))
	s.user("then store it in the database")
	s.cost(parentMicros, "toolUse", s.write("internal/notify/sent.go", "package notify\n"), s.edit("internal/notify/worker.go", "send()", "claim(); send()"))
	s.result("wrote internal/notify/sent.go")
	s.edited("internal/notify/worker.go", 48, "+ 48 claim()\n")
	s.cost(parentMicros, "stop", said("Every mail is claimed in the database before it is sent. The test passes."))
}

func partedBranches(zoo string) Exhibit {
	e := newEnclosure(zoo, "branches", "One session with two attempts: a mutex, then a table.")
	s := zooScript(20, "")
	fork := partedStart(s)
	partedMutex(s)
	s.goTo(fork)
	partedTable(s)
	return e.done(s, 8*parentMicros, 0)
}

func partedFork(zoo string) Exhibit {
	e := newEnclosure(zoo, "fork", "A session and its fork: both went on.")
	s := zooScript(21, "")
	leaf := partedStart(s)
	_, copied, _ := strings.Cut(s.out.String(), "\n")
	partedMutex(s)
	f := zooScript(22, `,"parentSession":`+js(e.at("parent.jsonl")))
	f.out.WriteString(copied)
	f.leaf, f.entries = leaf, 4000
	f.name("with a table")
	partedTable(f)
	e.session("fork.jsonl", f)
	e.Other = path.Join(e.Name, "fork.jsonl")
	return e.done(s, 4*parentMicros, 0)
}

// partedContinued: one side is where the other began.
func partedContinued(zoo string) Exhibit {
	e := newEnclosure(zoo, "continued", "A copy that stopped where the other went on.")
	s := zooScript(24, "")
	partedStart(s)
	e.session("copy.jsonl", s)
	e.Other = path.Join(e.Name, "copy.jsonl")
	partedTable(s)
	return e.done(s, 6*parentMicros, 0)
}

func partedStrangers(zoo string) Exhibit {
	e := newEnclosure(zoo, "strangers", "Two sessions that have nothing in common.")
	s := zooScript(25, "")
	partedStart(s)
	other := zooScript(26, "")
	other.user("what is the time?")
	other.cost(parentMicros, "stop", said("Late."))
	e.session("other.jsonl", other)
	e.Other = path.Join(e.Name, "other.jsonl")
	return e.done(s, 2*parentMicros, 0)
}

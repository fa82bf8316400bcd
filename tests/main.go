// Command tests runs all checks that a change must pass, and fetches what the
// tests need: the real pi from npm, a Node to run it, a linter. It prints what
// it does. With CI=true nothing is skipped: a requirement that is missing and
// cannot be fetched is a failure, and so is a skipped test.
//
//	go run ./tests            everything
//	go run ./tests -only test one step; -list names them
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"time"
)

// A step is one check. Steps run one after the other, but those beside run
// concurrently with the others. A step that needs programs waits for those that
// fetch them, and others go first.
type step struct {
	name   string
	why    string
	run    func(context.Context) error
	beside bool
	needs  []string
}

// fetched are the steps that fetch programs for tests.
var fetched = []string{"tools", "pi"}

// steps are in this order because tests wait for programs, and later steps do
// not wait: both processors are busy to the end.
var steps = []step{
	{"tools", "what the tests need of the machine", tools, true, nil},
	{"pi", "the real pi, for the other side of interop tests", fetchPi, true, []string{"tools"}},
	{"race", "the tests that reach a goroutine, with the race detector", race, true, fetched},
	{"format", "gofmt", gofmt, false, nil},
	{"modules", "go.mod and go.sum are tidy", tidy, false, nil},
	{"vet", "go vet", vet, false, nil},
	{"test", "the tests, but those that reach a goroutine", test, false, fetched},
	{"lint", "staticcheck", lint, false, nil},
	{"build", "the library and the command on this platform, and their types on six others", build, false, nil},
	{beforeRelease, "the library and the command compiled for seven platforms; runs when it is named, before a release", cross, false, nil},
}

// beforeRelease is not part of a run of everything: it takes a quarter of an
// hour if nothing is compiled yet.
const beforeRelease = "cross"

func main() {
	only := flag.String("only", "", "run this step alone (comma-separated for several)")
	list := flag.Bool("list", false, "list the steps")
	flag.Parse()
	if *list {
		for _, s := range steps {
			fmt.Printf("%-8s %s\n", s.name, s.why)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	chosen, err := choose(*only)
	if err == nil {
		err = compileFast(ctx)
	}
	if err == nil {
		err = run(ctx, chosen)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, chosen []step) error {
	began := time.Now()
	took, errs := make([]time.Duration, len(chosen)), make([]error, len(chosen))
	done := map[string]chan struct{}{}
	for _, s := range chosen {
		done[s.name] = make(chan struct{})
	}
	do := func(i int) {
		s := chosen[i]
		defer close(done[s.name])
		for _, n := range s.needs {
			if ready := done[n]; ready != nil {
				<-ready
			}
		}
		if ctx.Err() == nil {
			took[i], errs[i] = s.timed(ctx)
		}
	}
	var beside sync.WaitGroup
	var queue []int
	for i, s := range chosen {
		if s.beside {
			beside.Go(func() { do(i) })
		} else {
			queue = append(queue, i)
		}
	}
	for len(queue) > 0 {
		next := max(0, slices.IndexFunc(queue, func(i int) bool { return chosen[i].ready(done) }))
		do(queue[next])
		queue = slices.Delete(queue, next, next+1)
	}
	beside.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failed, ran []string
	for i, s := range chosen {
		if errs[i] != nil {
			failed = append(failed, s.name)
		}
		ran = append(ran, fmt.Sprintf("%s %s", s.name, took[i]))
	}
	for _, s := range tested.skipped {
		fmt.Println("skipped:", s)
	}
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	if n := len(tested.skipped); strict() && n > 0 {
		return fmt.Errorf("%d tests were skipped; with CI=true none may be", n)
	}
	fmt.Print(tested.slowest())
	fmt.Printf("== everything holds, %s: %s%s\n", time.Since(began).Round(time.Second), strings.Join(ran, ", "), tested.summary())
	return nil
}

// ready reports whether the steps that s needs have ended or were not chosen.
func (s step) ready(done map[string]chan struct{}) bool {
	for _, n := range s.needs {
		if done[n] == nil {
			continue
		}
		select {
		case <-done[n]:
		default:
			return false
		}
	}
	return true
}

// timed runs a step and prints its result.
func (s step) timed(ctx context.Context) (time.Duration, error) {
	fmt.Printf("== %s: %s\n", s.name, s.why)
	start := time.Now()
	err := s.run(ctx)
	took := time.Since(start).Round(time.Second)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		fmt.Printf("== %s FAILED after %s: %v\n", s.name, took, err)
	default:
		fmt.Printf("== %s ok, %s\n", s.name, took)
	}
	return took, err
}

func choose(only string) ([]step, error) {
	if only == "" {
		return slices.DeleteFunc(slices.Clone(steps), func(s step) bool { return s.name == beforeRelease }), nil
	}
	names := strings.Split(only, ",")
	var out []step
	for _, s := range steps {
		if slices.Contains(names, s.name) {
			out = append(out, s)
		}
	}
	if len(out) != len(names) {
		return nil, errors.New("no such step; -list names them")
	}
	return out, nil
}

// Command tests runs all checks that a change must pass, and fetches what the
// tests need: the real pi from npm, a Node to run it, a linter. It prints what
// it does. With CI=true nothing is skipped: a requirement that is missing and
// cannot be fetched is a failure.
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

// A step is one check.
type step struct {
	name string
	why  string
	run  func(context.Context) error
}

// aside is the step that runs concurrently with all others: it compiles
// everything for itself, and waits for programs for a third of its time.
const aside = "race"

// steps are in this order because tests wait for programs, and later steps do
// not wait: both processors are busy to the end.
var steps = []step{
	{"tools", "what the tests need of the machine", tools},
	{"pi", "the real pi, for the other side of interop tests", fetchPi},
	{"format", "gofmt", gofmt},
	{"modules", "go.mod and go.sum are tidy", tidy},
	{aside, "the tests that reach a goroutine, with the race detector", race},
	{"vet", "go vet", vet},
	{"test", "the tests, but those that reach a goroutine", test},
	{"lint", "staticcheck", lint},
	{"nested", "the modules below this one: tidy, go vet, staticcheck, tests with the race detector", nested},
	{"build", "the library and the command on this platform, and their types on six others", build},
	{beforeRelease, "the library and the command compiled for seven platforms; runs when it is named, before a release", cross},
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
	var beside sync.WaitGroup
	for i, s := range chosen {
		do := func() { took[i], errs[i] = s.timed(ctx) }
		switch {
		case ctx.Err() != nil:
		case s.name == aside:
			beside.Go(do)
		default:
			do()
		}
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
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	}
	fmt.Printf("== everything holds, %s: %s%s\n", time.Since(began).Round(time.Second), strings.Join(ran, ", "), tested.summary())
	return nil
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

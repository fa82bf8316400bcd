// Command tests runs all checks that a change must pass, and fetches what the
// tests need: programs of the system, the real pi and other agents from npm, a
// linter. It prints what it does, and at the end what it left out because this
// machine lacks something. With CI=true nothing may be left out.
//
//	go run ./tests            everything except the race detector
//	go run ./tests -race      the packages that start goroutines, with the race detector
//	go run ./tests -only test some steps; -list names them
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

// A step is one check. It waits for the steps that it comes after, if they were
// chosen, and runs beside the others.
type step struct {
	name  string
	why   string
	run   func(context.Context) error
	after []string
}

// steps are in the order of their results. What vet compiles is not compiled
// again by those after it.
var steps = []step{
	{"tools", "programs of this machine that tests run", needed, nil},
	{"npm", "the real pi and other agents, for the other side of interop tests", fetch, []string{"tools"}},
	{"format", "gofmt", gofmt, nil},
	{"modules", "go.mod and go.sum are tidy", tidy, nil},
	{"vet", "go vet", vet, nil},
	{"systems", "the types on Windows and macOS", systems, []string{"vet"}},
	{"lint", "staticcheck", lint, []string{"systems"}},
	{"test", "the tests, without the race detector", test, []string{"vet", "npm"}},
	{"race", "the packages that start goroutines, with the race detector; only with -race", race, []string{"npm"}},
	{"cross", "the library and the command compiled for all platforms; only when it is named, before a release", cross, nil},
}

func main() {
	only := flag.String("only", "", "run these steps alone, comma-separated")
	raced := flag.Bool("race", false, "run the packages that start goroutines with the race detector, and nothing else")
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
	chosen, err := choose(*only, *raced)
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

func choose(only string, raced bool) ([]step, error) {
	names := strings.Split(only, ",")
	switch {
	case only == "" && raced:
		names = []string{"tools", "npm", "race"}
	case only == "":
		names = []string{"tools", "npm", "format", "modules", "vet", "systems", "lint", "test"}
	case raced:
		return nil, errors.New("-race and -only exclude each other")
	}
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

func run(ctx context.Context, chosen []step) error {
	began := time.Now()
	took, errs := make([]time.Duration, len(chosen)), make([]error, len(chosen))
	done := map[string]chan struct{}{}
	for _, s := range chosen {
		done[s.name] = make(chan struct{})
	}
	var all sync.WaitGroup
	for i, s := range chosen {
		all.Go(func() {
			defer close(done[s.name])
			for _, name := range s.after {
				if before := done[name]; before != nil {
					<-before
				}
			}
			if ctx.Err() == nil {
				took[i], errs[i] = s.timed(ctx)
			}
		})
	}
	all.Wait()
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
	fmt.Print(tested.slowest())
	left := leftOut(tested.skipped)
	if len(failed) > 0 {
		return fmt.Errorf("failed: %s\n%s", strings.Join(failed, ", "), left)
	}
	if strict() && left != "" {
		return fmt.Errorf("with CI=true nothing may be left out\n%s", left)
	}
	fmt.Printf("== everything holds, %s: %s%s\n%s", time.Since(began).Round(time.Second), strings.Join(ran, ", "), tested.summary(), left)
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

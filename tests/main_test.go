package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// Steps beside run concurrently with the others, which run in sequence. A
// failed step does not prevent the others from running.
func TestStepsRunInOrder(t *testing.T) {
	var done []string
	met := make(chan struct{})
	err := run(t.Context(), []step{
		named("race", func() error { <-met; return errors.New("no") }, true),
		named("vet", func() error { done = append(done, "vet"); return errors.New("no") }, false),
		named("test", func() error { close(met); done = append(done, "test"); return nil }, false),
	})
	if err == nil || err.Error() != "failed: race, vet" {
		t.Errorf("run() = %v; want that race and vet failed", err)
	}
	if got := strings.Join(done, " "); got != "vet test" {
		t.Errorf("the steps ran as %q; want vet test", got)
	}
}

// A step whose programs are still being fetched lets others go first. One that
// was not chosen is not waited for.
func TestStepsWaitForPrograms(t *testing.T) {
	var done []string
	linted := make(chan struct{})
	err := run(t.Context(), []step{
		named("pi", func() error { <-linted; return nil }, true, "tools"),
		named("test", func() error { done = append(done, "test"); return nil }, false, "tools", "pi"),
		named("lint", func() error { done = append(done, "lint"); close(linted); return nil }, false),
	})
	if got := strings.Join(done, " "); err != nil || got != "lint test" {
		t.Errorf("the steps ran as %q, %v; want lint test", got, err)
	}
}

func named(name string, do func() error, beside bool, needs ...string) step {
	return step{name, "", func(context.Context) error { return do() }, beside, needs}
}

package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// One step runs concurrently with all later ones, which run in sequence. A
// failed step does not prevent the others from running.
func TestStepsRunInOrder(t *testing.T) {
	var done []string
	met := make(chan struct{})
	named := func(name string, do func() error) step {
		return step{name, "", func(context.Context) error { return do() }}
	}
	err := run(t.Context(), []step{
		named(aside, func() error { <-met; return errors.New("no") }),
		named("vet", func() error { done = append(done, "vet"); return errors.New("no") }),
		named("test", func() error { close(met); done = append(done, "test"); return nil }),
	})
	if err == nil || err.Error() != "failed: race, vet" {
		t.Errorf("run() = %v; want that vet and race failed", err)
	}
	if got := strings.Join(done, " "); got != "vet test" {
		t.Errorf("the steps ran as %q", got)
	}
}

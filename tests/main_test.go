package main

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// The two steps of tests run side by side, all others one after the other. One that
// fails does not keep the others from running.
func TestStepsRunInOrder(t *testing.T) {
	var done []string
	met := make(chan struct{})
	named := func(name string, do func() error) step {
		return step{name, "", func(context.Context) error { return do() }}
	}
	err := run(t.Context(), []step{
		named("vet", func() error { done = append(done, "vet"); return errors.New("no") }),
		named("test", func() error { <-met; done = append(done, "test"); return nil }),
		named(beside, func() error { close(met); return errors.New("no") }),
		named("cross", func() error { done = append(done, "cross"); return nil }),
	})
	if err == nil || err.Error() != "failed: vet, race" {
		t.Errorf("run() = %v; want that vet and race failed", err)
	}
	if got := strings.Join(done, " "); got != "vet test cross" {
		t.Errorf("the steps ran as %q", got)
	}
}

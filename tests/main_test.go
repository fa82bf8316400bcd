package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A step waits for those that it comes after, but not for one that was not
// chosen. A failed step does not keep others from running.
func TestStepsWait(t *testing.T) {
	fetched, vetted := make(chan struct{}), false
	err := run(t.Context(), []step{
		{"test", "", func(context.Context) error {
			if !vetted {
				t.Error("test ran before vet")
			}
			return nil
		}, []string{"vet", "tools"}},
		{"npm", "", func(context.Context) error { close(fetched); return errors.New("no") }, nil},
		{"vet", "", func(context.Context) error { <-fetched; vetted = true; return errors.New("no") }, nil},
	})
	if err == nil || err.Error() != "failed: npm, vet\n" {
		t.Errorf("run() = %v; want that npm and vet failed", err)
	}
}

// Everything is left out with a reason, which fails only with CI=true.
func TestLeftOut(t *testing.T) {
	defer func() { missing.uses = nil }()
	t.Setenv("CI", "")
	if got := leftOut(nil); got != "" {
		t.Errorf("leftOut of nothing = %q", got)
	}
	if err := without("a linter", errors.New("no network")); err != nil {
		t.Errorf("without = %v, want nil", err)
	}
	want := "== left out:\n   no network (a linter, 4 tests)\n   no tty (a T1)\n"
	if got := leftOut([]skip{{"a T1", "no tty"}, {"a T2", "no network; needed for pi"}, {"a T3", "no network"}, {"a T4", "no network"}, {"a T5", "no network"}}); got != want {
		t.Errorf("leftOut = %q, want %q", got, want)
	}
	t.Setenv("CI", "true")
	if err := without("a linter", errors.New("no network")); err == nil {
		t.Error("without = nil with CI=true, want an error")
	}
	if err := run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "no network (a linter)") {
		t.Errorf("run = %v with CI=true, want what was left out", err)
	}
}

func TestStartsGoroutines(t *testing.T) {
	dir := t.TempDir()
	for name, code := range map[string]string{
		"a.go":      "func A() {}",
		"go.go":     "func B() { go A() }",
		"group.go":  "func C() { var g group; g.Go(A) }",
		"a_test.go": "func D() { f := func() { go A() }; f() }",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package a\n\n"+code+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		p    source
		want bool
	}{
		{source{Dir: dir, GoFiles: []string{"a.go"}}, false},
		{source{Dir: dir, GoFiles: []string{"a.go", "go.go"}}, true},
		{source{Dir: dir, GoFiles: []string{"group.go"}}, true},
		{source{Dir: dir, GoFiles: []string{"a.go"}, TestGoFiles: []string{"a_test.go"}}, true},
		{source{Dir: dir, XTestGoFiles: []string{"a_test.go"}}, true},
	} {
		if got, err := tt.p.startsGoroutines(); got != tt.want || err != nil {
			t.Errorf("startsGoroutines(%+v) = %t, %v; want %t", tt.p, got, err, tt.want)
		}
	}
}

// The packages that start first exist.
func TestLongest(t *testing.T) {
	for _, name := range longest {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/tests/testcache"
)

// linter is the pinned version of staticcheck.
const linter = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"

// platforms are those on which the library and the command must compile.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64", "freebsd/amd64"}

// others are those of them whose systems have files of their own.
var others = []string{"darwin/arm64", "windows/amd64"}

func gofmt(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "gofmt", "-l", ".").CombinedOutput()
	if err != nil {
		return fmt.Errorf("gofmt: %w: %s", err, out)
	}
	if len(bytes.TrimSpace(out)) > 0 {
		return fmt.Errorf("not formatted:\n%s", out)
	}
	return nil
}

// tidy leaves go.mod and go.sum unchanged. It needs modules that nothing is
// compiled from.
func tidy(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "mod", "tidy", "-diff")
	cmd.Stderr = os.Stderr
	diff, err := cmd.Output()
	switch {
	case len(diff) > 0:
		return fmt.Errorf("go mod tidy changes:\n%s", diff)
	case err != nil:
		return without("go mod tidy", errors.New("not all modules can be fetched: go mod tidy -diff"))
	}
	return nil
}

// pure is the environment of a build without C. Vet, lint and tests share it,
// so that everything is compiled once.
var pure = []string{"CGO_ENABLED=0"}

func vet(ctx context.Context) error { return command(ctx, pure, "go", "vet", "./...") }

// lint runs staticcheck. If it cannot be fetched, it is left out.
func lint(ctx context.Context) error {
	_, version, _ := strings.Cut(linter, "@")
	bin, err := testcache.Folder(ctx, "staticcheck-"+version+"-"+runtime.Version(), func(ctx context.Context, bin string) error {
		cmd := exec.CommandContext(ctx, "go", "install", linter)
		cmd.Env = slices.Concat(os.Environ(), []string{"GOBIN=" + bin}, pure)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return without("staticcheck", errors.New("cannot be fetched: go install "+linter))
	}
	return command(ctx, append([]string{fmt.Sprintf("GOGC=%d", collectLess)}, pure...), filepath.Join(bin, "staticcheck"), "./...")
}

// systems checks the types on other systems, which takes seconds where
// compiling our dependencies takes minutes for each.
func systems(ctx context.Context) error {
	defer debug.SetGCPercent(debug.SetGCPercent(collectLess))
	read := newSources()
	errs := make([]error, len(others))
	var all sync.WaitGroup
	for i, p := range others {
		all.Go(func() {
			goos, arch, _ := strings.Cut(p, "/")
			if err := typecheck(ctx, read, goos, arch); err != nil {
				errs[i] = fmt.Errorf("%s: %w", p, err)
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// cross compiles for all platforms, and vets their platform-specific files.
func cross(ctx context.Context) error {
	for _, p := range platforms {
		if err := compile(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func compile(ctx context.Context, platform string) error {
	goos, arch, _ := strings.Cut(platform, "/")
	env := append([]string{"GOOS=" + goos, "GOARCH=" + arch}, pure...)
	for _, verb := range []string{"build", "vet"} { // which compiles the tests too
		if err := command(ctx, env, "go", verb, "./..."); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	fmt.Println(platform, "builds")
	return nil
}

// test runs all tests, in the build that was vetted.
func test(ctx context.Context) error {
	packages, err := modulePackages(ctx)
	if err != nil {
		return err
	}
	return goTest(ctx, packages, pure)
}

// noDebugger omits debug information, which traces of panics and races do not
// need. It is a quarter of the work of compiling.
const noDebugger = "-dwarf=false"

// collectLess lets a program use more memory, a gigabyte for the largest
// package, and collect garbage a quarter as often: another quarter of the work
// of compiling.
const collectLess = 400

// compileFast sets flags for every go command of this run, including those that
// tests start, so that nothing is compiled twice, nor again in another clone of the
// same commit: -trimpath keeps its directory out. Tested programs collect garbage as
// usual.
func compileFast(ctx context.Context) error {
	usual, err := exec.CommandContext(ctx, "go", "env", "GOFLAGS").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	flags := []string{strings.TrimSpace(string(usual)), "-trimpath", "-gcflags=all=" + noDebugger}
	if _, err := exec.LookPath("env"); err == nil {
		flags = append(flags, fmt.Sprintf("'-toolexec=env GOGC=%d'", collectLess))
	}
	return os.Setenv("GOFLAGS", strings.TrimSpace(strings.Join(flags, " ")))
}

// command runs a program with its output on ours.
func command(ctx context.Context, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

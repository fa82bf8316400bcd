package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pith-sessions/pith/tests/interop/omp"
	"github.com/pith-sessions/pith/tests/interop/openclaw"
	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/interop/releases"
	"github.com/pith-sessions/pith/tests/testcache"
)

// linter is the pinned version of staticcheck.
const linter = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"

// native is the platform on which changes are checked. foreign are the others
// on which the library and the command must compile.
const native = "linux/amd64"

var foreign = []string{"linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64", "freebsd/amd64"}

func strict() bool { return os.Getenv("CI") == "true" }

// tools installs what comes from the system: a C compiler for the race
// detector, Node and npm for pi, a terminal for the app.
func tools(ctx context.Context) error {
	needed := []struct{ command, packages, use string }{
		{"gcc", "gcc libc6-dev", "the race detector"},
		{"npm", "nodejs npm", "the real pi"},
		{"tmux", "tmux", "the terminal app in a real terminal"},
		{"zsh", "zsh", "completion in a real shell"},
		{"fish", "fish", "completion in a real shell"},
		{"chromium", "chromium", "pages in a real browser"},
		{"pgbouncer", "postgresql pgbouncer", "sessions in PostgreSQL"},
	}
	var missing []string
	for _, t := range needed {
		if _, err := exec.LookPath(t.command); err != nil {
			missing = append(missing, strings.Fields(t.packages)...)
		}
	}
	var failed error
	if len(missing) > 0 {
		failed = install(ctx, missing)
	}
	var errs []error
	for _, t := range needed {
		path, err := exec.LookPath(t.command)
		if err != nil {
			err = fmt.Errorf("%s is needed for %s and could not be installed: %w", t.command, t.use, cmp.Or(failed, err))
		}
		errs = append(errs, had(t.command, path, err))
	}
	return errors.Join(errs...)
}

// install installs Debian packages, if this is Debian and we are root.
func install(ctx context.Context, packages []string) error {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("there is no apt-get; install it by hand")
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("not root; run: sudo apt-get install %s", strings.Join(packages, " "))
	}
	fmt.Println("installing", strings.Join(packages, " "))
	if err := command(ctx, nil, "apt-get", "update", "-q"); err != nil {
		return err
	}
	return command(ctx, []string{"DEBIAN_FRONTEND=noninteractive"}, "apt-get", append([]string{"install", "-qy", "--no-install-recommends"}, packages...)...)
}

// A program is something from npm that tests run.
type program struct {
	name  string
	fetch func(context.Context, func(string, ...any)) (any, error)
}

// fromNPM are the pinned releases of pi, the extension that is tested with the
// newest of them, oh-my-pi, OpenClaw, and the agents to which sessions are
// handed over.
func fromNPM() []program {
	type logger = func(string, ...any)
	list := []program{
		{"oh-my-pi " + omp.Version, func(ctx context.Context, say logger) (any, error) { return omp.Install(ctx, say) }},
		{"OpenClaw " + openclaw.Version, func(ctx context.Context, say logger) (any, error) { return openclaw.Install(ctx, say) }},
		{"pi-subagents", func(ctx context.Context, say logger) (any, error) { return pi.Subagents(ctx, say) }},
	}
	for _, v := range append(pi.Versions(), pi.V1_5_0) {
		list = append(list, program{"pi " + string(v), func(ctx context.Context, say logger) (any, error) { return pi.Install(ctx, v, say) }})
	}
	for _, name := range releases.Names() {
		list = append(list, program{name + " " + releases.Version(name), func(ctx context.Context, say logger) (any, error) {
			return releases.Install(ctx, name, say)
		}})
	}
	return list
}

// fetchPi fetches what comes from npm, some packages at a time: npm waits for
// the network.
func fetchPi(ctx context.Context) error {
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	list := fromNPM()
	errs := make([]error, len(list))
	places := make(chan struct{}, 3)
	var ready atomic.Int32
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			where, err := p.fetch(ctx, say)
			errs[i] = had(fmt.Sprintf("%d of %d, %s", ready.Add(1), len(list), p.name), where, err)
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// had prints where a requirement is. A missing one is an error only if nothing
// may be skipped.
func had(what string, where any, err error) error {
	switch {
	case err == nil:
		fmt.Printf("%s: %v\n", what, where)
	case strict():
		return err
	default:
		fmt.Println("going on without:", err)
	}
	return nil
}

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

func tidy(ctx context.Context) error { return command(ctx, nil, "go", "mod", "tidy", "-diff") }

// pure is the environment of a build without C. Vet, lint and build share it,
// so that everything is compiled once.
var pure = []string{"CGO_ENABLED=0"}

func vet(ctx context.Context) error { return command(ctx, pure, "go", "vet", "./...") }

func lint(ctx context.Context) error {
	_, version, _ := strings.Cut(linter, "@")
	bin, err := testcache.Folder(ctx, "staticcheck-"+version+"-"+runtime.Version(), func(ctx context.Context, bin string) error {
		return command(ctx, append([]string{"GOBIN=" + bin}, pure...), "go", "install", linter)
	})
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "staticcheck"), "./...")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Env = slices.Concat(os.Environ(), []string{fmt.Sprintf("GOGC=%d", collectLess)}, pure)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("staticcheck: %w", err)
	}
	return nil
}

// build compiles for one platform and type-checks the others, which takes
// seconds where compiling our dependencies takes minutes for each.
func build(ctx context.Context) error {
	if err := command(ctx, pure, "go", "build", "./..."); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(collectLess))
	read := newSources()
	errs := make([]error, len(foreign))
	places := make(chan struct{}, runtime.GOMAXPROCS(0)) // each takes some hundred megabytes
	var all sync.WaitGroup
	for i, p := range foreign {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			goos, arch, _ := strings.Cut(p, "/")
			if err := typecheck(ctx, read, goos, arch); err != nil {
				errs[i] = fmt.Errorf("%s: %w", p, err)
				return
			}
			fmt.Println(p, "has sound types")
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// cross compiles for all platforms, and vets their platform-specific files.
func cross(ctx context.Context) error {
	for _, p := range append([]string{native}, foreign...) {
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

// test runs the tests that need no race detector, in the build that was vetted.
func test(ctx context.Context) error {
	_, plain, err := planned(ctx)
	if err != nil {
		return err
	}
	return goTest(ctx, plain, pure)
}

// race runs the tests with concurrency. Without a C compiler there is no race
// detector, and they run like the others.
func race(ctx context.Context) error {
	raced, _, err := planned(ctx)
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		fmt.Println("no C compiler: running without the race detector")
		return goTest(ctx, []selection{raced}, pure)
	}
	return goTest(ctx, []selection{raced}, []string{"CGO_ENABLED=1"}, append([]string{"-race", "-short"}, unwatched...)...)
}

// unwatched are packages translated from C, in which the race detector finds
// nothing of ours. Excluding them saves a fifth of the work of the index tests.
var unwatched = []string{
	"-gcflags=modernc.org/sqlite/lib=-race=false " + noDebugger,
	"-gcflags=modernc.org/libc=-race=false " + noDebugger,
}

// noDebugger omits debug information, which traces of panics and races do not
// need. It is a quarter of the work of compiling.
const noDebugger = "-dwarf=false"

// collectLess lets a program use more memory, a gigabyte for the largest
// package, and collect garbage a quarter as often: another quarter of the work
// of compiling.
const collectLess = 400

// compileFast sets flags for every go command of this run, including those that
// tests start, so that nothing is compiled twice. Tested programs collect
// garbage as usual.
func compileFast(ctx context.Context) error {
	usual, err := exec.CommandContext(ctx, "go", "env", "GOFLAGS").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	flags := []string{strings.TrimSpace(string(usual)), "-gcflags=all=" + noDebugger}
	if _, err := exec.LookPath("env"); err == nil {
		flags = append(flags, fmt.Sprintf("'-toolexec=env GOGC=%d'", collectLess))
	}
	return os.Setenv("GOFLAGS", strings.TrimSpace(strings.Join(flags, " ")))
}

func planned(ctx context.Context) (raced selection, plain []selection, err error) {
	packages, err := modulePackages(ctx)
	if err != nil {
		return raced, nil, err
	}
	return plan(packages)
}

// goTest runs selections concurrently and counts their tests. Each tests as
// many packages at a time as there are processors: one that waits for programs
// leaves its processor to the others. All were vetted before.
func goTest(ctx context.Context, chosen []selection, env []string, flags ...string) error {
	out := &together{w: os.Stdout}
	errs, counts := make([]error, len(chosen)), make([]tally, len(chosen))
	places := strconv.Itoa(runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i, s := range chosen {
		args := []string{"test", "-json", "-vet=off", "-timeout", "40m", "-p", places, "-run", s.run, "-skip", s.skip}
		cmd := exec.CommandContext(ctx, "go", slices.Concat(args, flags, s.packages)...)
		cmd.Env = append(os.Environ(), env...)
		all.Go(func() { errs[i] = follow(cmd, out, &counts[i]) })
	}
	all.Wait()
	for _, c := range counts {
		tested.add(c)
	}
	return errors.Join(errs...)
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

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// tested is what the steps "test" and "race" of this run did.
var tested tally

// A tally counts the tests that go test ran. It does not count subtests.
type tally struct {
	packages, tests, failed int
	skipped                 []skip
	slow                    []slowTest
}

// A skip is a test or subtest that was skipped.
type skip struct{ name, why string }

// A slowTest is a test that took longer than slow.
type slowTest struct {
	name string
	took time.Duration
}

// slow is how long a test may take before it is named at the end: a few such
// tests decide how long everything takes.
const slow = 15 * time.Second

// slowest returns a line for each of the slowest tests, slowest first.
func (t *tally) slowest() string {
	slices.SortStableFunc(t.slow, func(a, b slowTest) int { return cmp.Compare(b.took, a.took) })
	var b strings.Builder
	for _, s := range t.slow[:min(len(t.slow), 20)] {
		fmt.Fprintf(&b, "%8s %s\n", s.took.Round(time.Second), s.name)
	}
	return b.String()
}

// summary returns the tally as the end of a line; "" if nothing was tested.
func (t *tally) summary() string {
	if t.packages == 0 {
		return ""
	}
	return fmt.Sprintf("; %d tests in %d packages, %d skipped", t.tests, t.packages, len(t.skipped))
}

// quiet is the time without output after which progress is printed.
const quiet = 20 * time.Second

// An event is a line of go test -json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

// follow runs go test -json. It prints a line for each package when it is done,
// and the whole output of failed tests and failed builds.
func follow(cmd *exec.Cmd, out io.Writer, count *tally) error {
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = out
	if err := cmd.Start(); err != nil {
		return err
	}
	report(stdout, out, count)
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go test: %w, %d tests failed", err, count.failed)
	}
	return nil
}

// report reads the events of go test.
func report(events io.Reader, out io.Writer, count *tally) {
	printed := map[string]*strings.Builder{} // by package and top-level test
	last := map[string]string{}              // the last line that each test has logged
	lines := bufio.NewScanner(events)
	lines.Buffer(nil, 64<<20)
	spoke := time.Now()
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			fmt.Fprintf(out, "%s\n", lines.Bytes()) // not from a test
			continue
		}
		top, _, inner := strings.Cut(e.Test, "/")
		key := e.Package + " " + top
		switch {
		case e.Action == "build-output":
			fmt.Fprint(out, e.Output)
		case e.Action == "output":
			if printed[key] == nil {
				printed[key] = &strings.Builder{}
			}
			printed[key].WriteString(e.Output)
			if said, ok := logged(e.Output); ok {
				last[e.Package+" "+e.Test] = said
			}
		case e.Test != "" && e.Action == "skip":
			count.skipped = append(count.skipped, skip{e.Package + " " + e.Test, last[e.Package+" "+e.Test]})
		case inner:
		case e.Test != "":
			count.test(e.Action)
			if took := time.Duration(e.Elapsed * float64(time.Second)); took > slow {
				count.slow = append(count.slow, slowTest{e.Package + " " + e.Test, took})
			}
			if time.Since(spoke) > quiet {
				spoke = time.Now()
				fmt.Fprintf(out, "     %d tests so far, now %s of %s\n", count.tests, top, e.Package)
			}
			if e.Action == "fail" && printed[key] != nil {
				fmt.Fprint(out, printed[key].String())
			}
			if e.Action != "run" && e.Action != "pause" && e.Action != "cont" {
				delete(printed, key)
			}
		case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
			count.pack(out, e, printed[key])
			delete(printed, key)
			spoke = time.Now()
		}
	}
}

// logged returns what a test logged, without file and line.
func logged(output string) (said string, ok bool) {
	if _, rest, found := strings.Cut(output, ".go:"); found {
		_, said, ok = strings.Cut(rest, ": ")
	}
	return strings.TrimSpace(said), ok
}

func (t *tally) test(action string) {
	switch action {
	case "pass":
		t.tests++
	case "fail":
		t.tests++
		t.failed++
	}
}

// pack ends a package. If it failed, pack prints its output outside of tests: a
// panic, or a timeout.
func (t *tally) pack(out io.Writer, e event, printed *strings.Builder) {
	if e.Action == "skip" {
		return // it has no tests
	}
	t.packages++
	word, cached := "ok  ", ""
	if e.Action == "fail" {
		word = "FAIL"
	}
	if printed != nil {
		if strings.Contains(printed.String(), "(cached)") {
			cached = " (cached)"
		}
		if e.Action == "fail" {
			fmt.Fprint(out, printed.String())
		}
	}
	fmt.Fprintf(out, "%s %s %.1fs%s\n", word, e.Package, e.Elapsed, cached)
}

// A source is a package with the files of one platform.
type source struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

// modulePackages returns the packages of this module, those first whose tests
// take longest, so that none of them is left at the end.
func modulePackages(ctx context.Context) ([]source, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []source
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p source
		if err := d.Decode(&p); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
	rank := func(p source) int {
		if i := slices.Index(longest, strings.TrimPrefix(p.ImportPath, module)); i >= 0 {
			return i
		}
		return len(longest)
	}
	slices.SortStableFunc(packages, func(a, b source) int { return cmp.Compare(rank(a), rank(b)) })
	return packages, nil
}

const module = "github.com/pith-sessions/pith/"

// longest are the packages whose tests take longest, in that order.
var longest = []string{
	"tests/conformance", "export", "cmd/pith/internal/webui", "cmd/pith/internal/cli", "doctor", "catalog/search", "store/pgstore",
}

// goTest tests packages and counts their tests. The packages were vetted. Twice
// as many as there are processors run at a time, since tests wait for programs.
func goTest(ctx context.Context, packages []source, env []string, flags ...string) error {
	args := append([]string{"test", "-json", "-vet=off", "-timeout", "40m", "-p", strconv.Itoa(2 * runtime.GOMAXPROCS(0))}, flags...)
	for _, p := range packages {
		args = append(args, p.ImportPath)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	return follow(cmd, os.Stdout, &tested)
}

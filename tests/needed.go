package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/pith-sessions/pith/tests/interop/omp"
	"github.com/pith-sessions/pith/tests/interop/openclaw"
	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/interop/releases"
	"github.com/pith-sessions/pith/tests/tools"
)

// strict reports whether nothing may be left out.
func strict() bool { return os.Getenv("CI") == "true" }

// missing is what this run does without, by reason.
var missing struct {
	sync.Mutex
	uses map[string][]string
}

// without notes that something is left out. It is an error if nothing may be.
func without(what string, why error) error {
	if strict() {
		return fmt.Errorf("%s: %w", what, why)
	}
	missing.Lock()
	defer missing.Unlock()
	if missing.uses == nil {
		missing.uses = map[string][]string{}
	}
	missing.uses[why.Error()] = append(missing.uses[why.Error()], what)
	fmt.Printf("going on without %s: %v\n", what, why)
	return nil
}

// leftOut describes by reason what was not done: what this run did without, and
// the skipped tests.
func leftOut(skipped []skip) string {
	uses := missing.uses
	tests := map[string][]string{}
	for _, s := range skipped {
		why, _, _ := strings.Cut(s.why, tools.For)
		tests[why] = append(tests[why], strings.TrimPrefix(s.name, module))
	}
	reasons := slices.Compact(slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(uses)), slices.Collect(maps.Keys(tests))))))
	if len(reasons) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("== left out:\n")
	for _, why := range reasons {
		names := slices.Clone(uses[why])
		if some := tests[why]; len(some) < 4 || strict() {
			names = append(names, some...)
		} else {
			names = append(names, fmt.Sprintf("%d tests", len(some)))
		}
		fmt.Fprintf(&b, "   %s (%s)\n", why, strings.Join(names, ", "))
	}
	return b.String()
}

// needed finds the programs that tests run. As root on Debian, it installs
// those that are missing.
func needed(ctx context.Context) error { return have(ctx, tools.All) }

func have(ctx context.Context, all []tools.Tool) error {
	var packages []string
	for _, t := range all {
		if _, err := t.Find(); err != nil {
			packages = append(packages, t.Debian...)
		}
	}
	if len(packages) > 0 {
		if err := install(ctx, packages); err != nil {
			fmt.Println("apt-get:", err)
		}
	}
	var errs []error
	for _, t := range all {
		path, err := t.Find()
		if err != nil {
			err = without(t.Use, err)
		} else {
			fmt.Printf("%s: %s\n", t.Name, path)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// install installs Debian packages, if this is Debian and we are root.
func install(ctx context.Context, packages []string) error {
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return nil
	}
	fmt.Println("installing", strings.Join(packages, " "))
	brief := []string{"-q", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20", "-o", "Acquire::https::Timeout=20"}
	if err := command(ctx, nil, "apt-get", append(brief, "update")...); err != nil {
		return err
	}
	return command(ctx, []string{"DEBIAN_FRONTEND=noninteractive"}, "apt-get", slices.Concat(brief, []string{"install", "-y", "--no-install-recommends"}, packages)...)
}

// A program is something from npm that tests run.
type program struct {
	name  string
	fetch func(context.Context, func(string, ...any)) (any, error)
}

// fromNPM are the pinned releases of pi, the extension that is tested with the
// newest of them, other agents, and what the browser and MCP tests need.
func fromNPM() []program {
	type logger = func(string, ...any)
	list := []program{
		{"oh-my-pi " + omp.Version, func(ctx context.Context, say logger) (any, error) { return omp.Install(ctx, say) }},
		{"OpenClaw " + openclaw.Version, func(ctx context.Context, say logger) (any, error) { return openclaw.Install(ctx, say) }},
		{"pi-subagents", func(ctx context.Context, say logger) (any, error) { return pi.Subagents(ctx, say) }},
	}
	for _, v := range append(pi.Versions(), pi.V1_5_2) {
		list = append(list, program{"pi " + string(v), func(ctx context.Context, say logger) (any, error) { return pi.Install(ctx, v, say) }})
	}
	for _, name := range releases.All() {
		list = append(list, program{name + " " + releases.Version(name), func(ctx context.Context, say logger) (any, error) {
			return releases.Install(ctx, name, say)
		}})
	}
	for _, name := range releases.Packages() {
		list = append(list, program{name, func(ctx context.Context, say logger) (any, error) { return releases.Package(ctx, name, say) }})
	}
	return list
}

// fetch fetches what comes from npm, some packages at a time: npm waits for the
// network. If the registry does not answer, the tests are told.
func fetch(ctx context.Context) error {
	say := func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
	list := fromNPM()
	errs := make([]error, len(list))
	places := make(chan struct{}, 3)
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			_, errs[i] = p.fetch(ctx, say)
		})
	}
	all.Wait()
	if err := errors.Join(errs...); errors.Is(err, pi.ErrOffline) {
		if err := os.Setenv(pi.Offline, "1"); err != nil {
			return err
		}
	}
	lacks := map[string][]string{}
	for i, p := range list {
		if _, said := errors.AsType[*tools.MissingError](errs[i]); errs[i] != nil && !said {
			lacks[errs[i].Error()] = append(lacks[errs[i].Error()], p.name)
		}
	}
	var refused []error
	for why, names := range lacks {
		refused = append(refused, without(strings.Join(names, ", "), errors.New(why)))
	}
	there := len(list) - len(slices.DeleteFunc(errs, func(err error) bool { return err == nil }))
	fmt.Printf("%d of %d programs from npm are there\n", there, len(list))
	return errors.Join(refused...)
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

const gremlins = "github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0"

// goCommand replaces the go command for gremlins, which takes a change that
// does not compile for one that a test noticed: "go test" exits with 1 for
// both, where gremlins expects 2 for the former. It also limits the memory of a
// change that allocates without end.
const goCommand = `#!/bin/sh
ulimit -v 8000000
said=$(%q "$@" 2>&1)
status=$?
echo "$said"
case $said in *'[build failed]'* | *'[setup failed]'*) exit 2 ;; esac
exit $status
`

type options struct {
	workers  int
	patience int
}

// try makes the changes of a package, or of one of its files, one by one.
func try(ctx context.Context, o options, path string) (tally, error) {
	dir, excluded := path, []string{"--exclude-files", "/"} // packages below it
	if filepath.Ext(path) == ".go" {
		dir = filepath.Dir(path)
		others, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, other := range others {
			if name := filepath.Base(other); name != filepath.Base(path) {
				excluded = append(excluded, "--exclude-files", "^"+regexp.QuoteMeta(name)+"$")
			}
		}
	}
	work, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	module, bin, result := filepath.Join(work, "module"), filepath.Join(work, "bin"), filepath.Join(work, "result.json")
	if err := copyModule(ctx, module, dir); err != nil {
		return nil, err
	}
	realGo, err := exec.LookPath("go")
	if err != nil {
		return nil, err
	}
	install := exec.CommandContext(ctx, realGo, "install", gremlins)
	install.Env, install.Stderr = append(os.Environ(), "GOBIN="+bin), os.Stderr
	if err := install.Run(); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(bin, "go"), fmt.Appendf(nil, goCommand, realGo), 0o755); err != nil {
		return nil, err
	}
	args := []string{"unleash", "--workers", strconv.Itoa(o.workers), "--timeout-coefficient", strconv.Itoa(o.patience), "--output-statuses", "lct", "--output", result}
	c := exec.CommandContext(ctx, filepath.Join(bin, "gremlins"), slices.Concat(args, excluded, []string{"./" + dir})...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) } // it cleans up
	c.Dir, c.Stdout, c.Stderr = module, os.Stderr, os.Stderr
	// A cached run would make the usual time of the tests zero, and vet is not
	// a test.
	c.Env = append(os.Environ(), "GOFLAGS=-trimpath -count=1 -vet=off", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := c.Run(); err != nil {
		return nil, err
	}
	return read(result)
}

func read(file string) (tally, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var report struct {
		Files []struct {
			Mutations []struct {
				Status string `json:"status"`
			} `json:"mutations"`
		} `json:"files"`
	}
	if err := json.Unmarshal(data, &report); err != nil {
		return nil, err
	}
	t := tally{}
	for _, f := range report.Files {
		for _, m := range f.Mutations {
			t[m.Status]++
		}
	}
	return t, nil
}

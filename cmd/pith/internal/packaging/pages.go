package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra/doc"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/firststeps"
	"github.com/pith-sessions/pith/internal/page"
)

// manual writes a page for every command.
func manual(dir string, date time.Time) error {
	dir = filepath.Join(dir, "man")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := cli.Root()
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "pith", Manual: "pith", Date: &date}, dir)
}

func completions(dir string) error {
	dir = filepath.Join(dir, "completions")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := cli.Root()
	var errs []error
	for name, generate := range map[string]func(io.Writer) error{
		"pith.bash": func(w io.Writer) error { return firststeps.BashCompletion(root, w) },
		"_pith":     root.GenZshCompletion,
		"pith.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
		"pith.ps1":  root.GenPowerShellCompletionWithDesc,
	} {
		var text bytes.Buffer
		errs = append(errs, generate(&text), os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o644))
	}
	return errors.Join(errs...)
}

// platforms are the platforms that pith is released for.
var platforms = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64", "freebsd/amd64"}

// linked returns the modules of the command on all platforms: the name and the
// directory of each, starting with Go itself.
func linked() (map[string]string, error) {
	modules := map[string]string{}
	for _, p := range platforms {
		goos, arch, _ := strings.Cut(p, "/")
		cmd := exec.Command("go", "list", "-deps", "-f", `{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}`, "./cmd/pith")
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				modules[name] = dir
			}
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	modules["Go, its runtime and standard library "+runtime.Version()] = strings.TrimSpace(string(goroot))
	return modules, nil
}

// licenses writes the license of everything that is linked to one file, as most
// of them demand. A module without a license is an error: it must not be shipped.
func licenses(dir string) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	text := []byte("pith contains the following software, each part under its own license.\n")
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		var files []string
		for _, pattern := range []string{"[Ll][Ii][Cc][Ee][Nn]*", "COPYING*", "NOTICE*"} {
			found, err := filepath.Glob(filepath.Join(modules[m], pattern))
			if err != nil {
				return err
			}
			files = append(files, found...)
		}
		if len(files) == 0 {
			return fmt.Errorf("%s has no license", m)
		}
		for _, file := range files {
			words, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			line := strings.Repeat("=", 80)
			text = fmt.Appendf(text, "\n%s\n%s: %s\n%s\n\n%s\n", line, m, filepath.Base(file), line, bytes.TrimSpace(words))
		}
	}
	line := strings.Repeat("=", 80)
	text = fmt.Appendf(text, "\n%s\nInter, the font of the pages: OFL.txt\n%s\n\n%s\n", line, line, strings.TrimSpace(page.FontLicense))
	return os.WriteFile(filepath.Join(dir, "THIRD_PARTY_LICENSES"), text, 0o644)
}

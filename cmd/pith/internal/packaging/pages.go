package main

import (
	"bytes"
	"encoding/json"
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
		"pith.bash": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
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

// A module is a module linked into a binary.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// linked returns the modules of the command on all platforms, sorted by name.
func linked() ([]module, error) {
	byPath := map[string]module{}
	for _, p := range platforms {
		goos, arch, _ := strings.Cut(p, "/")
		cmd := exec.Command("go", "list", "-deps", "-json=Module", "./cmd/pith")
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+arch, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for d := json.NewDecoder(bytes.NewReader(out)); ; {
			var p struct{ Module *module }
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("go list: %w", err)
			}
			if p.Module != nil && !p.Module.Main {
				byPath[p.Module.Path] = *p.Module
			}
		}
	}
	return slices.SortedFunc(maps.Values(byPath), func(a, b module) int { return strings.Compare(a.Path, b.Path) }), nil
}

// licences writes the license of everything that is linked to one file. A
// module without a license is an error: it must not be shipped.
func licences(dir string) error {
	modules, err := linked()
	if err != nil {
		return err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	modules = append([]module{{Path: "Go, its runtime and standard library", Version: runtime.Version(), Dir: strings.TrimSpace(string(goroot))}}, modules...)
	var text bytes.Buffer
	fmt.Fprintf(&text, "pith contains the following software, each part under its own license.\n")
	for _, m := range modules {
		found := false
		files, err := os.ReadDir(m.Dir)
		if err != nil {
			return err
		}
		for _, f := range files {
			name := strings.ToUpper(f.Name())
			if f.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") {
				continue
			}
			words, err := os.ReadFile(filepath.Join(m.Dir, f.Name()))
			if err != nil {
				return err
			}
			found = found || !strings.HasPrefix(name, "NOTICE")
			line := strings.Repeat("=", 80)
			fmt.Fprintf(&text, "\n%s\n%s %s: %s\n%s\n\n%s\n", line, m.Path, m.Version, f.Name(), line, bytes.TrimSpace(words))
		}
		if !found {
			return fmt.Errorf("%s %s has no license", m.Path, m.Version)
		}
	}
	return os.WriteFile(filepath.Join(dir, "THIRD_PARTY_LICENSES"), text.Bytes(), 0o644)
}

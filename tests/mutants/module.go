package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copyModule copies the module of the working directory: the Go files from
// which the package in dir and its tests are built on this platform, and all
// other files in git.
func copyModule(ctx context.Context, to, dir string) error {
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	built, err := sources(ctx, dir)
	if err != nil {
		return err
	}
	known, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(known), "\x00"), "\x00") {
		if filepath.Ext(name) == ".go" && !strings.Contains(name, "testdata/") && !built[filepath.Join(root, name)] {
			continue
		}
		if err := copyFile(filepath.Join(to, name), name); err != nil {
			return err
		}
	}
	return nil
}

// sources returns the Go files of this module from which the package in dir and
// its tests are built.
func sources(ctx context.Context, dir string) (map[string]bool, error) {
	c := exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-json=Dir,Standard,GoFiles", "./"+dir)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	files := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Dir      string
			Standard bool
			GoFiles  []string // of the package as it is compiled for the test, tests included
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return files, nil
		} else if err != nil {
			return nil, err
		}
		if p.Standard {
			continue
		}
		for _, f := range p.GoFiles {
			files[filepath.Join(p.Dir, f)] = true
		}
	}
}

func copyFile(to, from string) error {
	info, err := os.Stat(from)
	if err != nil || info.IsDir() {
		return err
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}

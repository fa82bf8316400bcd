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
	files := map[string]bool{}
	for _, args := range [][]string{{"-deps", "-test"}, nil} {
		c := exec.CommandContext(ctx, "go", append(append([]string{"list", "-json=Dir,Standard,GoFiles,TestGoFiles,XTestGoFiles"}, args...), "./"+dir)...)
		c.Stderr = os.Stderr
		out, err := c.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
			var p struct {
				Dir                                string
				Standard                           bool
				GoFiles, TestGoFiles, XTestGoFiles []string
			}
			if err := dec.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, err
			}
			if p.Standard {
				continue
			}
			own := p.GoFiles
			if args == nil {
				own = append(append(own, p.TestGoFiles...), p.XTestGoFiles...)
			}
			for _, f := range own {
				files[filepath.Join(p.Dir, f)] = true
			}
		}
	}
	return files, nil
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

package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const (
	npmName  = "pith"
	npmScope = "@pith-sessions/"
)

// npmStart is the script that npm links as the command: it starts the binary of the package for
// this platform, which npm installed as an optional dependency. Nothing runs at
// installation.
//
//go:embed npm/pith.js
var npmStart []byte

// npm's names for systems and processors.
var (
	npmOS  = map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32", "freebsd": "freebsd"}
	npmCPU = map[string]string{"amd64": "x64", "arm64": "arm64"}
)

// An artifact is an element of goreleaser's list of artifacts.
type artifact struct{ Path, Goos, Goarch, Type string }

type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Licence     string            `json:"license"`
	Repository  string            `json:"repository"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Files       []string          `json:"files"`
	Engines     map[string]string `json:"engines,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
}

func newManifest(name, version string) manifest {
	return manifest{
		Name: name, Version: version, Licence: "MIT", Repository: "github:pith-sessions/pith",
		Description: "Search, branch, repair and share coding-agent sessions",
	}
}

// npm writes a package for each platform and the one that people install, each
// to its own directory in dir.
func npm(dist, dir string) error {
	var artifacts []artifact
	var about struct{ Version string }
	if err := errors.Join(read(filepath.Join(dist, "artifacts.json"), &artifacts), read(filepath.Join(dist, "metadata.json"), &about)); err != nil {
		return err
	}
	version := about.Version
	main := newManifest(npmName, version)
	main.Bin, main.Files = map[string]string{"pith": "bin/pith.js"}, []string{"bin"}
	main.Engines = map[string]string{"node": ">=18"}
	main.Optional = map[string]string{}
	for _, a := range artifacts {
		if a.Type != "Binary" {
			continue
		}
		system, cpu := npmOS[a.Goos], npmCPU[a.Goarch]
		if system == "" || cpu == "" {
			return fmt.Errorf("npm has no name for %s/%s", a.Goos, a.Goarch)
		}
		name := system + "-" + cpu
		m := newManifest(npmScope+name, version)
		m.OS, m.CPU, m.Files = []string{system}, []string{cpu}, []string{"bin"}
		file := "pith"
		if a.Goos == "windows" {
			file = "pith.exe"
		}
		binary, err := os.ReadFile(a.Path)
		if err != nil {
			return err
		}
		if err := npmPackage(filepath.Join(dir, name), m, file, binary); err != nil {
			return err
		}
		main.Optional[m.Name] = version
	}
	if len(main.Optional) == 0 {
		return errors.New("artifacts.json names no binaries")
	}
	return npmPackage(filepath.Join(dir, npmName), main, "pith.js", npmStart)
}

func read(file string, v any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

func npmPackage(dir string, m manifest, file string, program []byte) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return err
	}
	return errors.Join(
		os.MkdirAll(filepath.Join(dir, "bin"), 0o755),
		os.WriteFile(filepath.Join(dir, "package.json"), append(text, '\n'), 0o644),
		os.WriteFile(filepath.Join(dir, "LICENSE"), licence, 0o644),
		os.WriteFile(filepath.Join(dir, "bin", file), program, 0o755),
	)
}

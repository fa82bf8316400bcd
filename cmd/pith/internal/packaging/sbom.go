package main

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"strings"
)

// A component is a part of a binary, in the terms of CycloneDX.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

func newComponent(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + version
	return component{kind, purl, path, version, purl}
}

// sbom writes the components of a binary from its build information. It writes
// no serial number and no time, so that the same binary gives the same bytes.
func sbom(binary, file string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	parts := []component{newComponent("library", "std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, newComponent("library", m.Path, m.Version))
	}
	text, err := json.MarshalIndent(map[string]any{
		"bomFormat":   "CycloneDX",
		"specVersion": "1.6",
		"version":     1,
		"metadata":    map[string]any{"component": newComponent("application", info.Main.Path, info.Main.Version)},
		"components":  parts,
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

// Package releases installs other coding agents from npm for tests: Claude
// Code, Codex, OpenCode, Gemini CLI, Qwen Code, Copilot CLI and Kimi Code, in
// pinned releases.
//
// It imports nothing of pith's library. The test command imports it, and so
// starts without compiling the library.
package releases

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/tests/interop/pi"
	"github.com/pith-sessions/pith/tests/tools"
)

// packages are other npm packages that tests read or run.
var packages = map[string]string{
	"axe-core":                        "4.14.0",
	"@modelcontextprotocol/inspector": "2.12.0",
	"@modelcontextprotocol/sdk":       "1.32.2",
}

// Packages returns the names of npm packages for Package.
func Packages() []string { return slices.Sorted(maps.Keys(packages)) }

// Package makes an npm package available in the test cache and returns its
// directory.
func Package(ctx context.Context, name string, logf func(format string, args ...any)) (string, error) {
	return pi.Fetch(ctx, name, packages[name], logf)
}

// RequirePackage returns the directory of an npm package, or skips the test.
func RequirePackage(t interface {
	tools.Test
	Context() context.Context
	Logf(string, ...any)
}, name string) string {
	t.Helper()
	dir, err := Package(t.Context(), name, t.Logf)
	tools.Need(t, name, err)
	return dir
}

type release struct {
	pkg, version, bin string
	// native is a pattern of the program's binary, if the package has a script
	// that installs it.
	native string
}

var releases = map[string]release{
	"claude":   {pkg: "@anthropic-ai/claude-code", version: "2.1.328", bin: "claude", native: "@anthropic-ai/claude-code-*/claude"},
	"codex":    {pkg: "@openai/codex", version: "0.169.0", bin: "codex"},
	"opencode": {pkg: "opencode-ai", version: "1.18.33", bin: "opencode", native: "opencode-*/bin/opencode"},
	"gemini":   {pkg: "@google/gemini-cli", version: "0.61.0", bin: "gemini"},
	"qwen":     {pkg: "@qwen-code/qwen-code", version: "0.24.4", bin: "qwen"},
	"copilot":  {pkg: "@github/copilot", version: "1.0.102", bin: "copilot"},
	"kimi":     {pkg: "@moonshot-ai/kimi-code", version: "2.1.0", bin: "kimi"},
}

// All returns the programs that can be installed.
func All() []string { return slices.Sorted(maps.Keys(releases)) }

// Names returns the programs whose edits are recorded in tests/agents.
func Names() []string { return []string{"claude", "codex", "opencode", "gemini"} }

// Version returns the pinned release of a program.
func Version(name string) string { return releases[name].version }

// Install makes a program available in the test cache and returns its path.
func Install(ctx context.Context, name string, logf func(format string, args ...any)) (string, error) {
	p := releases[name]
	dir, err := pi.Fetch(ctx, p.pkg, p.version, logf)
	if err != nil {
		return "", err
	}
	modules := dir[:strings.LastIndex(dir, "node_modules")+len("node_modules")]
	if p.native == "" {
		return filepath.Join(modules, ".bin", p.bin), nil
	}
	// The package's script would choose among the binaries that npm installed.
	found, err := filepath.Glob(filepath.Join(modules, filepath.FromSlash(p.native)))
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("there is no %s for this system", name)
	}
	if err != nil {
		return "", err
	}
	return found[len(found)-1], os.Chmod(found[len(found)-1], 0o755)
}

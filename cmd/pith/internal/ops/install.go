package ops

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops/configfile"
	"github.com/pith-sessions/pith/integrations/pi"
	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/sessiondir"
	"github.com/pith-sessions/pith/store/filestore"
)

// client describes how to add the MCP server and the hook to an agent.
type client struct {
	name   string
	server func(e sessiondir.Environment) string // its configuration
	table  string                                // of TOML; "" means JSON
	path   []string                              // of the servers in JSON
	entry  func(program string, args []string) any
	// comments says that the program takes comments in its JSON.
	comments bool
	// hooks is the configuration of hooks, and events those that recall sessions.
	hooks  func(e sessiondir.Environment) string
	events []hookEvent
	// extension is the directory for an extension that finds, lists and recalls
	// sessions. Such an agent knows no servers of its own: server is the configuration
	// of an adapter, which is changed if it exists.
	extension func(e sessiondir.Environment) string
}

// A hookEvent is what a hook is called for, if it matches.
type hookEvent struct{ name, matcher string }

// recalls reports whether an agent can get earlier sessions with a prompt.
func (c *client) recalls() bool { return c.hooks != nil || c.extension != nil }

// in returns a file in the directory that a variable names, or below the home.
func in(variable, home, file string) func(sessiondir.Environment) string {
	return func(e sessiondir.Environment) string {
		return filepath.Join(cmp.Or(e.Getenv(variable), filepath.Join(e.Home, filepath.FromSlash(home))), filepath.FromSlash(file))
	}
}

func plainEntry(program string, args []string) any {
	return map[string]any{"command": program, "args": args}
}

var mcpServers = []string{"mcpServers"}

// clients are the agents into whose configuration Install writes.
var clients = []client{
	{name: "claude", server: claudeConfig, path: mcpServers, entry: plainEntry,
		hooks: in("CLAUDE_CONFIG_DIR", ".claude", "settings.json"), events: []hookEvent{{"UserPromptSubmit", ""}, {"SessionStart", "clear|compact"}}},
	{name: "codex", server: in("CODEX_HOME", ".codex", "config.toml"), table: "mcp_servers",
		hooks: in("CODEX_HOME", ".codex", "hooks.json"), events: []hookEvent{{"UserPromptSubmit", ""}}},
	{name: "opencode", server: opencodeConfig, path: []string{"mcp"}, comments: true, entry: func(program string, args []string) any {
		return map[string]any{"type": "local", "command": append([]string{program}, args...), "enabled": true}
	}},
	{name: "gemini", server: in("GEMINI_CLI_HOME", "", ".gemini/settings.json"), path: mcpServers, entry: plainEntry, comments: true,
		hooks: in("GEMINI_CLI_HOME", "", ".gemini/settings.json"), events: []hookEvent{{"BeforeAgent", ""}}},
	{name: "qwen", server: in("", ".qwen", "settings.json"), path: mcpServers, entry: plainEntry, comments: true,
		hooks: in("", ".qwen", "settings.json"), events: []hookEvent{{"UserPromptSubmit", ""}}},
	{name: "copilot", server: in("COPILOT_HOME", ".copilot", "mcp-config.json"), path: mcpServers, entry: func(program string, args []string) any {
		return map[string]any{"type": "local", "command": program, "args": args, "tools": []string{"*"}}
	}},
	{name: "kimi", server: in("KIMI_CODE_HOME", ".kimi-code", "mcp.json"), path: mcpServers, entry: plainEntry},
	{name: "pi", server: in("PI_CODING_AGENT_DIR", ".pi/agent", "mcp.json"), path: mcpServers, entry: plainEntry,
		extension: in("PI_CODING_AGENT_DIR", ".pi/agent", "extensions/pith")},
	{name: "cursor", server: in("", ".cursor", "mcp.json"), path: mcpServers, entry: plainEntry},
}

// Clients returns the names of the agents that Install knows.
func Clients() (names []string) {
	for i := range clients {
		names = append(names, clients[i].name)
	}
	return names
}

// claudeConfig is a file next to ~/.claude, or in the directory of CLAUDE_CONFIG_DIR.
func claudeConfig(e sessiondir.Environment) string {
	return filepath.Join(cmp.Or(e.Getenv("CLAUDE_CONFIG_DIR"), e.Home), ".claude.json")
}

// opencodeConfig is the one of its configurations that exists.
func opencodeConfig(e sessiondir.Environment) string {
	dir := filepath.Join(cmp.Or(e.Getenv("XDG_CONFIG_HOME"), filepath.Join(e.Home, ".config")), "opencode")
	for _, name := range []string{"opencode.jsonc", "opencode.json"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return filepath.Join(dir, "opencode.json")
}

// InstallParams say what is written into the configuration of an agent.
type InstallParams struct {
	Agent       string // one of Clients
	Environment sessiondir.Environment
	Program     string   // path of pith
	Arguments   []string // with which the agent starts the server
	Recall      bool     // also the hook
	Remove      bool     // the server and the hook go
	// Trash receives the files that are replaced.
	Trash trash.Options
	// Agree is shown the plan before anything changes. An error ends Install.
	Agree func(ctx context.Context, plan *Installed) error
}

// An Installed is the plan and the outcome of Install.
type Installed struct {
	Files []ConfigChange // those that change
}

// A ConfigChange is a change of a configuration file.
type ConfigChange struct {
	Path          string
	Before, After []byte // nil if the file does not exist
	Done          bool
	Trash         string // the item with the backup; "" if there was no file
}

// Patch returns the difference.
func (c *ConfigChange) Patch() []byte { return diff.Diff(c.Path, c.Before, c.Path, c.After) }

// Errors of configuration files.
var (
	ErrConfigLink = errors.New("is reached through a symbolic link")
	ErrReadOnly   = fmt.Errorf("is read-only: %w", fs.ErrPermission)
)

// A ConfigError says why a configuration file cannot be changed.
type ConfigError struct {
	Path string
	Err  error
}

func (e *ConfigError) Error() string { return e.Path + " " + e.Err.Error() }
func (e *ConfigError) Unwrap() error { return e.Err }

// An UnknownAgentError means that Install does not know an agent.
type UnknownAgentError struct{ Agent string }

func (e *UnknownAgentError) Error() string {
	return fmt.Sprintf("unknown agent %q; use %s", e.Agent, strings.Join(Clients(), ", "))
}

// A NoHookError means that an agent has no hook that adds context.
type NoHookError struct{ Agent string }

func (e *NoHookError) Error() string {
	var names []string
	for i := range clients {
		if clients[i].recalls() {
			names = append(names, clients[i].name)
		}
	}
	return fmt.Sprintf("%s has no hook that adds context; %s have one", e.Agent, strings.Join(names, ", "))
}

// Install writes pith's MCP server into the configuration of an agent, and with Recall
// a hook that runs pith recall --hook; or removes both. An agent with extensions gets
// pith's own instead. Nothing else in the files
// changes. A file that is a symbolic link, read-only or not valid is refused, and then
// none changes.
func Install(ctx context.Context, p InstallParams) (*Installed, error) {
	c, err := clientOf(p.Agent, p.Recall)
	if err != nil {
		return nil, err
	}
	r, err := c.plan(&p, func(path string) ([]byte, error) { return readConfig(path, p.Environment.Home) })
	if err != nil {
		return r, err
	}
	if err := p.Agree(ctx, r); err != nil {
		return r, err
	}
	for i := range r.Files {
		if err := r.Files[i].write(ctx, &p); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Snippets returns what Install writes into configurations that do not exist yet.
func Snippets(p InstallParams) (*Installed, error) {
	c, err := clientOf(p.Agent, p.Recall)
	if err != nil {
		return nil, err
	}
	return c.plan(&p, func(string) ([]byte, error) { return nil, nil })
}

// plan returns the changes of configurations that read returns.
func (c *client) plan(p *InstallParams, read func(path string) ([]byte, error)) (*Installed, error) {
	type edit struct {
		path   string
		change func(text []byte, p *InstallParams) ([]byte, error)
	}
	var edits []edit
	if c.extension == nil || exists(c.server(p.Environment)) {
		edits = append(edits, edit{c.server(p.Environment), c.withServer})
	}
	if c.extension != nil {
		dir := c.extension(p.Environment)
		edits = append(edits, edit{filepath.Join(dir, "index.ts"), whole(pi.Extension)}, edit{filepath.Join(dir, "package.json"), whole(pi.Package)},
			edit{filepath.Join(dir, "pith.json"), extensionSettings})
	}
	if c.hooks != nil && (p.Recall || p.Remove) {
		edits = append(edits, edit{c.hooks(p.Environment), c.withHook})
	}
	r := &Installed{}
	for _, e := range edits {
		i := slices.IndexFunc(r.Files, func(f ConfigChange) bool { return f.Path == e.path })
		if i < 0 {
			text, err := read(e.path)
			if err != nil {
				return r, err
			}
			i = len(r.Files)
			r.Files = append(r.Files, ConfigChange{Path: e.path, Before: text, After: text})
		}
		after, err := e.change(r.Files[i].After, p)
		if err != nil {
			return r, &ConfigError{e.path, err}
		}
		r.Files[i].After = after
	}
	r.Files = slices.DeleteFunc(r.Files, func(f ConfigChange) bool {
		return bytes.Equal(f.Before, f.After) && (f.Before == nil) == (f.After == nil)
	})
	return r, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// whole returns a change to a file that is pith's own.
func whole(content []byte) func([]byte, *InstallParams) ([]byte, error) {
	return func(_ []byte, p *InstallParams) ([]byte, error) {
		if p.Remove {
			return nil, nil
		}
		return content, nil
	}
}

// extensionSettings returns what the extension reads. Recall stays once it is on.
func extensionSettings(text []byte, p *InstallParams) ([]byte, error) {
	if p.Remove {
		return nil, nil
	}
	var s struct {
		Command string `json:"command"`
		Recall  bool   `json:"recall"`
	}
	_ = json.Unmarshal(text, &s) // a damaged file is written again
	s.Command, s.Recall = p.Program, s.Recall || p.Recall
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

func clientOf(name string, recall bool) (*client, error) {
	i := slices.IndexFunc(clients, func(c client) bool { return c.name == name })
	switch {
	case i < 0:
		return nil, &UnknownAgentError{name}
	case recall && !clients[i].recalls():
		return nil, &NoHookError{name}
	}
	return &clients[i], nil
}

// readConfig reads a configuration that may be changed; nil if there is none.
func readConfig(path, home string) ([]byte, error) {
	refuse := func(err error) ([]byte, error) { return nil, &ConfigError{path, err} }
	if linked(path, home) {
		return refuse(ErrConfigLink)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return refuse(errors.New("is not a regular file"))
	case info.Mode().Perm()&0o200 == 0:
		return refuse(ErrReadOnly)
	}
	text, err := os.ReadFile(path)
	if text == nil && err == nil {
		text = []byte{}
	}
	return text, err
}

// linked reports whether a file, or a directory above it in the home, is a symbolic link.
func linked(path, home string) bool {
	for at := path; at != filepath.Dir(at) && at != filepath.Clean(home); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return true
		}
		if rel, err := filepath.Rel(home, at); home == "" || err != nil || !filepath.IsLocal(rel) {
			return false // it is elsewhere: only the file itself counts
		}
	}
	return false
}

const serverName = "pith"

// withServer returns a configuration with the server, or without it.
func (c *client) withServer(text []byte, p *InstallParams) ([]byte, error) {
	if c.table != "" {
		if p.Remove && len(text) == 0 {
			return text, nil
		}
		var lines []string
		if !p.Remove {
			command, _ := json.Marshal(p.Program) // strings always encode
			args, _ := json.Marshal(p.Arguments)
			lines = []string{"command = " + string(command), "args = " + string(args)}
		}
		return configfile.SetTable(text, c.table+"."+serverName, lines)
	}
	return c.edit(text, p, func(f *configfile.JSON) error {
		path := append(slices.Clone(c.path), serverName)
		if p.Remove {
			return f.Remove(path...)
		}
		return f.Set(c.entry(p.Program, p.Arguments), path...)
	})
}

// hookWords are the arguments of pith in the hook's command.
const hookWords = "recall --hook"

// withHook returns a configuration with the hook for each event, or without it.
func (c *client) withHook(text []byte, p *InstallParams) ([]byte, error) {
	command := p.Program
	if strings.ContainsAny(command, " \t'\"$&;()\\") && runtime.GOOS != "windows" {
		command = "'" + strings.ReplaceAll(command, "'", `'\''`) + "'"
	}
	command += " " + hookWords
	ours := func(raw []byte) bool {
		var g struct{ Hooks []struct{ Command string } }
		return json.Unmarshal(raw, &g) == nil && len(g.Hooks) == 1 && strings.HasSuffix(g.Hooks[0].Command, hookWords)
	}
	now := func(raw []byte) bool {
		var g struct{ Hooks []struct{ Command string } }
		return ours(raw) && json.Unmarshal(raw, &g) == nil && g.Hooks[0].Command == command
	}
	return c.edit(text, p, func(f *configfile.JSON) error {
		for _, event := range c.events {
			if !p.Remove && f.Has(now, "hooks", event.name) {
				continue
			}
			if err := f.RemoveWhere(ours, "hooks", event.name); err != nil {
				return err
			}
			if p.Remove {
				continue
			}
			group := map[string]any{"hooks": []any{map[string]any{"type": "command", "command": command}}}
			if event.matcher != "" {
				group["matcher"] = event.matcher
			}
			if err := f.Append(group, "hooks", event.name); err != nil {
				return err
			}
		}
		return nil
	})
}

// edit changes a configuration in JSON. One that is missing or empty stays so if there
// is nothing to remove.
func (c *client) edit(text []byte, p *InstallParams, change func(*configfile.JSON) error) ([]byte, error) {
	if p.Remove && len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	f, err := configfile.ParseJSON(text, c.comments)
	if err != nil {
		return nil, err
	}
	if err := change(f); err != nil {
		return nil, err
	}
	return f.Bytes(), nil
}

// write replaces a configuration in one step.
func (c *ConfigChange) write(ctx context.Context, p *InstallParams) error {
	now, err := readConfig(c.Path, p.Environment.Home)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, c.Before) || (now == nil) != (c.Before == nil) {
		return &ConfigError{c.Path, ErrChangedMeanwhile}
	}
	if now != nil {
		kept, err := trash.Keep(ctx, c.Path, c.After, p.Trash)
		if err != nil {
			return err
		}
		c.Trash = kept.ID
	}
	path, err := filepath.Abs(c.Path)
	switch {
	case err != nil:
	case c.After == nil:
		if err = os.Remove(path); err == nil {
			_ = os.Remove(filepath.Dir(path)) // if nothing else is in it
		}
	default:
		err = filestore.WriteFile(path, c.After)
	}
	if err != nil {
		if c.Trash != "" {
			err = errors.Join(err, trash.Purge(c.Trash, p.Trash))
			c.Trash = ""
		}
		return err
	}
	c.Done = true
	return nil
}

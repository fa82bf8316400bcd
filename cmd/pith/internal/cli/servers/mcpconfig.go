package servers

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/lookup"
	"github.com/spf13/cobra"
)

const noClient = "none"

// clients are the programs for which there is a configuration.
var clients = []string{"claude", "codex", "opencode", "gemini", "qwen", "copilot", "kimi", "pi", "cursor", "vscode"}

// printConfig prints the configuration that adds the server, with the given
// flags, to a client.
func (a *Commands) printConfig(cmd *cobra.Command, f *mcpFlags) error {
	if _, err := a.check(cmd.Context(), f); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		program = "pith"
	}
	text, place := configFor(f.config.Value, program, a.mcpArguments(cmd, f))
	a.Out.Print(text)
	a.Note("%s", place)
	return nil
}

// mcpArguments returns the arguments with which a client starts the server.
func (a *Commands) mcpArguments(cmd *cobra.Command, f *mcpFlags) []string {
	given := flags.Of(cmd).Only("all", "project", "no-redact", "budget")
	if f.project != "" {
		dir, _ := a.ProjectDir(f.project) // it was checked
		given = given.With("project", dir)
	}
	args := given.Arguments("mcp")
	if a.SessionDir != "" {
		args = append(args, "--session-dir", a.SessionDir)
	}
	return args
}

// configFor returns the configuration that adds the server to a client, and
// where it goes.
func configFor(client, program string, args []string) (text, place string) {
	list, _ := json.Marshal(args) // strings always encode
	path, _ := json.Marshal(program)
	words := append([]string{program}, args...)
	servers := fmt.Sprintf("{\n  \"mcpServers\": {\n    \"pith\": {\"command\": %s, \"args\": %s}\n  }\n}\n", path, list)
	switch client {
	case "claude":
		return "claude mcp add --scope user pith -- " + lookup.Command(words...) + "\n", "run this"
	case "codex":
		return fmt.Sprintf("[mcp_servers.pith]\ncommand = %s\nargs = %s\n", path, list), "add this to ~/.codex/config.toml"
	case "opencode":
		command, _ := json.Marshal(words) // strings
		return fmt.Sprintf("{\n  \"mcp\": {\n    \"pith\": {\"type\": \"local\", \"command\": %s}\n  }\n}\n", command), "add this to opencode.json or ~/.config/opencode/opencode.json"
	case "gemini":
		return servers, "add this to .gemini/settings.json or ~/.gemini/settings.json"
	case "qwen":
		return "qwen mcp add --scope user pith -- " + lookup.Command(words...) + "\n", "run this"
	case "copilot":
		return fmt.Sprintf("{\n  \"mcpServers\": {\n    \"pith\": {\"type\": \"local\", \"command\": %s, \"args\": %s, \"tools\": [\"*\"]}\n  }\n}\n", path, list), "add this to ~/.copilot/mcp-config.json"
	case "kimi":
		return servers, "add this to .kimi-code/mcp.json or ~/.kimi-code/mcp.json"
	case "pi":
		return servers, "add this to .pi/mcp.json or ~/.pi/agent/mcp.json, for the extension pi-mcp-adapter; without it, use pith skill"
	case "cursor":
		return servers, "add this to .cursor/mcp.json or ~/.cursor/mcp.json"
	case "vscode":
		return strings.Replace(servers, `"mcpServers"`, `"servers"`, 1), "add this to .vscode/mcp.json"
	}
	return "", ""
}

package catalog

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/internal/sources/all"
	"github.com/pith-sessions/pith/internal/sources/openclaw"
)

// The names of roots.
const (
	RootPi       = "pi"
	RootAtomic   = "atomic"
	RootOhMyPi   = "oh-my-pi"
	RootOpenClaw = "openclaw"
	RootCustom   = "custom" // a directory chosen by the user
)

// A Root is a directory that contains sessions.
type Root struct {
	Name string
	Dir  string
	// Flat means that the files are in Dir itself. Otherwise Dir has a
	// subdirectory for each project.
	Flat bool
	// Writable marks the one root in which new sessions are created.
	Writable bool
	// Notes means that Dir contains notes: each file in it contains the path of
	// a session in any directory.
	Notes bool

	// program translates the sessions of another agent in Dir, which is a directory
	// or a database; nil for a root with files of pi's format.
	program sources.Program
}

// Roots returns the directories in which sessions of any project are looked up:
// those that exist, each once however many names it has. The first is the
// directory for new sessions: Options.Dir, or the first of these that is set:
// PITH_SESSION_DIR, PI_CODING_AGENT_SESSION_DIR, PI_SESSIONS_DIR, pi's
// sessionDir setting, PI_CODING_AGENT_DIR; by default ~/.pi/agent/sessions, or
// Atomic's directory for users of Atomic. The roots of other programs follow,
// unless Options.Dir is set. Relative paths in the environment are relative to
// cwd. If Options.Sources is set, it returns only the roots named there.
//
// Sessions of other agents in Options.Dir or PITH_SESSION_DIR are found where they
// would be if the directory were a home directory, as in DIR/.claude/projects.
func Roots(o Options, cwd string) []Root {
	candidates := []Root{o.mainRoot(cwd)}
	if candidates[0].Name == RootCustom {
		candidates = append(candidates, o.agentRoots(sources.Environment{Home: candidates[0].Dir, Getenv: func(string) string { return "" }})...)
	}
	if o.Dir == "" {
		if candidates[0].Name == RootAtomic {
			candidates = append(candidates, Root{Name: RootPi, Dir: within(o.environment().AgentDir(), "sessions")})
		}
		candidates = append(candidates, o.atomicRoots(cwd)...)
		candidates = append(candidates, o.ohMyPiRoots(cwd)...)
		candidates = append(candidates, o.openClawRoots(cwd)...)
		candidates = append(candidates, o.otherRoots()...)
		candidates = append(candidates, o.foreignRoots()...)
	}
	var roots []Root
	seen := map[string]bool{}
	for _, r := range candidates {
		if len(o.Sources) > 0 && !slices.Contains(o.Sources, r.agent()) && !slices.Contains(o.Sources, r.Name) {
			continue
		}
		real := canonical(r.Dir)
		if info, err := os.Stat(r.Dir); err != nil || r.program == nil && !info.IsDir() || seen[real] {
			continue
		}
		seen[real] = true
		roots = append(roots, r)
	}
	return roots
}

// agent returns the agent whose sessions a root contains. A directory chosen by the
// user contains sessions of pi.
func (r *Root) agent() string {
	if r.Name == RootCustom {
		return RootPi
	}
	return r.Name
}

// mainRoot returns the root for new sessions.
func (o *Options) mainRoot(cwd string) Root {
	if o.Dir != "" {
		dir := o.expand(o.Dir, "")
		return Root{Name: RootCustom, Dir: dir, Flat: !hasProjectFolders(dir), Writable: true}
	}
	place := o.environment().Place(cwd)
	name := RootPi
	if o.env("PITH_SESSION_DIR") != "" {
		name = RootCustom
	} else if slices.ContainsFunc(o.atomicRoots(cwd), func(r Root) bool { return r.Dir == place.Dir }) {
		name = RootAtomic
	}
	return Root{Name: name, Dir: place.Dir, Flat: place.Flat, Writable: true}
}

// hasProjectFolders reports whether a directory chosen by the user has pi's
// layout, with a subdirectory for each project.
func hasProjectFolders(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		name := e.Name()
		return len(name) > 4 && strings.HasPrefix(name, "--") && strings.HasSuffix(name, "--") && e.IsDir()
	})
}

func (o *Options) atomicRoots(cwd string) []Root {
	var roots []Root
	if dir := o.env("ATOMIC_CODING_AGENT_SESSION_DIR"); dir != "" {
		roots = append(roots, Root{Name: RootAtomic, Dir: o.expand(dir, cwd), Flat: true})
	}
	agent := cmp.Or(o.env("ATOMIC_CODING_AGENT_DIR"), "~/.atomic/agent")
	return append(roots, Root{Name: RootAtomic, Dir: within(o.expand(agent, cwd), "sessions")})
}

// ohMyPiRoots returns the roots of all profiles of oh-my-pi, and those under
// XDG_DATA_HOME, to which oh-my-pi can move its data.
func (o *Options) ohMyPiRoots(cwd string) []Root {
	config := cmp.Or(o.env("PI_CONFIG_DIR"), ".omp")
	base := within(o.environment().HomeDir(), config)
	dirs := []string{within(base, "agent", "sessions")}
	if dir := o.env("OMP_CODING_AGENT_DIR"); dir != "" {
		dirs = append(dirs, filepath.Join(o.expand(dir, cwd), "sessions"))
	}
	dirs = append(dirs, below(within(base, "profiles"), "agent", "sessions")...)
	if dir := o.env("XDG_DATA_HOME"); dir != "" {
		moved := filepath.Join(o.expand(dir, cwd), "omp")
		dirs = append(dirs, filepath.Join(moved, "sessions"))
		dirs = append(dirs, below(filepath.Join(moved, "profiles"), "sessions")...)
	}
	var roots []Root
	for _, dir := range dirs {
		roots = append(roots, Root{Name: RootOhMyPi, Dir: dir})
		if dir != "" {
			roots = append(roots, Root{Name: RootOhMyPi, Dir: filepath.Join(filepath.Dir(dir), "custom-session-files"), Flat: true, Notes: true})
		}
	}
	return roots
}

// notedFiles returns the session files in other directories that oh-my-pi was
// started with: it writes the path of each to a note.
func notedFiles(dir string) []string {
	var out []string
	for _, note := range below(dir) {
		data, err := os.ReadFile(note)
		path := strings.TrimSpace(string(data))
		if err == nil && filepath.IsAbs(path) && strings.HasSuffix(path, format.FileSuffix) {
			out = append(out, filepath.Clean(path))
		}
	}
	return out
}

// openClawRoots returns a root for each of OpenClaw's agents in every profile,
// including those under the former names of the program. An agent with a
// database has one more.
func (o *Options) openClawRoots(cwd string) []Root {
	states := []string{"~/.openclaw", "~/.clawdbot", "~/.moltbot"}
	if dir := o.env("OPENCLAW_STATE_DIR"); dir != "" {
		states[0] = dir
	}
	if home := o.environment().HomeDir(); home != "" {
		profiles, _ := filepath.Glob(filepath.Join(globEscape(home), ".openclaw-*")) // the pattern is valid
		states = append(states, profiles...)
	}
	var roots []Root
	for _, state := range states {
		agents := within(o.expand(state, cwd), "agents")
		for _, dir := range below(agents, "sessions") {
			roots = append(roots, Root{Name: RootOpenClaw, Dir: dir, Flat: true})
		}
		for _, database := range below(agents, "agent", "openclaw-agent.sqlite") {
			if info, err := os.Stat(database); err == nil && info.Mode().IsRegular() {
				roots = append(roots, agentRoot(openclaw.Program{}, database))
			}
		}
		for _, dir := range below(agents, openclaw.ArchiveName) {
			roots = append(roots, Root{Name: RootOpenClaw, Dir: dir, Flat: true})
		}
	}
	return roots
}

// otherRoots returns the roots of pi-compatible agents that only renamed pi's
// directory: any ~/.<program>/agent/sessions, under the program's name. pi's
// own root is not included: a user who stores sessions in another directory
// does not mean those, and does not want them cleaned up.
func (o *Options) otherRoots() []Root {
	home := o.environment().HomeDir()
	if home == "" {
		return nil
	}
	dirs, _ := filepath.Glob(filepath.Join(globEscape(home), ".*", "agent", "sessions")) // the pattern is valid
	var roots []Root
	for _, dir := range dirs {
		program := strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(dir))), ".")
		if program != RootPi {
			roots = append(roots, Root{Name: program, Dir: dir})
		}
	}
	return roots
}

// foreignRoots returns the roots of agents with session formats of their own:
// one for each directory or database that exists.
func (o *Options) foreignRoots() []Root {
	return o.agentRoots(sources.Environment{Home: o.environment().HomeDir(), Getenv: o.env})
}

// agentRoots returns a root for each directory or database of an agent with a session
// format of its own that exists in an environment.
func (o *Options) agentRoots(env sources.Environment) []Root {
	var roots []Root
	for _, p := range all.Programs() {
		for _, dir := range p.Roots(env) {
			if _, err := os.Stat(dir); err != nil {
				continue // usual: the program is not installed
			}
			roots = append(roots, agentRoot(p, dir))
		}
	}
	return roots
}

// agentRoot returns the root of another agent.
func agentRoot(p sources.Program, dir string) Root {
	return Root{Name: p.Name(), Dir: dir, Flat: true, program: p}
}

// globEscape turns a path into a pattern that matches only that path.
func globEscape(path string) string {
	if filepath.Separator == '\\' {
		return path // Windows patterns have no escapes
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// within returns a path in a directory, or "" if dir is empty.
func within(dir string, rest ...string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(append([]string{dir}, rest...)...)
}

// below returns dir/*/rest for each entry of dir.
func below(dir string, rest ...string) []string {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // usual: the program is not installed
	}
	var out []string
	for _, e := range entries {
		out = append(out, filepath.Join(append([]string{dir, e.Name()}, rest...)...))
	}
	return out
}

// canonical returns the path without symbolic links, or the path itself if it
// does not exist.
func canonical(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

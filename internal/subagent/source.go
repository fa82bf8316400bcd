package subagent

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/sessiondir"
)

// A SourceKind is the form in which the conversation of a run was found. The
// constants are in the order of the search.
type SourceKind string

// The kinds of sources.
const (
	// FromSession is the session file that the result names.
	FromSession SourceKind = "session"
	// FromDerived is a session file where producers put it.
	FromDerived SourceKind = "derived"
	// FromForks is a session file in the forks of the parent.
	FromForks SourceKind = "fork"
	// FromTranscript is the transcript in the artifacts.
	FromTranscript SourceKind = "transcript"
	// FromEvents is the raw stream of events in the artifacts.
	FromEvents SourceKind = "events"
	// FromInline means messages in the result itself.
	FromInline SourceKind = "inline"
	// FromOutput is a file with only the answer.
	FromOutput SourceKind = "output"
	// FromResult is the answer in the result.
	FromResult SourceKind = "result"
)

// A Source is the place of the conversation of a run. The zero Source means
// none.
type Source struct {
	Kind SourceKind `json:"kind"`
	Path string     `json:"path" empty:"null"` // absolute; "" if it is in the result itself

	inline []json.RawMessage
	text   string
}

// IsSession reports whether the source is a session file.
func (s Source) IsSession() bool {
	return s.Kind == FromSession || s.Kind == FromDerived || s.Kind == FromForks
}

// IsRecord reports whether the source is a file with the whole conversation
// that is not a session: see [FileSource].
func (s Source) IsRecord() bool { return s.Kind == FromTranscript || s.Kind == FromEvents }

// An Attempt is a place where the conversation of a run was looked for and not found.
type Attempt struct {
	Kind SourceKind `json:"kind"`
	Path string     `json:"path"`
	Why  string     `json:"why"` // "gone", or what is wrong with it
}

// A parent determines the places of a child's files.
type parent struct {
	file string // the parent's session file; "" if it has none
	cwd  string
	inv  *Invocation // an empty one if the child is not in a call
}

// base returns the directory that belongs to the parent's session, or "".
func (p parent) base() string {
	if p.file == "" {
		return ""
	}
	return strings.TrimSuffix(p.file, ".jsonl")
}

// A search locates the conversation of one run.
type search struct {
	env    sessiondir.Environment
	parent parent
	run    *Run
	tried  []Attempt
	// session tries to use a file as the child's session. It returns "" if it
	// is used, or the reason why not.
	session func(kind SourceKind, path string) string
}

// find tries the places in order and returns the first one with content.
func (s *search) find() Source {
	if path := s.sessions(); path.Kind != "" {
		return path
	}
	for _, kind := range []struct {
		source SourceKind
		named  PathKind
		ending string
	}{{FromTranscript, PathTranscript, "_transcript.jsonl"}, {FromEvents, PathEvents, ".jsonl"}} {
		if path := s.artifact(kind.source, kind.named, kind.ending); path != "" {
			return Source{Kind: kind.source, Path: path}
		}
	}
	if len(s.run.messages) > 0 {
		return Source{Kind: FromInline, inline: s.run.messages}
	}
	if path := s.artifact(FromOutput, PathOutput, "_output.md"); path != "" {
		return Source{Kind: FromOutput, Path: path}
	}
	if id := component(s.run.RunID); id != "" && s.parent.base() != "" {
		if path := filepath.Join(s.parent.base(), id+".md"); s.try(FromOutput, path, false) {
			return Source{Kind: FromOutput, Path: path}
		}
	}
	if s.run.Output != "" {
		return Source{Kind: FromResult, text: s.run.Output}
	}
	return Source{}
}

// sessions looks for a session file: the named one, then where producers put
// it, then in the forks.
func (s *search) sessions() Source {
	if named := s.run.path(PathSession); named != "" {
		path, why := absolute(s.env, named, s.parent)
		if why == "" && isFolder(path) {
			path, why = s.inFolder(path)
		} else if why == "" {
			why = s.session(FromSession, path)
		}
		if why == "" {
			return Source{Kind: FromSession, Path: path}
		}
		s.tried = append(s.tried, Attempt{FromSession, named, why})
	}
	for _, path := range s.derived() {
		if s.takes(FromDerived, path) {
			return Source{Kind: FromDerived, Path: path}
		}
	}
	for _, path := range s.rooted() {
		if s.takes(fromRoot, path) {
			return Source{Kind: FromDerived, Path: path}
		}
	}
	if s.run.Context == "fork" || s.run.Context == "" && cmp.Or(s.parent.inv.Context, "fresh") != "fresh" {
		for _, path := range s.forks() {
			if s.takes(FromForks, path) {
				return Source{Kind: FromForks, Path: path}
			}
		}
	}
	return Source{}
}

// inFolder looks for the session in a directory that is named as its file: that
// of the run, or the only one.
func (s *search) inFolder(folder string) (path, why string) {
	for _, dir := range []string{folder, filepath.Join(folder, "run-"+strconv.Itoa(s.run.Index)), s.onlyRun(folder)} {
		if dir == "" {
			continue
		}
		for _, path := range append([]string{filepath.Join(dir, "session.jsonl")}, sessionsIn(dir)...) {
			if s.session(FromSession, path) == "" {
				return path, ""
			}
		}
	}
	return folder, "a directory without a session"
}

// fromRoot is the kind for a session in a directory whose name does not
// identify the run: pi-subagents 0.67 names it after the first of a family of
// runs. The session itself identifies it.
const fromRoot SourceKind = "root"

// rooted returns the session files in such directories.
func (s *search) rooted() []string {
	base := s.parent.base()
	if base == "" {
		return nil
	}
	var list []string
	for _, folder := range folders(base, "") {
		if slices.Contains(s.runIDs(), filepath.Base(folder)) || filepath.Base(folder) == "forks" {
			continue // already checked, or checked later
		}
		for _, run := range folders(folder, "run-") {
			list = append(list, filepath.Join(run, "session.jsonl"))
		}
	}
	return list
}

// names reports whether a session has the name that pi-subagents gives to the
// session of a run: subagent-<agent>-<run>-<number>.
func (s *search) names(name string) bool {
	return slices.ContainsFunc(s.runIDs(), func(id string) bool { return name == "subagent-"+s.run.Agent+"-"+id+"-"+strconv.Itoa(s.run.Index+1) })
}

// takes tries a file that was listed or guessed. A guess that does not exist,
// or belongs to another run, is not reported.
func (s *search) takes(kind SourceKind, path string) bool {
	why := s.session(kind, path)
	if why != "" && why != gone && why != anothers {
		s.tried = append(s.tried, Attempt{kind, path, why})
	}
	return why == ""
}

// derived returns the possible paths of a child's session file below the
// parent's directory: <runId>/run-<N>/session.jsonl, or the latest file there;
// for oh-my-pi, the file named after the agent.
func (s *search) derived() []string {
	base := s.parent.base()
	if base == "" {
		return nil
	}
	var list []string
	for _, id := range s.runIDs() {
		folder := filepath.Join(base, id, "run-"+strconv.Itoa(s.run.Index))
		if !isFolder(folder) {
			folder = s.onlyRun(filepath.Join(base, id))
		}
		if folder == "" {
			continue
		}
		list = append(list, filepath.Join(folder, "session.jsonl"))
		list = append(list, sessionsIn(folder)...)
	}
	if id := component(s.run.RunID); id != "" {
		list = append(list, filepath.Join(base, id+".jsonl"))
	}
	return list
}

// onlyRun returns the directory of the only run below a directory, for a call
// with one run: a child of a workflow is numbered within the workflow, its
// directory is not.
func (s *search) onlyRun(folder string) string {
	runs := folders(folder, "run-")
	if len(runs) != 1 || len(s.parent.inv.Runs) > 1 && s.run.RunID == "" {
		return ""
	}
	return runs[0]
}

// runIDs returns the names that a run's directory may have, its own first.
func (s *search) runIDs() []string {
	var out []string
	for _, name := range []string{s.run.RunID, s.parent.inv.RunID, s.parent.inv.AsyncID} {
		if name = component(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// forks returns the files in the parent's forks. Their names do not identify
// the run; the session function of the search checks the file.
func (s *search) forks() []string {
	if s.parent.base() == "" {
		return nil
	}
	return sessionsIn(filepath.Join(s.parent.base(), "forks"))
}

// artifact returns an artifact file: one that the result names, or one where
// producers put it.
func (s *search) artifact(kind SourceKind, named PathKind, ending string) string {
	for _, p := range s.run.Paths {
		if p.Kind != named {
			continue
		}
		path, why := absolute(s.env, p.Path, s.parent)
		if why != "" {
			s.tried = append(s.tried, Attempt{kind, p.Path, why})
			continue
		}
		if s.try(kind, path, true) {
			return path
		}
	}
	for _, base := range s.artifactBases() {
		if path := base + ending; s.try(kind, path, false) {
			return path
		}
	}
	return ""
}

// artifactBases returns the names of a run's artifacts without their endings.
func (s *search) artifactBases() []string {
	if s.run.Agent == "" {
		return nil
	}
	var bases []string
	for _, dir := range s.artifactDirs() {
		for _, id := range s.runIDs() {
			base := filepath.Join(dir, id+"_"+safeAgent(s.run.Agent))
			bases = append(bases, base+"_"+strconv.Itoa(s.run.Index))
			if len(s.parent.inv.Runs) <= 1 || s.run.RunID == id {
				bases = append(bases, base)
			}
		}
	}
	return bases
}

func (s *search) artifactDirs() []string {
	var dirs []string
	if s.parent.inv.ArtifactsDir != "" {
		if dir, why := absolute(s.env, s.parent.inv.ArtifactsDir, s.parent); why == "" {
			dirs = append(dirs, dir)
		}
	}
	if s.parent.file != "" {
		dirs = append(dirs, filepath.Join(filepath.Dir(s.parent.file), "subagent-artifacts"))
	}
	if s.parent.cwd != "" && filepath.IsAbs(s.parent.cwd) {
		dirs = append(dirs, filepath.Join(s.parent.cwd, ".pi", "subagents", "artifacts"))
	}
	return dirs
}

// try reports whether a file can be read and is not empty. A problem of a named
// file is recorded.
func (s *search) try(kind SourceKind, path string, named bool) bool {
	why := check(path)
	if why == "" {
		return true
	}
	if named || why != gone {
		s.tried = append(s.tried, Attempt{kind, path, why})
	}
	return false
}

// safeAgent returns an agent's name as used in file names. Producers replace
// UTF-16 units, so that a character outside the basic plane becomes two.
func safeAgent(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r == '_' || r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r > 0xFFFF:
			b.WriteString("__")
		default:
			b.WriteByte('_')
		}
	}
	return b.String()
}

// component returns a name from a session if it may be one component of a path:
// it must not lead to another directory. Otherwise it returns "".
func component(name string) string {
	if name == "" || name == "." || name == ".." || len(name) > 200 || strings.ContainsAny(name, "/\\:\x00") {
		return ""
	}
	return name
}

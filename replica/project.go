package replica

import (
	"bufio"
	"cmp"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Project identifies a directory independently of the machine: by the remote
// of its repository and the path in it.
type Project struct {
	// Remote is a remote such as "github.com/someone/something", without
	// protocol, user and password.
	Remote string `json:"remote,omitempty"`
	// Path is the directory within the repository, with slashes; "" for its
	// root.
	Path string `json:"path,omitempty"`
}

// Known reports whether the project has a remote.
func (p Project) Known() bool { return p.Remote != "" }

// ProjectAt returns the project of a directory, or the zero value if it is not
// in a repository with a remote. It reads .git/config and runs no program.
func ProjectAt(dir string) Project {
	if dir == "" || !filepath.IsAbs(dir) {
		return Project{}
	}
	inside := ""
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if config, ok := gitConfig(at); ok {
			remote := remoteOf(config)
			if remote == "" {
				return Project{}
			}
			return Project{remote, inside}
		}
		if filepath.Dir(at) == at {
			return Project{}
		}
		inside = path.Join(filepath.Base(at), inside)
	}
}

// gitConfig returns the path of the configuration of the repository with root
// dir.
func gitConfig(dir string) (string, bool) {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	if err != nil {
		return "", false
	}
	if info.IsDir() {
		return filepath.Join(git, "config"), true
	}
	data, err := os.ReadFile(git) // a worktree or submodule
	to, found := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
	if err != nil || !found {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	if common, err := os.ReadFile(filepath.Join(to, "commondir")); err == nil {
		shared := strings.TrimSpace(string(common))
		if !filepath.IsAbs(shared) {
			shared = filepath.Join(to, shared)
		}
		to = shared
	}
	return filepath.Join(to, "config"), true
}

// remoteOf returns the remote of a repository: its origin, or else the first
// one.
func remoteOf(config string) string {
	f, err := os.Open(config)
	if err != nil {
		return ""
	}
	defer f.Close()
	section, first := "", ""
	for lines := bufio.NewScanner(f); lines.Scan(); {
		text := strings.TrimSpace(lines.Text())
		if strings.HasPrefix(text, "[") {
			section = text
			continue
		}
		key, value, ok := strings.Cut(text, "=")
		if !ok || strings.TrimSpace(key) != "url" || !strings.HasPrefix(section, `[remote "`) {
			continue
		}
		name := NormalRemote(strings.TrimSpace(value))
		if section == `[remote "origin"]` {
			return name
		}
		first = cmp.Or(first, name)
	}
	return first
}

// NormalRemote returns the same text for all spellings of a remote, without
// user and password. It returns "" for a local directory.
func NormalRemote(remote string) string {
	if !strings.Contains(remote, "://") {
		host, rest, ok := strings.Cut(remote, ":")
		if !ok || strings.Contains(host, "/") || len(host) == 1 {
			return ""
		}
		remote = "ssh://" + host + "/" + strings.TrimPrefix(rest, "/")
	}
	u, err := url.Parse(remote)
	if err != nil || u.Host == "" {
		return ""
	}
	return strings.ToLower(u.Hostname()) + "/" + strings.TrimSuffix(strings.Trim(u.Path, "/"), ".git")
}

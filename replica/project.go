package replica

import (
	"bufio"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// A Project is what a folder belongs to, by a name that is the same on every machine:
// where its repository comes from, and the place in it.
type Project struct {
	// Remote is such as "github.com/someone/something": without protocol, user and
	// password.
	Remote string `json:"remote,omitempty"`
	// Path is the folder inside the repository, with slashes; "" for its top.
	Path string `json:"path,omitempty"`
}

// Known reports whether the project has a name at all.
func (p Project) Known() bool { return p.Remote != "" }

// ProjectAt is the project of a folder; the zero value when it is in no repository
// with a remote. It reads .git/config and runs nothing.
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

// gitConfig is the path of the configuration of the repository whose top is dir.
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

// remoteOf is where a repository comes from: its origin, else the first remote.
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
		if first == "" {
			first = name
		}
	}
	return first
}

// NormalRemote is the same for all ways to write where a repository is, and holds no
// password. It is "" for a folder of this machine.
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

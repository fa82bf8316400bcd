package replica

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/catalog/project"
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

// ProjectAt returns the project of a directory, or the zero value if it is not
// in a repository with a remote. It reads the configuration of git and runs no
// program.
func ProjectAt(dir string) Project {
	git, inside, ok := project.Repository(dir)
	if !ok {
		return Project{}
	}
	remote := remoteOf(filepath.Join(git, "config"))
	if remote == "" {
		return Project{}
	}
	if inside == "." {
		inside = ""
	}
	return Project{remote, filepath.ToSlash(inside)}
}

// remoteOf returns the remote of a repository: its origin, or else the first
// one.
func remoteOf(config string) string {
	data, err := os.ReadFile(config)
	if err != nil {
		return ""
	}
	section, first := "", ""
	for line := range strings.Lines(string(data)) {
		text := strings.TrimSpace(line)
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

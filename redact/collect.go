package redact

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Sources are the places that contain a user's secrets. An empty field is not
// read.
type Sources struct {
	// AgentDir is pi's directory (~/.pi/agent), with auth.json and models.json.
	AgentDir string
	// Environ is the environment as returned by os.Environ. Its HOME or
	// USERPROFILE locates the credentials files of common tools: .netrc,
	// .aws/credentials and so on.
	Environ []string
	// Projects are directories whose secret files are read: .env*, *.env,
	// .envrc, .dev.vars and the like, but not examples and templates. Their
	// parent directories are read too, up to the home directory or the root of
	// the repository.
	Projects []string
}

const authFile, modelsFile = "auth.json", "models.json"

// Paths returns the files that Collect reads, and the directories in which it
// searches for them. As long as none of them changes, Collect returns the same
// secrets.
func (s Sources) Paths() (paths []string) {
	if s.AgentDir != "" {
		paths = append(paths, filepath.Join(s.AgentDir, authFile), filepath.Join(s.AgentDir, modelsFile))
	}
	home := s.home()
	for _, name := range lists["credentials files"] {
		if home != "" {
			paths = append(paths, filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, dir := range s.folders() {
		files, _ := settingsIn(dir) // Collect reports an unreadable directory
		if dir != home {            // the home directory changes all the time
			paths = append(paths, dir)
		}
		paths = append(paths, files...)
	}
	return paths
}

func (s Sources) home() (dir string) {
	for _, variable := range s.Environ {
		switch name, value, _ := strings.Cut(variable, "="); {
		case name == "HOME" && filepath.IsAbs(value):
			return filepath.Clean(value)
		case name == "USERPROFILE" && filepath.IsAbs(value):
			dir = filepath.Clean(value)
		}
	}
	return dir
}

// maxParents is how many parent directories of a project are searched.
const maxParents = 32

// folders returns the projects and their parents, each once. Below the home
// directory the parents end there, elsewhere at the root of the repository. A
// directory that everyone may write to, like /tmp, is not a project.
func (s Sources) folders() (dirs []string) {
	home := s.home()
	seen := map[string]bool{}
	for _, project := range s.Projects {
		dir := filepath.Clean(project)
		within, err := filepath.Rel(cmp.Or(home, "/"), dir)
		atHome := home != "" && err == nil && filepath.IsLocal(within)
		for n := 0; n < maxParents && !seen[dir]; n++ {
			if info, err := os.Stat(dir); n > 0 && err == nil && info.Mode()&fs.ModeSticky != 0 {
				break
			}
			seen[dir] = true
			dirs = append(dirs, dir)
			_, noRepository := os.Lstat(filepath.Join(dir, ".git"))
			parent := filepath.Dir(dir)
			if dir == home || !atHome && noRepository == nil || parent == filepath.Dir(parent) {
				break
			}
			dir = parent
		}
	}
	return dirs
}

// A SourceError is a source that exists but could not be read.
type SourceError struct {
	File string
	Err  error
}

func (e *SourceError) Error() string { return fmt.Sprintf("%s: %v", e.File, e.Err) }
func (e *SourceError) Unwrap() error { return e.Err }

// ErrNotJSON means that a source should be JSON but is not.
var ErrNotJSON = errors.New("not JSON")

// Collect returns the secrets of the sources, each once. In a secret file every
// value counts unless its name or form indicates otherwise; in the environment
// the name must indicate a secret, or the value must be random. A missing
// source is not an error. The error joins a *SourceError for each source that
// could not be read; the secrets of the others are still returned.
func Collect(from Sources) ([]Secret, error) {
	c := collector{env: map[string]string{}, seen: map[string]bool{}}
	for _, variable := range from.Environ {
		if name, value, ok := strings.Cut(variable, "="); ok {
			c.env[name] = value
		}
	}
	if from.AgentDir != "" {
		c.auth(filepath.Join(from.AgentDir, authFile))
		c.models(filepath.Join(from.AgentDir, modelsFile))
	}
	for _, variable := range from.Environ {
		name, value, _ := strings.Cut(variable, "=")
		if name == "PWD" || name == "OLDPWD" {
			continue // the shell's directories, not passwords
		}
		if isURL(value) || indicatesSecret(name) || len(value) >= 24 && looksGenerated([]byte(value)) && !isHex([]byte(value)) && !isUUID([]byte(value)) && !strings.ContainsAny(value, `/\:, `) {
			c.value(name, value)
		}
	}
	home := from.home()
	for _, name := range lists["credentials files"] {
		if home != "" {
			c.settings(filepath.Join(home, filepath.FromSlash(name)))
		}
	}
	for _, dir := range from.folders() {
		files, err := settingsIn(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && slices.Contains(from.Projects, dir) {
			c.faults = append(c.faults, &SourceError{dir, err})
		}
		for _, file := range files {
			c.settings(file)
		}
	}
	return c.secrets, errors.Join(c.faults...)
}

type collector struct {
	env     map[string]string
	seen    map[string]bool
	secrets []Secret
	faults  []error
}

// maxSecrets limits the number of values from all files.
const maxSecrets = 10_000

func (c *collector) add(name, value string) {
	if value = strings.TrimSpace(value); len(value) >= MinSecret && !c.seen[value] && len(c.secrets) < maxSecrets {
		c.seen[value] = true
		c.secrets = append(c.secrets, Secret{name, value})
	}
}

// mostSettings is the size of the largest file to read.
const mostSettings = 1 << 20

// errNoSettings means that a file is not read. Some programs replace .env with
// a pipe, and reading it could block forever.
var errNoSettings = errors.New("not a regular file, or too large; its secrets are unknown")

func (c *collector) read(file string) []byte {
	info, err := os.Stat(file)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostSettings) {
		err = errNoSettings
	}
	var text []byte
	if err == nil {
		text, err = readAtMost(file, mostSettings)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.faults = append(c.faults, &SourceError{file, err})
	}
	return text
}

func readAtMost(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

func (c *collector) readJSON(file string) []byte {
	text := c.read(file)
	if text != nil && !jsonl.Valid(text) {
		c.faults = append(c.faults, &SourceError{file, ErrNotJSON})
		return nil
	}
	return text
}

// auth adds every string of auth.json that is not a name, because the file
// contains only credentials.
func (c *collector) auth(file string) {
	for provider, entry := range jsonl.Members(c.readJSON(file)) {
		name, _ := jsonl.String(provider)
		c.strings(entry, "", func(key, value string) {
			if key != "type" && !strings.Contains(strings.ToLower(key), "id") && !isReference(value) {
				c.add(name, value)
			}
		}, 0)
	}
}

// models adds the keys and headers of models.json. A key may be the name of a
// variable; a command is not a key.
func (c *collector) models(file string) {
	text := c.readJSON(file)
	providers, ok := jsonl.Lookup(text, "providers")
	if !ok {
		return
	}
	for provider, entry := range jsonl.Members(providers) {
		name, _ := jsonl.String(provider)
		c.strings(entry, "", func(key, value string) {
			isKey := strings.EqualFold(key, "apiKey")
			switch set, isVariable := c.env[strings.TrimPrefix(value, "$")]; {
			case isKey && isVariable:
				c.add(name, set)
			case strings.HasPrefix(value, "!") || isReference(value):
			case isKey:
				c.add(name, value)
			case indicatesSecret(key):
				for _, secret := range secretsOf(key, value) {
					c.add(name, secret)
				}
			}
		}, 0)
	}
}

// strings calls found for every string in a JSON value, up to a depth that no
// settings exceed.
func (c *collector) strings(raw []byte, key string, found func(key, value string), depth int) {
	if depth > 16 {
		return
	}
	switch jsonl.KindOf(raw) {
	case '"':
		if value, ok := jsonl.String(raw); ok {
			found(key, value)
		}
	case '{':
		for name, value := range jsonl.Members(raw) {
			key, _ := jsonl.String(name)
			c.strings(value, key, found, depth+1)
		}
	case '[':
		for value := range jsonl.Elements(raw) {
			c.strings(value, key, found, depth+1)
		}
	}
}

// value adds the secrets of a value in a secret file, including those in JSON
// and in the base64 user and password of a header.
func (c *collector) value(name, value string) {
	if trimmed := strings.TrimSpace(value); len(trimmed) > 2 && (trimmed[0] == '{' || trimmed[0] == '[') && jsonl.Valid([]byte(trimmed)) {
		c.strings([]byte(trimmed), name, c.value, 0)
		return
	}
	if strings.HasSuffix(strings.ToLower(name), "auth") {
		if text, err := base64.StdEncoding.DecodeString(value); err == nil && isText(text) {
			if _, password, ok := strings.Cut(string(text), ":"); ok {
				c.add(name, password)
			}
		}
	}
	for _, secret := range secretsOf(name, value) {
		c.add(name, secret)
	}
}

func (c *collector) settings(file string) {
	text := plainText(c.read(file))
	base := filepath.Base(file)
	if slices.Contains(tokenFiles, base) {
		c.value(base+" token", strings.TrimSpace(text))
		return
	}
	if jsonl.Valid([]byte(text)) {
		c.strings([]byte(text), base, c.value, 0)
		return
	}
	pairs := settings
	if strings.HasSuffix(base, "pgpass") || base == "pgpass.conf" {
		pairs = pgpass
	}
	for name, value := range pairs(text) {
		c.value(cmp.Or(name, base), value)
	}
}

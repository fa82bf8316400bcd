package redact

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/pith-sessions/pith/internal/jsonl"
)

// Sources are where a user's secrets stand. Each is by choice.
type Sources struct {
	// AgentDir is pi's folder (~/.pi/agent), with auth.json and models.json.
	AgentDir string
	// Environ is as os.Environ returns it.
	Environ []string
	// Projects are folders whose .env files are read: .env and .env.*, without
	// examples and templates.
	Projects []string
}

const authFile, modelsFile = "auth.json", "models.json"

// Paths are the files that Collect reads, and the folders in which it finds them: while
// none of them changes, it returns the same.
func (s Sources) Paths() (paths []string) {
	if s.AgentDir != "" {
		paths = append(paths, filepath.Join(s.AgentDir, authFile), filepath.Join(s.AgentDir, modelsFile))
	}
	for _, dir := range s.Projects {
		files, _ := settingsIn(dir) // Collect tells of one that cannot be read
		paths = append(append(paths, dir), files...)
	}
	return paths
}

// A SourceError is a source that is there and could not be read.
type SourceError struct {
	File string
	Err  error
}

func (e *SourceError) Error() string { return fmt.Sprintf("%s: %v", e.File, e.Err) }
func (e *SourceError) Unwrap() error { return e.Err }

// ErrNotJSON is a source that should be JSON and is not.
var ErrNotJSON = errors.New("not JSON")

// Collect returns the values of the sources that are long and random enough to be
// secrets, each once. A source that is not there is no error. The error joins a
// *SourceError for each that could not be read; the secrets of the others are
// returned with it.
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
		c.variable(name, value)
	}
	for _, dir := range from.Projects {
		c.project(dir)
	}
	return c.secrets, errors.Join(c.faults...)
}

type collector struct {
	env     map[string]string
	seen    map[string]bool
	secrets []Secret
	faults  []error
}

func (c *collector) add(name, value string) {
	if value = strings.TrimSpace(value); len(value) >= minCollected && !c.seen[value] {
		c.seen[value] = true
		c.secrets = append(c.secrets, Secret{name, value})
	}
}

// minCollected is longer than MinSecret: nobody chose these values one by one.
const minCollected = 8

func (c *collector) read(file string) []byte {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		c.faults = append(c.faults, &SourceError{file, err})
		return nil
	}
	return text
}

func (c *collector) readJSON(file string) []byte {
	text := c.read(file)
	if text != nil && !jsonl.Valid(text) {
		c.faults = append(c.faults, &SourceError{file, ErrNotJSON})
		return nil
	}
	return text
}

// auth takes every string of auth.json that is no name: the file holds nothing but
// credentials.
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

// models takes the keys and headers of models.json. A key may be the name of a
// variable, and a command is none.
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
			case isKey, speaks(key) && plausible(value):
				c.add(name, value)
			}
		}, 0)
	}
}

// strings calls found for every string below a value of JSON. Deeper than any
// settings go it does not look.
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

// variable takes the value of a variable when its name speaks of a secret or when
// chance alone makes such values.
func (c *collector) variable(name, value string) {
	if u, err := url.Parse(value); err == nil && u.User != nil && u.Host != "" {
		if password, set := u.User.Password(); set && len(password) >= MinSecret && plausible(password) {
			c.add(name, password)
		}
		return
	}
	if isReference(value) || !plausible(value) {
		return
	}
	if speaks(name) || len(value) >= 24 && random([]byte(value)) && entropy([]byte(value)) > 3.8 && !strings.ContainsAny(value, `/\:, `) {
		c.add(name, value)
	}
}

// mostSettings is how long a file of settings is at most.
const mostSettings = 1 << 20

// errNoSettings is a file that is not read: some programs put a pipe in the place of .env,
// and who reads it waits for an answer that may never come.
var errNoSettings = errors.New("it is no plain file of settings, so its secrets are not known")

func (c *collector) project(dir string) {
	files, err := settingsIn(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.faults = append(c.faults, &SourceError{dir, err})
	}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil && (!info.Mode().IsRegular() || info.Size() > mostSettings) {
			c.faults = append(c.faults, &SourceError{file, errNoSettings})
			continue
		}
		lines := bufio.NewScanner(bytes.NewReader(c.read(file)))
		lines.Buffer(nil, mostSettings)
		for lines.Scan() {
			line := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines.Text()), "export "))
			if key, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
				c.variable(strings.TrimSpace(key), unquoted(value))
			}
		}
	}
}

// settingsIn are the .env files of a project.
func settingsIn(dir string) (files []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, entry := range entries {
		name := entry.Name()
		if (name == ".env" || strings.HasPrefix(name, ".env.")) && !entry.IsDir() && !isTemplate(name) {
			files = append(files, filepath.Join(dir, name))
		}
	}
	return files, err
}

func isTemplate(name string) bool {
	for _, word := range []string{"example", "sample", "template", "dist", "schema"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// unquoted is the value of a line of a .env file.
func unquoted(value string) string {
	value = strings.TrimSpace(value)
	if value != "" && (value[0] == '"' || value[0] == '\'') {
		if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
			return value[1 : 1+end]
		}
	}
	value, _, _ = strings.Cut(value, " #")
	return strings.TrimSpace(value)
}

// speaks reports whether a name says that its value is a secret.
func speaks(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"path", "file", "_dir", "public", "keyboard", "socket", "sock"} {
		if strings.Contains(name, word) {
			return false
		}
	}
	for _, word := range []string{"key", "token", "secret", "passw", "pwd", "passphrase", "credential", "auth", "private", "dsn", "cookie", "signature"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// isReference reports whether a value only points at one.
func isReference(value string) bool {
	return strings.HasPrefix(value, "$") || strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./") ||
		strings.Contains(value, "://") && !strings.Contains(value, "@")
}

// plausible reports whether a value is long and random enough, and no example.
func plausible(value string) bool {
	if len(value) < minCollected || entropy([]byte(value)) < 2.3 {
		return false
	}
	lower := strings.ToLower(value)
	for _, word := range []string{"changeme", "change-me", "change_me", "example", "your-", "your_", "xxxx", "placeholder", "replace", "dummy"} {
		if strings.Contains(lower, word) {
			return false
		}
	}
	letters := strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz-_. ")
	return letters != "" || len(value) >= 20 // one word, or several, is a setting
}

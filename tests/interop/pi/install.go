package pi

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pith-sessions/pith/tests/testcache"
	"github.com/pith-sessions/pith/tests/tools"
)

// An Installation is one release of pi on this machine, ready to Start.
type Installation struct {
	Version Version
	Node    string // the Node binary that runs it
	Module  string // pi's session manager module
}

// Install makes release v available in the test cache. It fetches it and, if
// the installed Node is too old, a newer Node from npm. It does not fetch
// anything twice, and announces each fetch through logf, which may be nil.
//
// The error is a *tools.MissingError if npm has to be installed first, and a
// *FetchError if npm could not fetch.
func Install(ctx context.Context, v Version, logf func(format string, args ...any)) (Installation, error) {
	r, ok := releases[v]
	if !ok {
		return Installation{}, fmt.Errorf("pi %s is not one of the pinned releases %v", v, Versions())
	}
	if logf == nil {
		logf = func(string, ...any) {}
	}
	node, err := findNode(ctx, r, logf)
	if err != nil {
		return Installation{}, err
	}
	fetch := Fetch
	if r.needs != nil {
		fetch = r.fetchPart
	}
	dir, err := fetch(ctx, r.pkg, string(v), logf)
	if err != nil {
		return Installation{}, err
	}
	return Installation{Version: v, Node: node, Module: filepath.Join(dir, filepath.FromSlash(sessionManagerModule))}, nil
}

// Fetch makes a version of an npm package and its dependencies available in the
// test cache, and returns the package's directory. Its errors are those of
// Install.
func Fetch(ctx context.Context, pkg, version string, logf func(format string, args ...any)) (string, error) {
	name := strings.NewReplacer("@", "", "/", "-").Replace(pkg) + "-" + version
	cached, err := testcache.Folder(ctx, name, func(ctx context.Context, dir string) error {
		npm, err := registry()
		if err != nil {
			return err
		}
		logf("fetching %s@%s from npm into the test cache", pkg, version)
		cmd := exec.CommandContext(ctx, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund",
			"--loglevel=error", "--prefix", dir, pkg+"@"+version)
		// npm looks for a project from here upwards; there is none above the
		// prefix.
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			return &FetchError{Package: pkg + "@" + version, Output: lastLines(string(out), 5), Err: err}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cached, "node_modules", filepath.FromSlash(pkg))
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("%s in %s is not complete; delete the folder and run again: %w", pkg, cached, err)
	}
	return dir, nil
}

// fetchPart is Fetch for a release of which only the session manager runs. The
// library's main module would load the rest, so it is replaced by one that
// exports what the session manager uses.
func (r release) fetchPart(ctx context.Context, pkg, version string, logf func(format string, args ...any)) (string, error) {
	modules, err := Pack(ctx, "pi-"+version+"-sessions", logf, append([]string{pkg + "@" + version}, r.needs...)...)
	if err != nil {
		return "", err
	}
	var main strings.Builder
	for _, name := range slices.Sorted(maps.Keys(r.modules)) {
		fmt.Fprintf(&main, "export { %s } from %q;\n", name, r.modules[name])
	}
	path := filepath.Join(modules, filepath.FromSlash(r.library), "dist", "index.js")
	if now, err := os.ReadFile(path); err != nil || string(now) != main.String() {
		if err := os.WriteFile(path, []byte(main.String()), 0o600); err != nil {
			return "", err
		}
	}
	return filepath.Join(modules, filepath.FromSlash(pkg)), nil
}

// Offline is the environment variable with which the test command tells tests
// that npm's registry does not answer, so that they do not ask it.
const Offline = "PITH_TEST_OFFLINE"

// ErrOffline means that npm's registry does not answer.
var ErrOffline = errors.New("npm's registry does not answer; go run ./tests -only npm fetches what is missing")

// registry returns the program npm if its registry answers.
func registry() (npm string, err error) {
	if npm, err = tools.Find("npm"); err != nil {
		return "", err
	}
	if os.Getenv(Offline) != "" {
		return "", ErrOffline
	}
	return npm, answers()
}

// answers asks npm's registry, once for each process and briefly: npm install
// would try for minutes.
var answers = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if exec.CommandContext(ctx, "npm", "ping", "--fetch-retries=0", "--fetch-timeout=20000").Run() != nil {
		return ErrOffline
	}
	return nil
})

// A FetchError means that npm could not fetch a package.
type FetchError struct {
	Package string
	Output  string // the end of npm's output
	Err     error
}

func (e *FetchError) Error() string {
	return fmt.Sprintf("npm install %s: %v: %s", e.Package, e.Err, e.Output)
}

func (e *FetchError) Unwrap() error { return e.Err }

func lastLines(s string, n int) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], " | ")
}

// Pack makes npm packages, written name@version, available in the test cache
// next to each other, without their dependencies, and returns their
// node_modules directory. It is for a module of a large program that needs only
// a few packages.
func Pack(ctx context.Context, name string, logf func(format string, args ...any), packages ...string) (string, error) {
	cached, err := testcache.Folder(ctx, name, func(ctx context.Context, dir string) error {
		npm, err := registry()
		if err != nil {
			return err
		}
		logf("fetching %s from npm into the test cache", strings.Join(packages, ", "))
		cmd := exec.CommandContext(ctx, npm, append([]string{"pack", "--silent", "--ignore-scripts"}, packages...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			return &FetchError{Package: strings.Join(packages, " "), Output: lastLines(string(out), 5), Err: err}
		}
		for _, p := range packages {
			name := p[:strings.LastIndex(p, "@")]
			archive := strings.NewReplacer("@", "", "/", "-").Replace(name) + "-" + p[len(name)+1:] + ".tgz"
			if err := unpack(filepath.Join(dir, archive), filepath.Join(dir, "node_modules", filepath.FromSlash(name))); err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
		}
		return nil
	})
	return filepath.Join(cached, "node_modules"), err
}

// unpack writes the scripts and descriptions of an npm package to a directory,
// and removes the archive. All files in it are below one directory.
func unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer os.Remove(archive)
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(packed); ; {
		h, err := r.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(h.Name, "/")
		switch filepath.Ext(name) {
		case ".js", ".mjs", ".cjs", ".json", ".wasm":
		default:
			continue
		}
		if h.Typeflag != tar.TypeReg || !filepath.IsLocal(name) {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
	}
}

// Package backup stores copies of the session files of other coding agents, and
// reads sessions whose originals are gone from them.
//
// A [Vault] is a directory with the copies of one root of a program: compressed
// files named by the hash of their content, and an index of their original
// paths. A copy gets its name only after it is complete and was read back.
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pith-sessions/pith/internal/sources"
	"github.com/pith-sessions/pith/store/filestore"
)

// A Chooser is a Program whose roots also contain files that do not belong to
// sessions.
type Chooser interface {
	// Originals returns patterns of the files and directories under a root that
	// belong to sessions.
	Originals() []string
}

// A Linker is a Program that continues sessions in the files of others, so that
// one cannot be read without the rest.
type Linker interface {
	Linked()
}

// A Vault contains the copies of one root.
type Vault struct {
	Program sources.Program
	Dir     string
}

// Open returns the vault in dir of a program's root. Nothing is created yet.
func Open(dir string, p sources.Program, root string) *Vault {
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	sum := sha256.Sum256([]byte(root))
	return &Vault{Program: p, Dir: filepath.Join(dir, p.Name()+"-"+hex.EncodeToString(sum[:6]))}
}

// All returns the vaults of a program in dir, whether or not their roots exist.
func All(dir string, p sources.Program) (vaults []*Vault) {
	entries, _ := os.ReadDir(dir) // usual: nothing was ever backed up
	for _, e := range entries {
		if name, hash, ok := strings.Cut(e.Name(), "-"); ok && name == p.Name() && len(hash) == 12 {
			vaults = append(vaults, &Vault{Program: p, Dir: filepath.Join(dir, e.Name())})
		}
	}
	return vaults
}

// An Index lists the contents of a vault.
type Index struct {
	Version  int               `json:"version"`
	Root     string            `json:"root"`
	Files    map[string][]Copy `json:"files"` // by the path below the root, with slashes; "" is the root itself
	Sessions map[string]Known  `json:"sessions"`
}

// A Copy is one version of a file. The last one of a file is the newest;
// earlier ones are kept if the file was rewritten.
type Copy struct {
	Hash     string    `json:"hash"`
	Size     int64     `json:"size"`
	Stamp    string    `json:"stamp"` // of the original
	Modified time.Time `json:"modified"`
}

// A Known session was in the root at some time.
type Known struct {
	Path     string    `json:"path"`
	Modified time.Time `json:"modified"`
}

const (
	indexName    = "index.json"
	indexVersion = 1
	tempPrefix   = ".pith-tmp-"
)

// Index reads the index. A vault that does not exist has an empty one.
func (v *Vault) Index() (*Index, error) {
	x := &Index{Version: indexVersion, Files: map[string][]Copy{}, Sessions: map[string]Known{}}
	data, err := os.ReadFile(filepath.Join(v.Dir, indexName))
	if errors.Is(err, fs.ErrNotExist) {
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, x); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(v.Dir, indexName), err)
	}
	if x.Version != indexVersion {
		return nil, fmt.Errorf("%s: version %d is not known", filepath.Join(v.Dir, indexName), x.Version)
	}
	if x, err = x.renamed(url.PathUnescape); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(v.Dir, indexName), err)
	}
	for name, copies := range x.Files {
		if name != "" && !filepath.IsLocal(filepath.FromSlash(name)) || len(copies) == 0 {
			return nil, fmt.Errorf("%s: unexpected file %q", filepath.Join(v.Dir, indexName), name)
		}
		for _, c := range copies {
			if b, err := hex.DecodeString(c.Hash); err != nil || len(b) != sha256.Size {
				return nil, fmt.Errorf("%s: unexpected hash %q", filepath.Join(v.Dir, indexName), c.Hash)
			}
		}
	}
	return x, nil
}

// renamed returns the index with other names: JSON supports only UTF-8, so they
// are written as in URLs.
func (x *Index) renamed(name func(string) (string, error)) (*Index, error) {
	var failed []error
	to := func(s string) string {
		s, err := name(s)
		failed = append(failed, err)
		return s
	}
	out := &Index{Version: x.Version, Root: to(x.Root), Files: make(map[string][]Copy, len(x.Files)), Sessions: make(map[string]Known, len(x.Sessions))}
	for name, copies := range x.Files {
		out.Files[to(name)] = copies
	}
	for id, s := range x.Sessions {
		out.Sessions[to(id)] = Known{Path: to(s.Path), Modified: s.Modified}
	}
	return out, errors.Join(failed...)
}

func (v *Vault) save(x *Index) error {
	escape := func(s string) (string, error) { return (&url.URL{Path: s}).EscapedPath(), nil }
	x, err := x.renamed(escape)
	if err != nil {
		return err
	}
	data, err := json.Marshal(x)
	if err != nil {
		return err
	}
	return filestore.WriteFile(filepath.Join(v.Dir, indexName), data)
}

// Original returns the path of a file of the index.
func (x *Index) Original(name string) string {
	return filepath.Join(x.Root, filepath.FromSlash(name))
}

// Gone reports whether the original of a file does not exist.
func (x *Index) Gone(name string) bool {
	_, err := os.Lstat(x.Original(name))
	return errors.Is(err, fs.ErrNotExist)
}

// Holds reports whether the newest copy of a session's file is current.
func (x *Index) Holds(s sources.Session) bool {
	name := nameOf(x.Root, s.Path)
	copies := x.Files[name]
	return len(copies) > 0 && copies[len(copies)-1].Stamp == stampOf(s.Path, name == "")
}

// nameOf returns the name in the index of a file that a program listed under a root.
func nameOf(root, path string) string {
	name, err := filepath.Rel(root, path)
	if err != nil || name == "." {
		return "" // the root itself, a database
	}
	return filepath.ToSlash(name)
}

func stampOf(path string, database bool) string {
	if database {
		return sources.SQLiteStamp(path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fileStamp(info)
}

func fileStamp(info fs.FileInfo) string {
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// originals calls each for the files under a root that belong to sessions.
func originals(ctx context.Context, p sources.Program, root string, each func(name string, info fs.FileInfo) error) error {
	patterns := []string{"*"}
	if c, ok := p.(Chooser); ok {
		patterns = c.Originals()
	}
	var failed []error
	for _, pattern := range patterns {
		tops, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			return err
		}
		for _, top := range tops {
			err := sources.Files(ctx, filepath.Join(root, filepath.FromSlash(top)), &failed, func(path string, info fs.FileInfo) error {
				return each(nameOf(root, path), info)
			})
			if err != nil {
				return err
			}
		}
	}
	return errors.Join(failed...)
}

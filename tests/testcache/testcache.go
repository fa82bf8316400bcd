// Package testcache caches what is expensive to make for tests and benchmarks:
// fetched programs, generated session files of many megabytes.
//
// The cache is one directory per user. Everything in it can be made again, so
// deleting it loses nothing but time. It has no expiry and no size limit: a
// name must change when its content does.
//
// # Invariants
//
//	T1  A name that exists in the cache is complete. Entries are made under
//	    another name and renamed.
//	T2  Two processes that want the same name make it once if the system has
//	    file locks that end with their process, and otherwise at most twice.
package testcache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Env is the environment variable that sets the cache directory.
const Env = "PITH_TEST_CACHE"

// Dir returns the cache directory: the value of PITH_TEST_CACHE, or pith-test
// in the user's cache directory, or pith-test in the temporary directory for a
// user without one. It does not create the directory.
func Dir() (string, error) {
	if dir := os.Getenv(Env); dir != "" {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return "", fmt.Errorf("%s=%q: %w", Env, dir, err)
		}
		return abs, nil
	}
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "pith-test"), nil
}

// Folder returns the directory called name in the cache. If it does not exist,
// Folder calls fill with an empty directory, which it then renames to name. If
// fill fails, the cache is unchanged.
func Folder(ctx context.Context, name string, fill func(ctx context.Context, dir string) error) (string, error) {
	root, err := Dir()
	if err != nil {
		return "", err
	}
	final := filepath.Join(root, name)
	if isDir(final) {
		return final, nil
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", fmt.Errorf("test cache: %w", err)
	}
	unlock, err := lock(ctx, final+".lock")
	if err != nil {
		return "", fmt.Errorf("test cache: wait for %s: %w", final, err)
	}
	defer unlock()
	if isDir(final) {
		return final, nil
	}
	return final, fillAndRename(ctx, root, final, fill)
}

// fillAndRename makes the directory final. On a system without locks another
// process may make it in the meantime; both are equally good.
func fillAndRename(ctx context.Context, root, final string, fill func(context.Context, string) error) error {
	temp, err := os.MkdirTemp(root, filepath.Base(final)+".making-")
	if err != nil {
		return fmt.Errorf("test cache: %w", err)
	}
	defer os.RemoveAll(temp) // After a successful rename there is nothing to remove.
	if err := fill(ctx, temp); err != nil {
		return err
	}
	err = os.Rename(temp, final)
	if err != nil && !isDir(final) {
		return fmt.Errorf("test cache: %w", err)
	}
	return nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return err == nil && info.IsDir()
}

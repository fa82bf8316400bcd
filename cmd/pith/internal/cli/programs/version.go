package programs

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/format"
)

// Version is set when a release is built: -ldflags "-X <this package>.Version=1.2.3".
var Version string

func (a *Commands) Version() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  pith version\n  pith version --json",
		Args:    flags.Takes(0, 0, 0),
		RunE: func(*cobra.Command, []string) error {
			v := CurrentVersion()
			if asJSON {
				return a.Out.JSON(v)
			}
			a.Out.Printf("pith %s", v.Version)
			if v.Commit != nil {
				a.Out.Printf(" (%s)", *v.Commit)
			}
			a.Out.Printf(", session format %d, %s, %s/%s\n", v.Format, v.Go, v.OS, v.Arch)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return cmd
}

type versionRecord struct {
	Version string  `json:"version"`
	Commit  *string `json:"commit"`
	Format  int     `json:"format"`
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
}

func CurrentVersion() versionRecord {
	v := versionRecord{Version: Version, Format: format.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit := s.Value
			v.Commit = &commit
		}
	}
	return v
}

package firststeps

import (
	"cmp"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/format"
)

// Set by the release build: -ldflags "-X <this package>.Version=1.2.3". Without
// them the version control stamp in the binary is used, if there is one.
var (
	Version string
	Commit  string
	Date    string // of the commit, so that the same source gives the same bytes
)

func (a *Commands) Version() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  pith version\n  pith version --json",
		Args:    flags.Takes(0, 0, 0),
		RunE: func(*cobra.Command, []string) error {
			v := CurrentVersion()
			if a.JSON {
				return a.Out.JSON(v)
			}
			a.Out.Printf("pith %s", v.Version)
			if v.Commit != nil {
				a.Out.Printf(" (%s", *v.Commit)
				if v.Date != nil {
					a.Out.Printf(", %s", *v.Date)
				}
				a.Out.Printf(")")
			}
			a.Out.Printf(", session format %d (reads 1 to %d), %s, %s/%s\n", v.Format, v.Reads[len(v.Reads)-1], v.Go, v.OS, v.Arch)
			return nil
		},
	}
	return cmd
}

type versionRecord struct {
	Version string  `json:"version"`
	Commit  *string `json:"commit"`
	Date    *string `json:"date"`
	Format  int     `json:"format"`
	Reads   []int   `json:"reads"`
	Go      string  `json:"go"`
	OS      string  `json:"os"`
	Arch    string  `json:"arch"`
}

// CurrentVersion returns the version of this binary.
func CurrentVersion() versionRecord {
	v := versionRecord{Version: Version, Format: format.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	for n := range format.Version {
		v.Reads = append(v.Reads, n+1)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	v.Version = cmp.Or(v.Version, info.Main.Version, "(devel)")
	stamp := map[string]string{}
	for _, s := range info.Settings {
		stamp[s.Key] = s.Value
	}
	if commit := cmp.Or(Commit, stamp["vcs.revision"]); commit != "" {
		v.Commit = &commit
	}
	if date := cmp.Or(Date, stamp["vcs.time"]); date != "" {
		v.Date = &date
	}
	return v
}

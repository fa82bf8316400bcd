package servers

import (
	"context"
	"errors"
	"net"
	"runtime"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli/console"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/exit"
	"github.com/pith-sessions/pith/cmd/pith/internal/cli/flags"
	"github.com/pith-sessions/pith/cmd/pith/internal/webui"
	"github.com/pith-sessions/pith/llm"
)

func (a *Commands) Serve() *cobra.Command {
	var addr string
	var open bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Browse sessions in a web browser",
		Long: `Browse sessions in a web browser: search, tree, conversation, context, diffs and
cost, updated while agents work. The server listens on this machine only, and
the printed URL contains the access token. Ctrl+C stops it.

Pages are read-only: they show the commands that change a session, to copy.`,
		Example: `  pith serve
  pith serve --addr 127.0.0.1:8080 --open=false
  pith serve --json`,
		Args: flags.Takes(0, 0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.serve(cmd.Context(), addr, open || !cmd.Flags().Changed("open") && !a.JSON && a.Out.Terminal, a.JSON)
		},
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "listen on `HOST:PORT`; port 0 picks a free one")
	cmd.Flags().BoolVar(&open, "open", false, "open a browser (default on a terminal)")
	return cmd
}

func (a *Commands) serve(ctx context.Context, addr string, open, asJSON bool) error {
	if err := a.CheckSessionDir(); err != nil {
		return err
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return exit.Usagef("invalid --addr %q: use HOST:PORT, as in 127.0.0.1:8080", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		a.Note("warning: other machines can reach %s; anyone who has the URL can read all sessions, and the connection is not encrypted", addr)
	}
	s, err := webui.New(addr, a.browsing())
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return exit.Conflictf("%s is already in use; choose another port with --addr, or 0 for a free one", addr)
	case err != nil:
		return err
	}
	if asJSON {
		err = a.Out.JSON(map[string]string{"url": s.URL()})
	} else {
		a.Out.Printf("%s\n", s.URL())
	}
	if err := errors.Join(err, a.Out.Flush()); err != nil {
		return err
	}
	if open && (!a.hasDisplay() || !console.OpenBrowser(s.BrowserURL())) {
		a.Note("note: could not open a browser; open the URL above")
	}
	return exit.CauseOf(ctx, s.Serve(ctx))
}

// browsing returns the configuration of the web UI.
func (a *Commands) browsing() webui.Config {
	models := sync.OnceValue(func() *llm.Registry {
		known, _ := llm.Open(a.Environment()) // errors of the user's models matter only when one is used
		return known
	})
	app := a.App()
	app.Working, app.Skipped = nil, nil // lists are made again and again
	return webui.Config{
		App: app, Command: a.Hint, Note: a.Note,
		Window: func(model string) int64 {
			m, err := models().Model(model)
			if err != nil {
				return 0
			}
			return m.ContextWindow
		},
	}
}

// hasDisplay reports whether the environment has a display for a browser.
func (a *Commands) hasDisplay() bool {
	return runtime.GOOS != "linux" || a.Env.Getenv("DISPLAY") != "" || a.Env.Getenv("WAYLAND_DISPLAY") != "" || a.Env.Getenv("WSL_DISTRO_NAME") != "" || a.Env.Getenv("BROWSER") != ""
}

package rpcserver

import (
	"context"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
	"github.com/pith-sessions/pith/cmd/pith/internal/view"
	"github.com/pith-sessions/pith/export"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/sessiondir"
)

// shareMethods returns the methods that export sessions and find secrets in
// them. They read files, not open sessions.
func shareMethods() []*method {
	return []*method{
		background("export", "path, outputPath?, format?, leafId?, turns?, allBranches?, noTools?, noThinking?, promptsOnly?, noRedact?, names?, password?, force?", exportFile),
		background("secrets", "path?, cwd?, sessionDir?, names?", secrets),
	}
}

// redaction returns the options of redaction: the user's secrets in these
// projects, the rules and, if requested, local names.
func (c *call) redaction(projects ...string) redact.Options {
	from := c.server.opt.Secrets
	from.Projects = append(projects, from.Projects...)
	known, _ := redact.Collect(from) // the rules still apply if a source cannot be read
	o := redact.Options{Secrets: known}
	if c.isTrue("names") {
		o.Names = redact.LocalNames()
	}
	return o
}

// exportFile plans an export, and writes it if a file is named.
func exportFile(ctx context.Context, c *call) ([]byte, error) {
	path, to := c.nonEmpty("path"), c.optText("outputPath")
	o := export.Options{
		Format: c.exportFormat(to), Leaf: c.optText("leafId"), Turns: c.optText("turns"), AllBranches: c.isTrue("allBranches"), NoRedact: c.isTrue("noRedact"), Password: c.optText("password"),
	}
	o.NoTools, o.NoThinking, o.PromptsOnly = c.isTrue("noTools"), c.isTrue("noThinking"), c.isTrue("promptsOnly")
	force := c.isTrue("force")
	c.optFlag("names")
	if _, given := c.present("password"); given && c.bad == nil && export.CheckPassword(o.Password) != nil {
		c.reject("password", "must have at least 8 characters, all of which can be typed")
	}
	if c.bad != nil {
		return nil, c.bad
	}
	s, err := c.read(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	o.Redact = c.redaction(s.Cwd())
	plan, err := export.Review(ctx, s, o)
	if err != nil {
		return nil, err
	}
	if to == "" {
		return view.Marshal(view.ExportOf(plan, nil, nil))
	}
	to = sessiondir.ExpandPath(to, "")
	report, err := plan.WriteFile(ctx, to, force)
	if err != nil {
		return nil, err
	}
	return view.Marshal(view.ExportOf(plan, &to, &report))
}

// exportFormat returns the requested format, or the one of the file name.
func (c *call) exportFormat(to string) export.Format {
	word := c.optText("format")
	if word == "" {
		f, _ := export.FormatOf(to)
		return f
	}
	f, ok := export.ParseFormat(word)
	if !ok {
		c.reject("format", "must be html, md, comment, jsonl or atif")
	}
	return f
}

// secrets searches one file, or the sessions of one or all projects.
func secrets(ctx context.Context, c *call) ([]byte, error) {
	path, o := c.optText("path"), c.searching()
	c.optFlag("names")
	if c.bad != nil {
		return nil, c.bad
	}
	paths, projects, err := searched(ctx, path, o)
	if err != nil {
		return nil, err
	}
	redactor, err := redact.New(c.redaction(projects...))
	if err != nil {
		return nil, err
	}
	var every []redact.Finding
	r := view.Secrets{Checked: len(paths), Sessions: []view.SecretSession{}}
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := checkFile(redactor, path)
		if err != nil {
			return nil, err
		}
		every = append(every, found...)
		r.AddSession(path, found)
	}
	r.Found = view.SecretCounts(redact.Tally(every), nil)
	return view.Marshal(r)
}

// searched returns the files to search and their projects, whose files reveal
// the projects' secrets.
func searched(ctx context.Context, path string, o search.Options) (paths, projects []string, err error) {
	var infos []catalog.Info
	if path == "" {
		infos, err = catalog.Sorted(catalog.ListAll(ctx, o.Catalog))
	} else {
		o.Cwd, infos = "", make([]catalog.Info, 1)
		infos[0], err = catalog.Facts(ctx, catalog.Ref{Path: sessiondir.ExpandPath(path, "")}, catalog.Options{})
	}
	if err != nil {
		return nil, nil, err
	}
	for _, i := range infos {
		if o.Cwd == "" || sessiondir.SameProject(o.Cwd, i.Cwd) {
			paths, projects = append(paths, i.Path), append(projects, i.Cwd)
		}
	}
	return paths, projects, nil
}

func checkFile(r *redact.Redactor, path string) ([]redact.Finding, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return r.Check(file)
}

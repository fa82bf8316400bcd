package rpcserver

import (
	"context"
	"io"
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
		background("export", "path:name, outputPath?, format:html/md/jsonl/atif?, leafId?, turns?, allBranches:flag?, only:all/talk/prompts?, "+
			"noRedact:flag?, keepSuspects:flag?, names:flag?, force:flag?", exportFile),
		background("secrets", "path?, cwd?, sessionDir?, names:flag?", secrets),
	}
}

// redaction returns the options of redaction: the user's secrets in these
// projects, the rules and, if requested, local names.
func (c *call) redaction(projects ...string) redact.Options {
	from := c.server.opt.Secrets
	from.Projects = append(projects, from.Projects...)
	known, _ := redact.Collect(from) // the rules still apply if a source cannot be read
	o := redact.Options{Secrets: known}
	if c.flag("names") {
		o.Names = redact.LocalNames()
	}
	return o
}

// exportFile plans an export, and writes it if a file is named.
func exportFile(ctx context.Context, c *call) ([]byte, error) {
	path, to := c.text("path"), c.text("outputPath")
	o := export.Options{
		Format: c.exportFormat(to), Leaf: c.text("leafId"), Turns: c.text("turns"), AllBranches: c.flag("allBranches"), NoRedact: c.flag("noRedact"),
	}
	o.Only, _ = export.ParsePart(c.text("only"))
	force := c.flag("force")
	s, err := c.read(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	o.Redact = c.redaction(s.Cwd())
	o.Redact.KeepSuspects = c.flag("keepSuspects")
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
	f, ok := export.ParseFormat(c.text("format"))
	if !ok {
		f, _ = export.FormatOf(to)
	}
	return f
}

// secrets searches one file, or the sessions of one or all projects.
func secrets(ctx context.Context, c *call) ([]byte, error) {
	path, o := c.text("path"), c.searching()
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
	if err := r.LearnFile(file); err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return r.Check(file)
}

package rpcserver

import (
	"context"
	"os"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/catalog/search"
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
	var answer object
	if to == "" {
		answer.raw("file", null)
	} else {
		to = sessiondir.ExpandPath(to, "")
		report, err := plan.WriteFile(ctx, to, force)
		if err != nil {
			return nil, err
		}
		answer.text("file", to)
		answer.number("entries", int64(report.Entries))
		answer.number("pictures", int64(report.Pictures))
	}
	answer.text("format", plan.Format.String())
	answer.raw("redacted", tallied(plan.Redacted()))
	var places list
	for _, at := range plan.Places() {
		var o object
		o.text("rule", at.Rule)
		o.number("number", int64(at.Number))
		o.raw("entryId", textOrNull(at.Entry))
		o.text("path", at.Path)
		places.add(o.end())
	}
	answer.raw("places", places.end())
	return answer.end(), nil
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

func tallied(counts []redact.Count) []byte {
	var l list
	for _, n := range counts {
		var o object
		o.text("rule", n.Rule)
		o.text("kind", n.Kind.String())
		o.number("secrets", int64(n.Secrets))
		o.number("places", int64(n.Places))
		l.add(o.end())
	}
	return l.end()
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
	var holders list
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := checkFile(redactor, path)
		if err != nil {
			return nil, err
		}
		if every = append(every, found...); len(found) > 0 {
			holders.add(holder(path, found))
		}
	}
	var answer object
	answer.number("checked", int64(len(paths)))
	answer.raw("found", tallied(redact.Tally(every)))
	answer.raw("sessions", holders.end())
	return answer.end(), nil
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

func holder(path string, found []redact.Finding) []byte {
	var places list
	for _, f := range found {
		var o object
		o.text("rule", f.Rule)
		o.number("number", int64(f.Number))
		o.number("line", int64(f.Line))
		o.text("path", f.Path)
		places.add(o.end())
	}
	var o object
	o.text("path", path)
	o.raw("places", places.end())
	return o.end()
}

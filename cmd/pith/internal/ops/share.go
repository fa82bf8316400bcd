package ops

import (
	"context"
	"io"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/export"
	sessionfile "github.com/pith-sessions/pith/internal/foreign"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/parallel"
	"github.com/pith-sessions/pith/redact"
	"github.com/pith-sessions/pith/sessiondir"
)

// Redaction returns the options of redaction: the rules, the user's secrets in these
// projects and, if names is set, local names. The rules still apply if a source of
// secrets cannot be read, which the error says.
func (a *App) Redaction(names bool, projects ...string) (redact.Options, error) {
	from := a.Secrets
	projects = slices.DeleteFunc(append(projects, from.Projects...), func(dir string) bool { return !filepath.IsAbs(dir) })
	slices.Sort(projects)
	from.Projects = slices.Compact(projects)
	known, err := redact.Collect(from)
	o := redact.Options{Secrets: known}
	if names {
		o.Names = redact.LocalNames()
	}
	return o, err
}

// An ExportFormat is the format of an export.
type ExportFormat string

// Words implements [Words].
func (ExportFormat) Words() []string {
	return []string{export.HTML.String(), export.Markdown.String(), export.JSONL.String(), export.ATIF.String()}
}

// An ExportPart is the part of a session that an export has.
type ExportPart string

// Words implements [Words].
func (ExportPart) Words() []string {
	return []string{export.Everything.String(), export.Talk.String(), export.Prompts.String()}
}

// ExportParams say what Export writes.
type ExportParams struct {
	Path         string       `json:"path" need:"value"`
	OutputPath   string       `json:"outputPath"` // "" plans the export and writes nothing
	Format       ExportFormat `json:"format"`     // "" means that of the output's name, or HTML
	LeafID       string       `json:"leafId"`
	Turns        string       `json:"turns"`
	AllBranches  bool         `json:"allBranches"`
	Only         ExportPart   `json:"only"`
	NoRedact     bool         `json:"noRedact"`
	KeepSuspects bool         `json:"keepSuspects"`
	Names        bool         `json:"names"`
	Force        bool         `json:"force"` // replaces a file
}

// Export plans the export of a session, and writes it if a file is named.
func Export(ctx context.Context, a *App, p ExportParams) (*Exported, error) {
	s, err := a.open(ctx, p.Path)
	if err != nil {
		return nil, err
	}
	defer s.Close() // only read
	plan, _, err := PlanExport(ctx, a, s, p)
	if err != nil {
		return nil, err
	}
	if p.OutputPath == "" {
		return ExportOf(plan, "", nil), nil
	}
	to := sessiondir.ExpandPath(p.OutputPath, "")
	report, err := plan.WriteFile(ctx, to, p.Force)
	if err != nil {
		return nil, err
	}
	return ExportOf(plan, to, &report), nil
}

// Exported is a planned or written export.
type Exported struct {
	File     string         `json:"file" empty:"null"` // null if nothing was written
	Format   string         `json:"format"`
	Entries  *int           `json:"entries"`
	Pictures *int           `json:"pictures"`
	Redacted []redact.Count `json:"redacted"`
	Places   []export.Place `json:"places"`
}

// ExportOf describes an export. r is nil if it was only planned.
func ExportOf(plan *export.Plan, name string, r *export.Report) *Exported {
	out := &Exported{File: name, Format: plan.Format.String(), Redacted: plan.Redacted(), Places: plan.Places()}
	if r != nil {
		out.Entries, out.Pictures = &r.Entries, &r.Pictures
	}
	return out
}

// PlanExport plans the export of an open session. unread says that a source of secrets
// could not be read.
func PlanExport(ctx context.Context, a *App, s *pith.Session, p ExportParams) (plan *export.Plan, unread, err error) {
	o := export.Options{Leaf: p.LeafID, Turns: p.Turns, AllBranches: p.AllBranches, NoRedact: p.NoRedact}
	var ok bool
	if o.Format, ok = export.ParseFormat(string(p.Format)); !ok {
		o.Format, _ = export.FormatOf(p.OutputPath)
	}
	o.Only, _ = export.ParsePart(string(p.Only))
	if !p.NoRedact {
		o.Redact, unread = a.Redaction(p.Names, s.Cwd())
		o.Redact.KeepSuspects = p.KeepSuspects
	}
	plan, err = export.Review(ctx, s, o)
	return plan, unread, err
}

// ExportName suggests a name for the file of an export, without secrets.
func ExportName(a *App, s *pith.Session) (string, error) {
	o, _ := a.Redaction(false, s.Cwd()) // the rules apply in any case
	r, err := redact.New(o)
	if err != nil {
		return "", err
	}
	title, _ := r.Text(s.Name())
	return export.FileName(title, s.ID(), export.HTML), nil
}

// FormatOf returns the format that the name of a file decides; ok is false if it decides
// none.
func FormatOf(name string) (f ExportFormat, ok bool) {
	as, ok := export.FormatOf(name)
	return ExportFormat(as.String()), ok
}

// WriteExport writes a planned export to a file.
func WriteExport(ctx context.Context, plan *export.Plan, path string, replace bool) (export.Report, error) {
	return plan.WriteFile(ctx, path, replace)
}

// CountsOf counts secrets by their rules.
func CountsOf(found []redact.Finding) []redact.Count { return redact.Tally(found) }

// SecretsParams choose the sessions of Secrets.
type SecretsParams struct {
	Path string `json:"path"` // "" means the sessions of the place
	Where
	Names bool `json:"names"`
	// Paths are files instead of Path, with the projects of their sessions.
	Paths, Projects []string `json:"-"`
}

// A FileSecrets has the findings in a session file.
type FileSecrets struct {
	Path     string           `json:"path"`
	Findings []redact.Finding `json:"places"`
}

// A Leaks is the result of Secrets.
type Leaks struct {
	Asked  int           // sessions
	Files  []FileSecrets // those that could be read
	Counts []redact.Count
	// In is the number of sessions with secrets of a rule.
	In map[string]int
	// Unread says that a source of the user's secrets could not be read.
	Unread error
}

// Record returns the result as it is encoded.
func (l *Leaks) Record() any {
	type count struct {
		redact.Count
		Sessions int `json:"sessions"`
	}
	found := make([]count, len(l.Counts))
	for i, c := range l.Counts {
		found[i] = count{c, l.In[c.Rule]}
	}
	return struct {
		Checked  int           `json:"checked"`
		Found    []count       `json:"found"`
		Sessions []FileSecrets `json:"sessions"`
	}{len(l.Files), found, slices.DeleteFunc(slices.Clone(l.Files), func(f FileSecrets) bool { return len(f.Findings) == 0 })}
}

// Secrets finds secrets in a file, or in the sessions of one or all projects.
func Secrets(ctx context.Context, a *App, p SecretsParams) (*Leaks, error) {
	paths, projects, err := p.files(ctx, a)
	if err != nil {
		return nil, err
	}
	l := &Leaks{Asked: len(paths), In: map[string]int{}}
	o, unread := a.Redaction(p.Names, projects...)
	l.Unread = unread
	redactor, err := redact.New(o)
	if err != nil {
		return nil, err
	}
	at := a.working("checking sessions", false)
	type outcome struct {
		FileSecrets
		err error
	}
	var every []redact.Finding
	for got := range parallel.InOrder(ctx, len(paths), func(ctx context.Context, _ *struct{}, i int) outcome {
		found, err := findSecrets(ctx, redactor, paths[i])
		return outcome{FileSecrets{paths[i], found}, err}
	}) {
		switch {
		case got.err != nil && (p.Path != "" || a.Skipped == nil):
			return nil, got.err
		case got.err != nil:
			a.Skipped(got.Path, got.err)
			continue
		}
		l.Files, every = append(l.Files, got.FileSecrets), append(every, got.Findings...)
		for _, c := range CountsOf(got.Findings) {
			l.In[c.Rule]++
		}
		if at != nil {
			at(int64(len(l.Files)), int64(len(paths)))
		}
	}
	l.Counts = CountsOf(every)
	return l, ctx.Err()
}

// files returns the files to search and their projects, whose files reveal the
// projects' secrets.
func (p *SecretsParams) files(ctx context.Context, a *App) (paths, projects []string, err error) {
	if p.Path != "" {
		info, err := catalog.Facts(ctx, catalog.Ref{Path: sessiondir.ExpandPath(p.Path, "")}, catalog.Options{})
		return []string{info.Path}, []string{info.Cwd}, err
	}
	if len(p.Paths) > 0 {
		return p.Paths, p.Projects, nil
	}
	a, cwd := p.in(a)
	infos, err := Infos(ctx, a, cwd, true)
	for i := range infos {
		paths, projects = append(paths, infos[i].Path), append(projects, infos[i].Cwd)
	}
	return paths, projects, err
}

func findSecrets(ctx context.Context, r *redact.Redactor, path string) ([]redact.Finding, error) {
	file, err := sessionfile.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := r.LearnFile(jsonl.NewHoled(ctx, file)); err != nil {
		return nil, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return r.Check(jsonl.NewHoled(ctx, file))
}

package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pith-sessions/pith/sessiondir"
)

// pi's defaults for models in models.json.
const (
	assumedWindow = 128_000
	assumedMax    = 16_384
)

// A modelFile is pi's models.json: the user's own providers and models, and
// changes to the built-in ones.
type modelFile struct {
	path      string
	providers map[string]fileProvider
}

type fileProvider struct {
	BaseURL    string               `json:"baseUrl"`
	API        string               `json:"api"`
	APIKey     concealed            `json:"apiKey"`
	Headers    map[string]concealed `json:"headers"`
	AuthHeader bool                 `json:"authHeader"`
	Compat     json.RawMessage      `json:"compat"`
	Models     []fileModel          `json:"models"`
	Overrides  map[string]fileModel `json:"modelOverrides"`
}

type fileModel struct {
	ID        string               `json:"id"`
	Name      *string              `json:"name"`
	API       string               `json:"api"`
	BaseURL   string               `json:"baseUrl"`
	Reasoning *bool                `json:"reasoning"`
	Levels    json.RawMessage      `json:"thinkingLevelMap"`
	Input     []string             `json:"input"`
	Cost      *filePrice           `json:"cost"`
	Window    *float64             `json:"contextWindow"`
	Max       *float64             `json:"maxTokens"`
	Headers   map[string]concealed `json:"headers"`
	Compat    json.RawMessage      `json:"compat"`
}

type filePrice struct {
	Input, Output, CacheRead, CacheWrite *float64
	Tiers                                []struct {
		Above                                int64 `json:"inputTokensAbove"`
		Input, Output, CacheRead, CacheWrite float64
	}
}

func readModels(env sessiondir.Environment) (modelFile, []Warning) {
	file := modelFile{path: filepath.Join(env.AgentDir(), "models.json"), providers: map[string]fileProvider{}}
	object, warning := readObject(file.path)
	if warning != nil {
		return file, []Warning{*warning}
	}
	var providers map[string]json.RawMessage
	if raw, ok := object["providers"]; ok && json.Unmarshal(raw, &providers) != nil {
		return file, []Warning{{File: file.path, Text: "providers is not a JSON object; ignoring this file"}}
	}
	var warnings []Warning
	for _, name := range slices.Sorted(maps.Keys(providers)) {
		var p fileProvider
		if json.Unmarshal(providers[name], &p) != nil {
			warnings = append(warnings, Warning{File: file.path, Text: fmt.Sprintf("provider %q has a field of the wrong type; ignoring this provider", name)})
			continue
		}
		file.providers[name] = p
	}
	return file, warnings
}

// merge changes a known provider, or adds one.
func (r *Registry) merge(name string, f fileProvider) {
	p := r.providers[name]
	if p == nil {
		p = &provider{id: name}
		r.providers[name] = p
	}
	p.apiKey, p.headers, p.bearer = f.APIKey, f.Headers, p.bearer || f.AuthHeader
	p.api, p.baseURL = cmp.Or(f.API, p.api), cmp.Or(f.BaseURL, p.baseURL)
	p.compat = overlaid(p.compat, f.Compat)
	for _, m := range p.models {
		m.BaseURL = cmp.Or(f.BaseURL, m.BaseURL)
		m.compat = overlaid(m.compat, f.Compat)
	}
	for _, m := range f.Models {
		if m.ID != "" {
			p.add(m)
		}
	}
	for id, change := range f.Overrides {
		if i := p.index(id); i >= 0 {
			change.apply(p.models[i])
		}
	}
}

func (p *provider) add(f fileModel) {
	m := &model{Model: Model{
		Provider: p.id, ID: f.ID, API: cmp.Or(f.API, p.api), BaseURL: cmp.Or(f.BaseURL, p.baseURL),
		ContextWindow: assumedWindow, MaxTokens: assumedMax,
	}, compat: p.compat}
	f.apply(m)
	if i := p.index(f.ID); i >= 0 {
		p.models[i] = m
		return
	}
	p.models = append(p.models, m)
}

func (f fileModel) apply(m *model) {
	set(&m.Name, f.Name)
	set(&m.Reasoning, f.Reasoning)
	if f.Input != nil {
		m.Images = slices.Contains(f.Input, "image")
	}
	if f.Window != nil {
		m.ContextWindow = int64(max(0, *f.Window))
	}
	if f.Max != nil {
		m.MaxTokens = int64(max(0, *f.Max))
	}
	if f.Cost != nil {
		f.Cost.apply(m)
	}
	m.levels = overlaid(m.levels, f.Levels)
	m.compat = overlaid(m.compat, f.Compat)
	if f.Headers != nil {
		m.headers = f.Headers
	}
}

func (f *filePrice) apply(m *model) {
	set(&m.Cost.Input, f.Input)
	set(&m.Cost.Output, f.Output)
	set(&m.Cost.CacheRead, f.CacheRead)
	set(&m.Cost.CacheWrite, f.CacheWrite)
	if f.Tiers == nil {
		return
	}
	m.tiers = nil
	for _, t := range f.Tiers {
		m.tiers = append(m.tiers, Tier{t.Above, Price{t.Input, t.Output, t.CacheRead, t.CacheWrite}})
	}
}

// set assigns a value that is present.
func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// overlaid returns an object with the members of another replacing its own.
func overlaid(under, over json.RawMessage) json.RawMessage {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(over, &b) != nil || len(b) == 0 {
		return under
	}
	if json.Unmarshal(under, &a) != nil || len(a) == 0 {
		return over
	}
	maps.Copy(a, b)
	out, err := json.Marshal(a)
	if err != nil {
		return under
	}
	return out
}

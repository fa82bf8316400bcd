package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

type provider struct {
	id      string
	baseURL string
	api     string
	vars    []string  // environment variables that may hold its key; the usual one last
	apiKey  concealed // as in the models file
	bearer  bool      // whether the key is sent as a bearer token
	headers map[string]concealed
	compat  json.RawMessage
	models  []*model
}

// A model is a [Model] with the settings of its client.
type model struct {
	Model
	compat  json.RawMessage
	levels  json.RawMessage
	tiers   []Tier
	headers map[string]concealed
}

// described returns the model with its thinking levels.
func (m *model) described() Model {
	out := m.Model
	if l := decodeLevels(m.levels); out.Levels == nil && l != nil && out.Reasoning {
		out.Levels = l.all()
	}
	return out
}

// dated matches the date suffix of a fixed version of a model.
var dated = regexp.MustCompile(`-(?:\d{8}|\d{4}-\d{2}-\d{2})$`)

// model returns the model with an id: as described, or as its undated version
// is described, or with the provider's defaults.
func (p *provider) model(id string) *model {
	for _, name := range []string{id, dated.ReplaceAllString(id, "")} {
		if i := p.index(name); i >= 0 {
			m := *p.models[i]
			m.ID = id
			return &m
		}
	}
	m := &model{Model: Model{Provider: p.id, ID: id, API: p.api, BaseURL: p.baseURL}, compat: p.compat}
	switch p.id {
	case "anthropic":
		m.Reasoning, m.Images = strings.HasPrefix(id, "claude-"), true
	case "openai":
		m.Reasoning, m.Images = thinkingGPT.MatchString(id), true
	}
	// It is unknown whether thinking can be turned off. A request with off is
	// allowed, but then sends nothing.
	if m.Reasoning {
		m.Levels = ThinkingLevels[:usualLevels]
	}
	m.levels = json.RawMessage(`{"off":null}`)
	return m
}

// index returns the index of a described model, or -1.
func (p *provider) index(id string) int {
	return slices.IndexFunc(p.models, func(m *model) bool { return m.ID == id })
}

var thinkingGPT = regexp.MustCompile(`^(?:o\d|gpt-[5-9])`)

// authorizes reports whether a header is set that replaces a key.
func (p *provider) authorizes(m *model) bool {
	for _, set := range []map[string]concealed{p.headers, m.headers} {
		for name := range set {
			switch strings.ToLower(name) {
			case "authorization", "x-api-key", "cf-aig-authorization":
				return true
			}
		}
	}
	return false
}

package llm

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pith-sessions/pith/internal/lazyregexp"
)

// A provider is where models are asked.
type provider struct {
	id      string
	baseURL string
	api     string
	vars    []string  // of the environment, that may hold its key; the usual one last
	apiKey  concealed // as the models file has it
	bearer  bool      // the key goes as a bearer token
	headers map[string]concealed
	compat  json.RawMessage
	models  []*model
}

// A model is a [Model] with what its client needs to know.
type model struct {
	Model
	compat  json.RawMessage
	levels  json.RawMessage
	tiers   []Tier
	headers map[string]concealed
}

// described is the model with its levels of thinking.
func (m *model) described() Model {
	out := m.Model
	if l := decodeLevels(m.levels); out.Levels == nil && l != nil && out.Reasoning {
		out.Levels = l.all()
	}
	return out
}

// dated is the date behind the name of a fixed version of a model.
var dated = lazyregexp.New(`-(?:\d{8}|\d{4}-\d{2}-\d{2})$`)

// model is the model of an id: as described, or as its undated version is, or
// with what is usual for the provider.
func (p *provider) model(id string) *model {
	for _, name := range []string{id, dated().ReplaceAllString(id, "")} {
		i := slices.IndexFunc(p.models, func(m *model) bool { return m.ID == name })
		if i >= 0 {
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
		m.Reasoning, m.Images = thinkingGPT().MatchString(id), true
	}
	// Nobody said that it can be told not to think. It may be asked for off all the
	// same, which then tells it nothing.
	if m.Reasoning {
		m.Levels = ThinkingLevels[:usualLevels]
	}
	m.levels = json.RawMessage(`{"off":null}`)
	return m
}

var thinkingGPT = lazyregexp.New(`^(?:o\d|gpt-[5-9])`)

// authorizes reports whether a header carries what stands for a key.
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

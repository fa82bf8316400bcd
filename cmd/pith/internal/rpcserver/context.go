package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith"
)

func contextMethods() []*method {
	return []*method{
		onSession("buildSessionContext", buildSessionContext),
		onSession("buildValidContext", buildValidContext),
	}
}

// leafParam names the end of a path: the leaf if it is not given, and the place before
// the first entry if it is null.
type leafParam struct {
	LeafID entryRef `json:"leafId"`
}

func (p *leafParam) context(s *pith.Session) (*pith.Context, error) {
	switch {
	case !p.LeafID.given:
		return s.Context()
	case p.LeafID.id == "":
		return &pith.Context{ThinkingLevel: "off"}, nil
	}
	return s.View().Context(p.LeafID.id)
}

func buildSessionContext(_ context.Context, c *call, p *leafParam) (any, error) {
	built, err := p.context(c.session)
	if err != nil {
		return nil, err
	}
	messages, err := messageList(built.ReusedMessages())
	if err != nil {
		return nil, err
	}
	return settings(object{}.Raw("messages", messages), built), nil
}

// buildValidContext returns the context made acceptable to any provider, with
// the changes and the remaining problems.
func buildValidContext(_ context.Context, c *call, p *leafParam) (any, error) {
	built, err := p.context(c.session)
	if err != nil {
		return nil, err
	}
	repaired, changed, err := built.Repaired()
	if err != nil {
		return nil, err
	}
	var messages, changes list
	for _, m := range repaired {
		messages.add(m.Raw)
	}
	for _, ch := range changed {
		changes.add(object{}.Text("entryId", ch.EntryID).Text("text", ch.Text))
	}
	o := settings(object{}.Raw("messages", messages.end()), built)
	return o.Raw("changes", changes.end()).Raw("notes", texts(built.Notes)), nil
}

// settings adds the thinking level and the model of a context.
func settings(o object, c *pith.Context) object {
	model := null
	if c.Model != nil {
		model = object{}.Text("provider", c.Model.Provider).Text("modelId", c.Model.ModelID)
	}
	return o.Text("thinkingLevel", c.ThinkingLevel).Raw("model", model)
}

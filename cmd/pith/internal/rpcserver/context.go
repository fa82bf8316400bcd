package rpcserver

import (
	"context"

	"github.com/pith-sessions/pith"
)

func contextMethods() []*method {
	return []*method{
		onSession("buildSessionContext", "leafId:entry?", buildSessionContext),
		onSession("buildValidContext", "leafId:entry?", buildValidContext),
	}
}

// contextOf builds the context at the parameter leafId: at the leaf if it is
// not given, before the first entry if it is null.
func (c *call) contextOf() (*pith.Context, error) {
	if c.raw("leafId") == nil {
		return c.session.Context()
	}
	leaf := c.text("leafId")
	if leaf == "" {
		return &pith.Context{ThinkingLevel: "off"}, nil
	}
	return c.session.View().Context(leaf)
}

func buildSessionContext(_ context.Context, c *call) ([]byte, error) {
	built, err := c.contextOf()
	if err != nil {
		return nil, err
	}
	messages, err := messageList(built.ReusedMessages())
	if err != nil {
		return nil, err
	}
	var o object
	o.raw("messages", messages)
	o.settings(built)
	return o.end(), nil
}

// buildValidContext returns the context made acceptable to any provider, with
// the changes and the remaining problems.
func buildValidContext(_ context.Context, c *call) ([]byte, error) {
	built, err := c.contextOf()
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
		var o object
		o.text("entryId", ch.EntryID)
		o.text("text", ch.Text)
		changes.add(o.end())
	}
	var o object
	o.raw("messages", messages.end())
	o.settings(built)
	o.raw("changes", changes.end())
	o.raw("notes", texts(built.Notes))
	return o.end(), nil
}

func (o *object) settings(c *pith.Context) {
	o.text("thinkingLevel", c.ThinkingLevel)
	if c.Model == nil {
		o.raw("model", null)
		return
	}
	var m object
	m.text("provider", c.Model.Provider)
	m.text("modelId", c.Model.ModelID)
	o.raw("model", m.end())
}

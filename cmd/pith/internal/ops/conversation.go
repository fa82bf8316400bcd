package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/agent"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/cmd/pith/internal/userconfig"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/llm"
)

// Models returns the names of the usable models, and the index of the current
// one; -1 for none.
func Models(s *agent.Conversation, own *userconfig.Setup) (names []string, now int) {
	now = -1
	for i, m := range own.Models.Models() {
		names = append(names, format.ModelName(m.Provider, m.ID))
		if with := s.Model(); with.Provider == m.Provider && with.ID == m.ID {
			now = i
		}
	}
	return names, now
}

// SetModel changes the model of the conversation.
func SetModel(ctx context.Context, s *agent.Conversation, own *userconfig.Setup, name string) error {
	client, err := own.Models.Client(name)
	if err != nil {
		return err
	}
	return s.SetModel(ctx, client)
}

// SetThinking changes the thinking level.
func SetThinking(ctx context.Context, s *agent.Conversation, level string) error {
	if !slices.Contains(llm.ThinkingLevels, level) {
		return fmt.Errorf("invalid thinking level %q: use %s", level, strings.Join(llm.ThinkingLevels, ", "))
	}
	return s.SetThinking(ctx, level)
}

// LabelEntry labels an entry and returns it. The entry is a full ID, @leaf or @root,
// and by default the leaf. A dash removes the label; without a text nothing
// changes.
func LabelEntry(ctx context.Context, s *pith.Session, argument string) (entry string, err error) {
	ref, text, _ := strings.Cut(argument, " ")
	if _, err := s.View().Find(ref); err != nil && ref != "@leaf" && ref != "@root" {
		ref, text = "@leaf", argument
	}
	entry, err = catalog.ResolveEntry(s, ref)
	if text = strings.TrimSpace(text); err != nil || text == "" {
		return entry, err
	}
	if text == "-" {
		text = ""
	}
	_, err = s.SetLabel(ctx, entry, format.CleanName(text))
	return entry, err
}

package llm

import (
	"encoding/json"
	"slices"
	"strings"
)

// A compat describes how an endpoint differs from the protocol's author, with
// the names of pi's models.json.
type compat struct {
	// Both protocols.
	SendSessionAffinity bool   `json:"sendSessionAffinityHeaders"`
	AffinityFormat      string `json:"sessionAffinityFormat"`

	// anthropic-messages only.
	EagerToolInput    bool  `json:"supportsEagerToolInputStreaming"`
	CacheControlTools bool  `json:"supportsCacheControlOnTools"`
	AllowNoSignature  bool  `json:"allowEmptySignature"`
	Adaptive          *bool `json:"forceAdaptiveThinking"`

	// openai-completions only.
	Store                bool            `json:"supportsStore"`
	DeveloperRole        bool            `json:"supportsDeveloperRole"`
	ReasoningEffort      bool            `json:"supportsReasoningEffort"`
	UsageInStream        bool            `json:"supportsUsageInStreaming"`
	FinishReason         bool            `json:"supportsFinishReason"`
	MaxTokensField       string          `json:"maxTokensField"`
	ToolResultName       bool            `json:"requiresToolResultName"`
	AssistantAfterResult bool            `json:"requiresAssistantAfterToolResult"`
	ThinkingAsText       bool            `json:"requiresThinkingAsText"`
	ReasoningContent     bool            `json:"requiresReasoningContentOnAssistantMessages"`
	ThinkingFormat       string          `json:"thinkingFormat"`
	CacheControl         string          `json:"cacheControlFormat"`
	OpenRouterRouting    json.RawMessage `json:"openRouterRouting"`
}

// compatOf returns the known differences of a model's endpoint, overridden by
// the user's settings.
func compatOf(m Model, raw json.RawMessage) compat {
	c := detect(m)
	if len(raw) > 0 {
		// A member of the wrong type is ignored; the others still apply.
		_ = json.Unmarshal(raw, &c)
	}
	return c
}

// An endpoint identifies a provider by its name or by a part of its address.
type endpoint struct {
	names []string
	parts []string
}

func (e endpoint) is(m Model) bool {
	address := strings.ToLower(m.BaseURL)
	return slices.Contains(e.names, m.Provider) || slices.ContainsFunc(e.parts, func(part string) bool { return strings.Contains(address, part) })
}

var (
	atOpenRouter = endpoint{[]string{"openrouter"}, []string{"openrouter.ai"}}
	atDeepSeek   = endpoint{[]string{"deepseek"}, []string{"deepseek.com"}}
	atZai        = endpoint{[]string{"zai", "zai-coding-cn"}, []string{"api.z.ai", "open.bigmodel.cn"}}
	atMoonshot   = endpoint{[]string{"moonshotai", "moonshotai-cn"}, []string{"api.moonshot."}}
	atTogether   = endpoint{[]string{"together"}, []string{"api.together.ai", "api.together.xyz"}}
	atNvidia     = endpoint{[]string{"nvidia"}, []string{"integrate.api.nvidia.com"}}
	atAntLing    = endpoint{[]string{"ant-ling"}, []string{"api.ant-ling.com"}}
	atGrok       = endpoint{[]string{"xai"}, []string{"api.x.ai"}}
	atCloudflare = endpoint{[]string{"cloudflare-ai-gateway"}, []string{"gateway.ai.cloudflare.com"}}
	atChutes     = endpoint{nil, []string{"chutes.ai"}}
	// atOther are endpoints that only lack the fields specific to OpenAI.
	atOther = endpoint{[]string{"cerebras", "opencode", "cloudflare-workers-ai"}, []string{"cerebras.ai", "opencode.ai", "api.cloudflare.com"}}
)

func isOneOf(m Model, endpoints ...endpoint) bool {
	return slices.ContainsFunc(endpoints, func(e endpoint) bool { return e.is(m) })
}

// detect returns the known differences of an endpoint, by its name or address.
func detect(m Model) compat {
	router := atOpenRouter.is(m)
	// Local servers implement the original protocol.
	local := isLocal(m.BaseURL)
	special := local || isOneOf(m, atNvidia, atGrok, atTogether, atDeepSeek, atZai, atMoonshot, atAntLing, atCloudflare, atChutes, atOther)
	c := compat{
		SendSessionAffinity: router, AffinityFormat: "openai",
		EagerToolInput: true, CacheControlTools: true,
		Store:           !special,
		DeveloperRole:   !special && !router,
		ReasoningEffort: !isOneOf(m, atGrok, atZai, atMoonshot, atTogether, atCloudflare, atNvidia, atAntLing),
		UsageInStream:   true, FinishReason: true,
		MaxTokensField:   "max_completion_tokens",
		ReasoningContent: atDeepSeek.is(m),
		ThinkingFormat:   "openai",
	}
	if local || isOneOf(m, atChutes, atDeepSeek, atMoonshot, atCloudflare, atTogether, atNvidia, atAntLing, atZai) {
		c.MaxTokensField = "max_tokens"
	}
	switch {
	case atDeepSeek.is(m):
		c.ThinkingFormat = "deepseek"
	case atZai.is(m):
		c.ThinkingFormat = "zai"
	case atTogether.is(m):
		c.ThinkingFormat = "together"
	case atAntLing.is(m):
		c.ThinkingFormat = "ant-ling"
	case router:
		c.ThinkingFormat, c.AffinityFormat = "openrouter", "openrouter"
		byAnthropic := strings.HasPrefix(m.ID, "anthropic/")
		c.DeveloperRole = byAnthropic || strings.HasPrefix(m.ID, "openai/")
		if byAnthropic && m.Provider == "openrouter" {
			c.CacheControl = "anthropic"
		}
	}
	return c
}

// affinity returns the headers that route the requests of a session to one
// machine of the provider, where its cache is.
func (c compat) affinity(session string) map[string]string {
	if session == "" || !c.SendSessionAffinity {
		return nil
	}
	switch c.AffinityFormat {
	case "openrouter":
		return map[string]string{"X-Session-Id": session}
	case "openai":
		return map[string]string{"Session_id": session, "X-Client-Request-Id": session, "X-Session-Affinity": session}
	}
	return map[string]string{"X-Client-Request-Id": session, "X-Session-Affinity": session}
}

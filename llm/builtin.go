package llm

import "encoding/json"

// A place is a provider that is known without a file.
type place struct {
	id, baseURL, api string
	vars             []string // the usual one last
}

// places are the providers that pi knows and that speak one of the two
// protocols.
var places = []place{
	{"anthropic", "https://api.anthropic.com", APIAnthropic, []string{"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_OAUTH_TOKEN", "ANTHROPIC_API_KEY"}},
	{"openai", "https://api.openai.com/v1", APIOpenAI, []string{"OPENAI_API_KEY"}},
	{"openrouter", "https://openrouter.ai/api/v1", APIOpenAI, []string{"OPENROUTER_API_KEY"}},
	{"ant-ling", "https://api.ant-ling.com/v1", APIOpenAI, []string{"ANT_LING_API_KEY"}},
	{"baseten", "https://inference.baseten.co/v1", APIOpenAI, []string{"BASETEN_API_KEY"}},
	{"cerebras", "https://api.cerebras.ai/v1", APIOpenAI, []string{"CEREBRAS_API_KEY"}},
	{"deepseek", "https://api.deepseek.com", APIOpenAI, []string{"DEEPSEEK_API_KEY"}},
	{"groq", "https://api.groq.com/openai/v1", APIOpenAI, []string{"GROQ_API_KEY"}},
	{"huggingface", "https://router.huggingface.co/v1", APIOpenAI, []string{"HF_TOKEN"}},
	{"kimi-coding", "https://api.kimi.com/coding", APIAnthropic, []string{"KIMI_API_KEY"}},
	{"minimax", "https://api.minimax.io/anthropic", APIAnthropic, []string{"MINIMAX_API_KEY"}},
	{"minimax-cn", "https://api.minimaxi.com/anthropic", APIAnthropic, []string{"MINIMAX_CN_API_KEY"}},
	{"moonshotai", "https://api.moonshot.ai/v1", APIOpenAI, []string{"MOONSHOT_API_KEY"}},
	{"moonshotai-cn", "https://api.moonshot.cn/v1", APIOpenAI, []string{"MOONSHOT_API_KEY"}},
	{"nvidia", "https://integrate.api.nvidia.com/v1", APIOpenAI, []string{"NVIDIA_API_KEY"}},
	{"qwen-token-plan", "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1", APIOpenAI, []string{"QWEN_TOKEN_PLAN_API_KEY"}},
	{"qwen-token-plan-cn", "https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1", APIOpenAI, []string{"QWEN_TOKEN_PLAN_CN_API_KEY"}},
	{"together", "https://api.together.ai/v1", APIOpenAI, []string{"TOGETHER_API_KEY"}},
	{"vercel-ai-gateway", "https://ai-gateway.vercel.sh", APIAnthropic, []string{"AI_GATEWAY_API_KEY"}},
	{"xai", "https://api.x.ai/v1", APIOpenAI, []string{"XAI_API_KEY"}},
	{"xiaomi", "https://api.xiaomimimo.com/v1", APIOpenAI, []string{"XIAOMI_API_KEY"}},
	{"zai", "https://api.z.ai/api/coding/paas/v4", APIOpenAI, []string{"ZAI_API_KEY"}},
	{"zai-coding-cn", "https://open.bigmodel.cn/api/coding/paas/v4", APIOpenAI, []string{"ZAI_CODING_CN_API_KEY"}},
}

// builtin are the providers and models that are known, fresh each time: the
// user's files change them.
func builtin() map[string]*provider {
	out := make(map[string]*provider, len(places))
	for _, at := range places {
		p := &provider{id: at.id, baseURL: at.baseURL, api: at.api, vars: at.vars}
		for _, r := range known[at.id] {
			p.models = append(p.models, r.model(p))
		}
		out[at.id] = p
	}
	return out
}

func (r row) model(p *provider) *model {
	return &model{Model: Model{
		Provider: p.id, ID: r.id, Name: r.name, API: p.api, BaseURL: p.baseURL,
		ContextWindow: r.window, MaxTokens: r.max,
		Reasoning: r.traits&thinks != 0, Images: r.traits&sees != 0, Cost: r.cost,
	}, tiers: r.tiers, levels: json.RawMessage(r.levels), compat: json.RawMessage(r.compat)}
}

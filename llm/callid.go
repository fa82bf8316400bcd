package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// How long the id of a call may be.
const (
	anthropicID = 64
	openAIID    = 40
)

// anthropicCallID makes an id that Anthropic accepts: letters, digits, '_' and
// '-', at most 64 of them. Ids of other providers have up to 450 characters.
func anthropicCallID(id string) string { return callID(id, anthropicID) }

// openAICallID makes an id for Chat Completions. The ids of OpenAI's Responses
// have two parts, of which the second tells the calls of one answer apart.
func openAICallID(id string) string {
	if !strings.Contains(id, "|") && len(id) <= openAIID {
		return id
	}
	return callID(id, openAIID)
}

// callID keeps ids apart that become equal when they are shortened.
func callID(id string, most int) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, id)
	if clean != "" && len(clean) <= most {
		return clean
	}
	sum := sha256.Sum256([]byte(id))
	hash := hex.EncodeToString(sum[:4])
	return clean[:min(len(clean), most-len(hash)-1)] + "_" + hash
}

// numbered is the n-th id like id.
func numbered(id string, n int) string {
	suffix := fmt.Sprintf("_%d", n)
	return id[:min(len(id), openAIID-len(suffix))] + suffix
}

package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Maximum lengths of a call id.
const (
	anthropicID = 64
	openAIID    = 40
)

// anthropicCallID returns an id that Anthropic accepts: letters, digits, '_'
// and '-', at most 64 of them. Ids of other providers have up to 450
// characters.
func anthropicCallID(id string) string { return callID(id, anthropicID) }

// openAICallID returns an id for Chat Completions. Ids of OpenAI's Responses
// have two parts; the second distinguishes the calls of one response.
func openAICallID(id string) string {
	if !strings.Contains(id, "|") && len(id) <= openAIID {
		return id
	}
	return callID(id, openAIID)
}

// callID keeps ids distinct that would be equal after truncation.
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

// numbered returns the n-th variant of id.
func numbered(id string, n int) string {
	suffix := fmt.Sprintf("_%d", n)
	return id[:min(len(id), openAIID-len(suffix))] + suffix
}

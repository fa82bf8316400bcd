package mcpserver

import "strings"

// Signatures are the parameters of all tools as the reference lists them, without those
// that every tool has.
func Signatures() map[string]string {
	all := map[string]string{}
	for _, t := range (&server{}).tools() {
		var words []string
		for _, p := range t.params {
			switch name := p.Names[0]; {
			case name == "budget" || name == "next":
			case p.Needed:
				words = append(words, name)
			default:
				words = append(words, name+"?")
			}
		}
		all[t.name] = strings.Join(words, ", ")
	}
	return all
}

// Package redact takes out of a session what must not leave the machine: secrets,
// and, by choice, names. A line goes in, a line and findings come out.
//
//	r, err := redact.New(redact.Options{Secrets: secrets})
//	line, found := r.Line(line)
//
// What is looked for, the surest first:
//
//   - Secrets that the user really has, by value: see Collect. They are found raw,
//     escaped, and in base64, hexadecimal, URLs and HTML.
//   - Rules: those of gitleaks (rules/gitleaks.toml, MIT, see rules/LICENSE.gitleaks),
//     what they miss in sessions (rules/pith.toml, rules/forms.txt), and the user's
//     own: see ReadRules.
//   - Random values, only where they are assigned to a name that speaks of a secret.
//     Hashes, UUIDs, and ids of entries, calls and messages are none.
//   - Names, by choice: see Names.
//
// Strings are looked at as they mean it, and then below every layer that is found in
// them: escapes (so JSON in JSON, to any depth that occurs), codes for terminals,
// characters that nobody sees, URLs, HTML, base64, hexadecimal, dumps, lists of
// bytes in a string, and gzip or zlib in base64. A token may go over a line break or
// over two blocks of text.
//
// Each finding becomes a placeholder like [redacted:github-pat#2]. The number is
// the same for the same secret, so the story stays readable.
//
// The package does not read images, does not decrypt, reads at most the first
// megabyte of compressed data, and does not verify whether a key works. It opens no
// files but those that Collect is given.
//
// # Invariants
//
//	R1  Without a finding the result is the line that was given.
//	R2  With one, only strings differ; what was JSON is JSON, and the members, their
//	    order, numbers and white space are as they were.
//	R3  What was redacted is not changed by redacting it again.
//	R4  Opaque data (signatures of thinking, encrypted content, images) stays whole
//	    or goes whole. It goes only for a known secret, or when all of it is one.
//	R5  Findings and errors never hold a secret's value.
//
// Stability: outside the core. Its exported names may still change.
package redact

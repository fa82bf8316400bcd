// Package redact removes secrets from a session before it leaves the machine
// and, on request, names. It turns a line into a redacted line and findings.
//
//	r, err := redact.New(redact.Options{Secrets: secrets})
//	line, found := r.Line(line)
//
// It searches for the following, in order of certainty:
//
//   - Secrets that the user really has, by value: see Collect. They are found
//     raw, escaped, and in base64, hexadecimal, URLs and HTML.
//   - Rules: those of gitleaks (rules/gitleaks.toml, MIT, see
//     rules/LICENSE.gitleaks), and additions for sessions (rules/pith.toml,
//     rules/forms.txt).
//   - Shapes: ways in which a text says that a value is a secret, such as
//     password=x. See rules/shapes.toml. Hashes, UUIDs, and ids of
//     entries, calls and messages do not count.
//   - Suspects: values that look random although nothing says that they are
//     secret, unless Options.KeepSuspects is set. See the exemptions in
//     suspects.go.
//   - Names, on request: see Names.
//
// A value of eight characters or more that was recognized once is a secret of
// the whole session: see Redactor.Learn.
//
// Strings are scanned decoded, and then below every layer found in them:
// escapes (including nested JSON), terminal codes, invisible characters, URLs,
// HTML, base64 and hexadecimal.
//
// Each finding becomes a placeholder like [redacted:github-pat#2], and a suspect
// one like [suspect#3]. The number is the same for the same secret, so the text stays readable.
//
// The package does not find a secret in an image, in a hex dump, in a list of
// bytes, in compressed data, or one that is split over lines or text blocks. It
// does not verify whether a key works. It opens only the files passed to
// Collect.
//
// # Invariants
//
//	R1  Without a finding, the result is the given line.
//	R2  With one, only strings differ; JSON stays JSON, and the members, their
//	    order, numbers and white space do not change.
//	R3  Redacting a redacted line does not change it.
//	R4  Opaque data (signatures of thinking, encrypted content, images) is kept or
//	    removed as a whole. It is removed only for a known or learned secret, or
//	    if all of it is one.
//	R5  Findings and errors never contain a secret's value.
//
// Stability: outside the core. Its exported names may still change.
package redact

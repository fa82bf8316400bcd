// Package pi contains the extension of pith for pi, in TypeScript, which
// pith install pi writes into pi's extensions.
package pi

import _ "embed"

// Extension is index.ts.
//
//go:embed index.ts
var Extension []byte

// Package is package.json.
//
//go:embed package.json
var Package []byte

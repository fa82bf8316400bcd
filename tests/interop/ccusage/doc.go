// Package ccusage compares costs with those of ccusage, run from npm.
package ccusage

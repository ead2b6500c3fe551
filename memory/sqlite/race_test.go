//go:build race

package sqlite

// The race detector makes every child process several times slower.
const killRounds = 15

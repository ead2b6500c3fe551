//go:build !race

package sqlite

const killRounds = 50

// Package bench measures the memory store beside chromem-go. It is a module of
// its own so that nobody who uses webhand depends on what it is compared with.
//
//	cd memory/bench && go test -bench . -benchtime 2s -timeout 30m
//
// MEMORY_BENCH_ROWS sets the number of memories to search, 100,000 if unset.
package bench

module github.com/seed-4bdb41d0/webhand/memory/pgvector

go 1.26.0

require (
	github.com/jackc/pgx/v5 v5.12.0
	github.com/seed-4bdb41d0/webhand v0.0.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/jackc/pgpassfile v1.0.0 // indirect
	github.com/jackc/pgservicefile v0.0.0-20240606120523-5a60cdf6a761 // indirect
	github.com/jackc/puddle/v2 v2.2.3 // indirect
	github.com/kaptinlin/jsonrepair v0.2.15 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace github.com/seed-4bdb41d0/webhand => ../..

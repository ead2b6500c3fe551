module github.com/seed-4bdb41d0/webhand/memory/qdrant

go 1.26.0

require (
	github.com/qdrant/go-client v1.17.1
	github.com/seed-4bdb41d0/webhand v0.0.0
	google.golang.org/grpc v1.78.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/kaptinlin/jsonrepair v0.2.15 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260209200024-4cfbd4190f57 // indirect
	google.golang.org/protobuf v1.36.11 // indirect
)

replace github.com/seed-4bdb41d0/webhand => ../..

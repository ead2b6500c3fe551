package schema

import "encoding/json"

// StrictValidator compiles a foreign schema and enforces every keyword of it,
// formats too. A pattern that package regexp cannot hold is an error.
func StrictValidator(text json.RawMessage) (*Validator, error) { return compile(text, true) }

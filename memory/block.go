package memory

import "github.com/seed-4bdb41d0/webhand/llm"

// Kind says what a piece of a prompt is. It decides where the piece stands and
// how early it is given up when the prompt is too long.
type Kind string

// The kinds, in the order of a prompt.
const (
	KindSystem  Kind = "system"  // the rules; never cut
	KindTask    Kind = "task"    // what the user wants; never cut
	KindHint    Kind = "hint"    // what earlier runs left behind
	KindSummary Kind = "summary" // folded steps
	KindStep    Kind = "step"    // a finished step
	KindNote    Kind = "note"    // plan, warnings, files: small and of this step only
	KindRead    Kind = "read"    // contents that are shown once
	KindPage    Kind = "page"    // the page as it is now
)

// Block is a piece of a prompt.
type Block struct {
	Kind   Kind
	Text   string
	Images []llm.Image
	// Shrink returns the text in at most the given number of tokens, in a
	// better way than cutting its middle out. Nil cuts lines.
	Shrink func(tokens int) string
}

// Message returns the block as a message: the rules are the system's, all else
// the user's.
func (b Block) Message() llm.Message {
	m := llm.Message{Role: llm.RoleUser}
	if b.Kind == KindSystem {
		m.Role = llm.RoleSystem
	}
	if b.Text != "" {
		m.Parts = append(m.Parts, llm.Part{Text: b.Text})
	}
	for i := range b.Images {
		m.Parts = append(m.Parts, llm.Part{Image: &b.Images[i]})
	}
	return m
}

// Tokens estimates what the block costs as a message.
func (b Block) Tokens() int {
	return llm.EstimateTokens(&llm.Request{Messages: []llm.Message{b.Message()}}) - requestTokens
}

// requestTokens is what llm.EstimateTokens counts for a request without messages.
const requestTokens = 3

// Total estimates the cost of all blocks.
func Total(blocks []Block) int {
	n := requestTokens
	for _, b := range blocks {
		n += b.Tokens()
	}
	return n
}

package registry

import "time"

// Spec describes an action to the model and to the loop that runs it.
type Spec struct {
	// Name is what the model writes: lower-case letters, digits and
	// underscores, starting with a letter, at most 64 characters. Required.
	Name string
	// Description tells the model when and how to use the action. Required.
	Description string
	// Domains are URL patterns ([scheme://]host[:port][/path-glob]); nil means
	// every page. On other pages the action is neither shown nor run.
	Domains []string
	// When is a further condition on the page that no pattern can say. It is
	// asked at compile time and again before the action runs.
	When func(Page) bool
	// EndsStep makes the loop stop after this action: later actions of the
	// same step were planned for a page that is gone.
	EndsStep bool
	// Timeout bounds one run of the action. Zero is the registry's default.
	Timeout time.Duration
	// Defaults is a value of the handler's params type whose non-zero fields
	// are the defaults that struct tags cannot say.
	Defaults any
	// ReadOnly marks an action that changes nothing on the page or elsewhere.
	ReadOnly bool
	// NeedsApproval asks the approver even where the policy would not.
	NeedsApproval bool
	// SecretFields names the params (JSON names, nested ones as "login.password")
	// that may receive a secret. Placeholders in any other param are refused.
	SecretFields []string
}

// Page is what conditions and patterns may look at.
type Page struct {
	URL         string // of the top document; empty when no page is open
	Title       string
	ContentType string
}

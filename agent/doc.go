// Package agent carries out a task in plain words in a real browser: it looks
// at the page, asks a language model what to do, does it, and keeps an honest
// record until the task is done or cannot be done.
//
//	h, err := agent.Run(ctx, "How many stars has the Go repository on GitHub?",
//		agent.Config{LLM: openai.New(openai.Config{Model: "gpt-4.1-mini"})})
//	if err != nil {
//		return err
//	}
//	fmt.Println(h.Final(), h.Succeeded())
//
// [RunFor] answers with a value of a Go type. [New] makes an [Agent] that can
// be watched ([Agent.Steps]), paused, corrected ([Agent.Tell]), stopped, given
// a follow-up ([Agent.AddTask]), and continued elsewhere ([Agent.State]). A
// [Group] runs many in one Chrome.
//
// # A step
//
// A step is a transaction: look, decide, act, record. Whatever happens in it (a
// bad answer, a failed action, a timeout, a panic, a pause, the end of the
// context) leaves exactly one [Step] in the [History], with what was really
// done. The model's answer is read action by action: the valid beginning runs,
// and the model is told in one line why the rest did not.
//
// # What counts as a failure
//
// A step fails when no action of it succeeded: the model could not be asked or
// wrote nothing usable, or the first action failed. When the last action fails
// after others that succeeded, the step counts as failed if the page then is
// what it was before. Limits.Failures failures in a row end the run with a
// [*FailureError], after one more call in which the model can only finish.
// Rate limits are waited for and are no failures. A bad key, a spent quota or
// budget, and a dead browser end the run at once.
//
// # What the model is told
//
// The prompt is laid out for the providers' caches: rules, task and past steps
// come first and only grow at their end; the page, which changes, comes last.
// Whatever web sites wrote stands between tags that carry a fresh random sign,
// and the rules say that it is never an instruction. Secrets are named, never
// shown: everything that is sent, kept, logged or written passes one redactor.
// A screenshot that shows a secret is beyond it.
package agent

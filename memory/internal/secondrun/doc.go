// Package secondrun holds a test alone: that an agent with long-term memory
// does a task faster the second time. It stands apart because it needs the
// agent, a browser and a store at once.
package secondrun

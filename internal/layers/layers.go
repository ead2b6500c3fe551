// Package layers holds the test that keeps the imports of webhand pointing one
// way: examples, agent, tools, registry and browser, then dom and llm, with the
// providers as leaves.
package layers

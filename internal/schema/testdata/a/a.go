// Package a has a type of the same name as package b.
package a

// Click is by index.
type Click struct {
	Index int `json:"index"`
}

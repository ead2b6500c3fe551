// Package b has a type of the same name as package a.
package b

// Click is by point.
type Click struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

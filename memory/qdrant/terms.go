package qdrant

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// Qdrant's own conditions on metadata do not mean what the operators of a
// longterm.Filter mean: they look into lists, know no equality of fractions,
// and read dots and brackets in a key as a path. A memory therefore carries a
// list of terms, "key=" and something about the key's value, and equality is
// one match on that list:
//
//	k=*        there is a value
//	k=s k=n k=[    it is a text, a number, a list
//	k=s:v k=n:v k=b:v    it is this text, number, boolean
//	k=[s:v ...    it is a list with this element
//
// A key with "=" in it cannot be in a filter, so no two terms are mistaken
// for each other.

// longTerm is the length in bytes above which a text stands as its hash.
const longTerm = 128

// scalar is the part of a term that stands for a value; empty for one that
// cannot be compared.
func scalar(v any) string {
	switch v := v.(type) {
	case string:
		if v = strings.ToValidUTF8(v, "\uFFFD"); len(v) > longTerm {
			h := sha256.Sum256([]byte(v))
			return "S:" + hex.EncodeToString(h[:])
		}
		return "s:" + v
	case float64:
		if v == 0 {
			v = 0 // not minus zero
		}
		return "n:" + strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return "b:" + strconv.FormatBool(v)
	}
	return ""
}

// plainFields are the fields that terms stand for beside the metadata. The
// text and the times are left out: they are compared here.
var plainFields = []string{"id", "hash", "user_id", "agent_id", "run_id", "actor_id", "role", "memory_type", "attributed_to", "expiration_date"}

// unlisted are the fields that have no terms.
var unlisted = map[string]bool{"memory": true, "data": true, "created_at": true, "updated_at": true}

// terms returns the terms of a record.
func terms(r *longterm.Record) []string {
	var out []string
	add := func(key string) {
		v, ok := r.Field(key)
		if !ok || v == nil {
			return
		}
		out = append(out, key+"=*")
		switch v := v.(type) {
		case string:
			out = append(out, key+"=s", key+"="+scalar(v))
		case float64:
			out = append(out, key+"=n", key+"="+scalar(v))
		case bool:
			out = append(out, key+"="+scalar(v))
		case []any:
			out = append(out, key+"=[")
			for _, e := range v {
				if t := scalar(e); t != "" {
					out = append(out, key+"=["+t)
				}
			}
		}
	}
	for _, key := range plainFields {
		add(key)
	}
	for key := range r.Metadata {
		if slices.Contains(plainFields, key) || unlisted[key] || longterm.Where(key, longterm.OpExists, nil).Check() != nil {
			continue // hidden by a field of the record, or not to be asked for
		}
		add(key)
	}
	return out
}

// Package secretsfile reads the file that the example programs take secrets
// from.
package secretsfile

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// totpSuffix marks a name whose value is the seed of one-time codes.
const totpSuffix = "_2fa_code"

// Load reads secrets from a JSON file: {"name": "value"} for every page, or
// {"https://*.shop.test": {"name": "value"}} for the pages of a URL pattern. A
// name that ends in _2fa_code holds the seed of one-time codes.
func Load(path string) ([]registry.Secret, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("secrets file %s: %w", path, err)
	}
	keys := make([]string, 0, len(file))
	for k := range file {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	var out []registry.Secret
	for _, k := range keys {
		var value string
		if json.Unmarshal(file[k], &value) == nil {
			out = append(out, secret(k, value))
			continue
		}
		var scoped map[string]string
		if err := json.Unmarshal(file[k], &scoped); err != nil {
			return nil, fmt.Errorf("secrets file %s: %q is neither a text nor an object of texts", path, k)
		}
		names := make([]string, 0, len(scoped))
		for n := range scoped {
			names = append(names, n)
		}
		slices.Sort(names)
		for _, n := range names {
			out = append(out, secret(n, scoped[n], k))
		}
	}
	return out, nil
}

func secret(name, value string, domains ...string) registry.Secret {
	if strings.HasSuffix(name, totpSuffix) {
		return registry.NewTOTP(name, value, domains...)
	}
	return registry.NewSecret(name, value, domains...)
}

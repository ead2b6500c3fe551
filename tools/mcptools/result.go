package mcptools

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/registry"
)

// stays is the length in characters of a result beyond which the model sees it
// once and keeps its beginning.
const (
	stays = 3000
	keeps = 500
)

// result is what a tool answered.
func (c *Client) result(r *remote, res *sdk.CallToolResult) *registry.Result {
	out := &registry.Result{}
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	for _, content := range res.Content {
		switch x := content.(type) {
		case *sdk.TextContent:
			if x.Text != "" {
				parts = append(parts, x.Text)
			}
		case *sdk.ImageContent:
			out.Images = append(out.Images, registry.Image{MIME: x.MIMEType, Data: x.Data})
		case *sdk.AudioContent:
			add("[audio, %s, %d bytes]", x.MIMEType, len(x.Data))
		case *sdk.ResourceLink:
			add("[resource %s]", strings.Join(words(x.URI, x.Name, x.MIMEType, x.Description), ", "))
		case *sdk.EmbeddedResource:
			if x.Resource == nil {
				continue
			}
			switch {
			case strings.HasPrefix(x.Resource.MIMEType, "image/") && len(x.Resource.Blob) > 0:
				out.Images = append(out.Images, registry.Image{Name: x.Resource.URI, MIME: x.Resource.MIMEType, Data: x.Resource.Blob})
			case len(x.Resource.Blob) > 0:
				add("[resource %s, %d bytes]", strings.Join(words(x.Resource.URI, x.Resource.MIMEType), ", "), len(x.Resource.Blob))
			default:
				add("[resource %s]\n%s", x.Resource.URI, x.Resource.Text)
			}
		default:
			add("[content of another kind, %T]", content)
		}
	}
	if res.StructuredContent != nil {
		out.Metadata = map[string]any{"structured_content": res.StructuredContent}
		if len(parts) == 0 {
			if b, err := json.Marshal(res.StructuredContent); err == nil {
				parts = append(parts, string(b))
			}
		}
	}
	text := strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
	if n := len([]rune(text)); n > c.cfg.MaxText {
		text = string([]rune(text)[:c.cfg.MaxText]) + fmt.Sprintf("\n... %d more characters were cut", n-c.cfg.MaxText)
	}
	if res.IsError {
		if text == "" {
			text = "it failed and did not say why"
		}
		out.Error = fmt.Sprintf("%s of server %s: %s", r.name, c.cfg.Name, text)
		return out
	}
	if text == "" && len(out.Images) == 0 {
		text = fmt.Sprintf("%s of server %s is done and said nothing", r.name, c.cfg.Name)
	}
	out.Text = text
	if len([]rune(text)) > stays {
		out.Once = true
		out.Memory = fmt.Sprintf("%s of server %s answered at length, beginning with: %s", r.name, c.cfg.Name, cut(text, keeps))
	}
	return out
}

// words leaves the empty ones out.
func words(list ...string) []string {
	var out []string
	for _, w := range list {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

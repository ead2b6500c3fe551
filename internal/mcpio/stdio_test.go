package mcpio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func server() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	s.AddTool(&sdk.Tool{Name: "echo", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(req.Params.Arguments)}}}, nil
	})
	return s
}

const (
	initialize  = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n"
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	echo        = `{"jsonrpc":"2.0","id":"last","method":"tools/call","params":{"name":"echo","arguments":{"x":1}}}` + "\n"
)

// session writes a whole input and reads until the answer to echo, or the end.
func session(t testing.TB, input []byte) (out []string, answered bool) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server().Run(ctx, New(inR, outW))
		_ = outW.Close()
	}()
	go func() {
		_, _ = inW.Write(input)
		_, _ = io.WriteString(inW, echo)
	}()
	sc := bufio.NewScanner(outR)
	sc.Buffer(nil, 2*maxLine)
	for sc.Scan() {
		out = append(out, sc.Text())
		var m struct {
			ID     any `json:"id"`
			Result any `json:"result"`
		}
		if json.Unmarshal(sc.Bytes(), &m) == nil && m.ID == "last" && m.Result != nil {
			answered = true
			break
		}
	}
	cancel()
	_ = inW.Close()
	_ = outR.Close()
	<-ended
	return out, answered
}

func TestALineThatIsNoMessageEndsNothing(t *testing.T) {
	for name, garbage := range map[string]string{
		"text":               "hello\n",
		"half an object":     "{\"jsonrpc\":\n",
		"two on a line":      "{} {}\n",
		"a number":           "7\n",
		"null":               "null\n",
		"an empty batch":     "[]\n",
		"a batch of nothing": "[1,{}]\n",
		"no version":         `{"id":1,"method":"x"}` + "\n",
		"an object as id":    `{"jsonrpc":"2.0","id":{},"method":"ping"}` + "\n",
		"neither":            `{"jsonrpc":"2.0","id":1}` + "\n",
		"an odd answer":      `{"jsonrpc":"2.0","id":99,"result":{}}` + "\n",
		"bytes":              "\x00\xff\xfe\n",
		"empty lines":        "\n\r\n  \n",
		"a very long line":   strings.Repeat("x", maxLine+10) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			out, answered := session(t, []byte(initialize+initialized+garbage))
			if !answered {
				t.Errorf("the session ended; it wrote %.500q", out)
			}
		})
	}
}

func TestIDsOfRefusedMessages(t *testing.T) {
	for line, want := range map[string]string{
		`{"jsonrpc":"1.0","id":5,"method":"x"}`: "null",
		`{"jsonrpc":"2.0","id":5,"method":7}`:   "null",
		`{"jsonrpc":"2.0","id":{},"method":""}`: "null",
		`{"id":`:                                "null",
	} {
		if id, err := check([]byte(line)); err == nil || string(id) != want {
			t.Errorf("%s: id %s, %v", line, id, err)
		}
	}
}

// FuzzStdio: whatever comes in, only messages go out, and the next message is
// answered.
func FuzzStdio(f *testing.F) {
	for _, s := range []string{
		"", "hello\n", "{}\n", "[]\n", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[1]}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}` + "\n", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]` + "\n", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"last"}}` + "\n",
		`{"jsonrpc":"2.0","id":null,"method":"ping"}` + "\n", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}` + "\n", `{"JSONRPC":"2.0","id":1,"method":"ping"}` + "\n", "\xef\xbb\xbf{}\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte(`last`)) {
			t.Skip() // it could speak of the message that is waited for
		}
		if len(in) > 0 && in[len(in)-1] != '\n' {
			in = append(in, '\n')
		}
		out, answered := session(t, append([]byte(initialize+initialized), in...))
		if !answered {
			t.Errorf("%q ended the session; it wrote %q", in, out)
		}
		for _, l := range out {
			var m struct {
				Version string `json:"jsonrpc"`
			}
			if err := json.Unmarshal([]byte(l), &m); err != nil || m.Version != "2.0" {
				t.Errorf("wrote %q", l)
			}
		}
	})
}

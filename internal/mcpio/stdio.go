// Package mcpio is the standard input and output of an MCP server that
// survives what its client writes: a line that is no message is answered with
// an error, and the next one is read.
package mcpio

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the size of a message in bytes beyond which it is refused.
const maxLine = sdk.DefaultMaxLineLength

// New returns a transport that reads messages from in and writes them to out,
// one a line. Only messages are written to out. The end of the session closes
// in and leaves out alone.
func New(in io.ReadCloser, out io.Writer) sdk.Transport {
	r, w := io.Pipe()
	l := &lines{in: in, pipe: r, out: &locked{w: out}}
	go l.run(w)
	return &sdk.IOTransport{Reader: l, Writer: l.out}
}

// locked keeps messages of two writers apart.
type locked struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Close implements io.Closer.
func (l *locked) Close() error { return nil }

// lines hands on the lines that are messages.
type lines struct {
	in   io.ReadCloser
	pipe *io.PipeReader
	out  *locked
}

func (l *lines) Read(p []byte) (int, error) { return l.pipe.Read(p) }

// Close ends the reading.
func (l *lines) Close() error {
	_ = l.pipe.Close()
	return l.in.Close()
}

func (l *lines) run(w *io.PipeWriter) {
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		line, long, err := readLine(r)
		if line = bytes.TrimSpace(line); len(line) > 0 || long {
			if werr := l.pass(w, line, long); werr != nil {
				_ = w.CloseWithError(werr)
				return
			}
		}
		if err != nil {
			_ = w.CloseWithError(err)
			return
		}
	}
}

// pass hands on what of a line are messages and answers the rest. Its error
// says that the session is over.
func (l *lines) pass(w io.Writer, line []byte, long bool) error {
	if long {
		return l.refuse(json.RawMessage("null"), &protocolError{parseError, fmt.Sprintf("the message is longer than %d bytes", maxLine)})
	}
	for _, m := range split(line) {
		id, bad := check(m)
		if bad != nil {
			if err := l.refuse(id, bad); err != nil {
				return err
			}
			continue
		}
		if _, err := w.Write(append(m, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// split takes a batch apart, which only protocol version 2025-03-26 has.
func split(line []byte) [][]byte {
	var batch []json.RawMessage
	if line[0] != '[' || json.Unmarshal(line, &batch) != nil || len(batch) == 0 {
		return [][]byte{line}
	}
	out := make([][]byte, len(batch))
	for i, m := range batch {
		// A line of its own, which line breaks between tokens are not.
		var b bytes.Buffer
		if json.Compact(&b, m) != nil {
			return [][]byte{line}
		}
		out[i] = b.Bytes()
	}
	return out
}

// readLine reads a line of any length and keeps at most maxLine bytes of it.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !long {
			line = append(line, part...)
		}
		if len(line) > maxLine {
			line, long = nil, true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// parseError and invalidRequest are codes of JSON-RPC 2.0, section 5.1.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// protocolError is a message that is none.
type protocolError struct {
	code int
	text string
}

func (e *protocolError) Error() string { return e.text }

// check reports what is wrong with a message, and the id it carries if it
// does.
func check(m []byte) (id json.RawMessage, err error) {
	id = json.RawMessage("null")
	if !json.Valid(m) {
		return id, &protocolError{parseError, "the line is not JSON"}
	}
	var head struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
	}
	if m[0] != '{' || json.Unmarshal(m, &head) != nil || head.Version != "2.0" {
		return id, &protocolError{invalidRequest, `not a JSON-RPC 2.0 message: it has "jsonrpc":"2.0" and a method`}
	}
	if len(head.ID) > 0 && (head.ID[0] == '"' || head.ID[0] == '-' || head.ID[0] >= '0' && head.ID[0] <= '9') {
		id = head.ID
	}
	if _, err := jsonrpc.DecodeMessage(m); err != nil {
		return id, &protocolError{invalidRequest, "not a JSON-RPC 2.0 message: " + err.Error()}
	}
	return id, nil
}

func (l *lines) refuse(id json.RawMessage, err error) error {
	code := parseError
	if pe, ok := errors.AsType[*protocolError](err); ok {
		code = pe.code
	}
	text, merr := json.Marshal(err.Error())
	if merr != nil {
		return merr
	}
	_, werr := fmt.Fprintf(l.out, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, text)
	return werr
}

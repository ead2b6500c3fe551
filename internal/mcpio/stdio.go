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
			id, bad := json.RawMessage("null"), error(nil)
			if long {
				bad = fmt.Errorf("the message is longer than %d bytes", maxLine)
			} else {
				id, bad = check(line)
			}
			switch {
			case bad != nil:
				if werr := l.refuse(id, bad); werr != nil {
					_ = w.CloseWithError(werr)
					return
				}
			default:
				if _, werr := w.Write(append(line, '\n')); werr != nil {
					return // the session is over
				}
			}
		}
		if err != nil {
			_ = w.CloseWithError(err)
			return
		}
	}
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

// check reports what is wrong with a line, and the id it carries if it does.
func check(line []byte) (id json.RawMessage, err error) {
	id = json.RawMessage("null")
	if !json.Valid(line) {
		return id, &protocolError{parseError, "the line is not JSON"}
	}
	if line[0] == '[' {
		var batch []json.RawMessage
		if err := json.Unmarshal(line, &batch); err != nil || len(batch) == 0 {
			return id, &protocolError{invalidRequest, "an empty batch"}
		}
		for _, m := range batch {
			if _, err := checkOne(bytes.TrimSpace(m)); err != nil {
				return id, err
			}
		}
		return id, nil
	}
	return checkOne(line)
}

func checkOne(m []byte) (id json.RawMessage, err error) {
	id = json.RawMessage("null")
	var head struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  *string         `json:"method"`
	}
	if len(m) == 0 || m[0] != '{' || json.Unmarshal(m, &head) != nil || head.Version != "2.0" {
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

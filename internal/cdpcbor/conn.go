package cdpcbor

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto"
	jsonv2 "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Conn carries messages over the pipes of a Chrome. It is a
// [chromedp.Transport].
type Conn struct {
	r  io.ReadCloser
	br *bufio.Reader

	mu   sync.Mutex // one message is written at a time
	w    io.WriteCloser
	wbuf []byte
	dec  jsonv2.Decoder // of params

	closeOnce sync.Once
	closeErr  error
}

var _ chromedp.Transport = (*Conn)(nil)

// New returns a Conn that reads what Chrome writes to r and writes what it
// reads from w. Close closes both.
func New(r io.ReadCloser, w io.WriteCloser) *Conn {
	return &Conn{r: r, w: w, br: bufio.NewReaderSize(r, 64<<10)}
}

// Close closes both pipes, upon which Chrome exits.
func (c *Conn) Close() error {
	c.closeOnce.Do(func() { c.closeErr = errors.Join(c.r.Close(), c.w.Close()) })
	return c.closeErr
}

// Read reads the next message. One goroutine at a time may call it; Close ends
// it. The error is io.EOF when Chrome closed its end between two messages.
func (c *Conn) Read(_ context.Context, msg *cdproto.Message) error {
	head, err := c.br.Peek(7)
	if err != nil {
		if err == io.EOF && len(head) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	n, size, err := envelopeLength(head)
	if err != nil {
		return fmt.Errorf("cdpcbor: %w", err)
	}
	if _, err := c.br.Discard(size); err != nil {
		return err
	}
	b, err := readAll(c.br, n)
	if err != nil {
		return err
	}
	if err := decode(b, msg); err != nil {
		return fmt.Errorf("cdpcbor: %w", err)
	}
	return nil
}

// readAll reads n bytes; a length that is not true costs no memory.
func readAll(r io.Reader, n int) ([]byte, error) {
	const chunk = 16 << 20
	b := make([]byte, 0, min(n, chunk))
	for len(b) < n {
		k := len(b)
		b = append(b, make([]byte, min(n-k, chunk))...)
		if _, err := io.ReadFull(r, b[k:]); err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return b, nil
}

// Write writes a message.
func (c *Conn) Write(_ context.Context, msg *cdproto.Message) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := encode(c.wbuf[:0], &c.dec, msg)
	if err != nil {
		return fmt.Errorf("cdpcbor: %s: %w", msg.Method, err)
	}
	if cap(b) <= 1<<20 {
		c.wbuf = b
	}
	_, err = c.w.Write(b)
	return err
}

// encode appends a message; d is there to be used again.
func encode(dst []byte, d *jsonv2.Decoder, msg *cdproto.Message) ([]byte, error) {
	dst, at := begin(dst)
	dst = append(dst, initialMap)
	if msg.ID != 0 {
		dst = appendNumber(appendText(dst, "id"), float64(msg.ID))
	}
	if msg.Method != "" {
		dst = appendText(appendText(dst, "method"), string(msg.Method))
	}
	if msg.SessionID != "" {
		dst = appendText(appendText(dst, "sessionId"), string(msg.SessionID))
	}
	if len(msg.Params) > 0 {
		var err error
		d.Reset(bytes.NewReader(msg.Params), chromedp.DefaultUnmarshalOptions)
		if dst, err = appendJSON(appendText(dst, "params"), d, 0); err != nil {
			return nil, err
		}
	}
	return end(append(dst, initialStop), at)
}

// decode reads a message without its envelope.
func decode(b []byte, msg *cdproto.Message) error {
	r := &reader{b: b}
	if first, err := r.peek(); err != nil || first != initialMap {
		return errors.New("the message is no map")
	}
	r.pos++
	for {
		if b, err := r.peek(); err != nil {
			return err
		} else if b == initialStop {
			return nil
		}
		key, err := r.text()
		if err != nil {
			return err
		}
		switch string(key) {
		case "id":
			msg.ID, err = r.integer()
		case "method":
			var s []byte
			s, err = r.text()
			msg.Method = cdproto.MethodType(s)
		case "sessionId":
			var s []byte
			s, err = r.text()
			msg.SessionID = target.SessionID(s)
		default:
			var v []byte
			if v, err = r.json(make([]byte, 0, r.room()), 0); err != nil {
				break
			}
			switch string(key) {
			case "params":
				msg.Params = v
			case "result":
				msg.Result = v
			case "error":
				err = jsonv2.Unmarshal(v, &msg.Error, chromedp.DefaultUnmarshalOptions)
			}
		}
		if err != nil {
			return fmt.Errorf("%q: %w", key, err)
		}
	}
}

// room guesses how long the next value is as JSON.
func (r *reader) room() int {
	if n, _, err := envelopeLength(r.b[r.pos:]); err == nil && n <= len(r.b) {
		return n + n/16 + 64
	}
	return 64
}

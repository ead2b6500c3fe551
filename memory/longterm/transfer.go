package longterm

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/seed-4bdb41d0/webhand/memory/embed"
)

// exportFormat names the file format; exportVersion changes with its meaning.
const (
	exportFormat  = "webhand-memory"
	exportVersion = 1
	maxLine       = 16 << 20
	importBatch   = 128
)

// exportLine is one line of an export: the header, a memory, or a history row.
type exportLine struct {
	Format  string      `json:"format,omitempty"`
	Version int         `json:"version,omitempty"`
	Memory  *Item       `json:"memory,omitempty"`
	History *HistoryRow `json:"history,omitempty"`
}

// Export writes the memories of a scope, or of everybody when the scope is
// zero, as JSON lines: a header, then every memory followed by its history.
// Vectors are not written; Import makes them anew. It returns the number of
// memories.
func (m *Memory) Export(ctx context.Context, w io.Writer, s Scope) (int, error) {
	if err := m.open(); err != nil {
		return 0, err
	}
	bw := bufio.NewWriter(w)
	enc := json.NewEncoder(bw)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(exportLine{Format: exportFormat, Version: exportVersion}); err != nil {
		return 0, fmt.Errorf("export: %w", err)
	}
	n, cursor := 0, ""
	for {
		rs, next, err := m.store.List(ctx, StoreList{Scope: s, Limit: maxLimit, Cursor: cursor})
		if err != nil {
			return n, fmt.Errorf("export: %w", storeErr(err))
		}
		for i := range rs {
			it := rs[i].Item()
			if err := enc.Encode(exportLine{Memory: &it}); err != nil {
				return n, fmt.Errorf("export: %w", err)
			}
			hs, err := m.store.History(ctx, it.ID)
			if err != nil {
				return n, fmt.Errorf("export: %w", storeErr(err))
			}
			for j := range hs {
				if err := enc.Encode(exportLine{History: &hs[j]}); err != nil {
					return n, fmt.Errorf("export: %w", err)
				}
			}
			n++
		}
		if cursor = next; cursor == "" {
			break
		}
	}
	if err := bw.Flush(); err != nil {
		return n, fmt.Errorf("export: %w", err)
	}
	return n, nil
}

// Import reads what Export wrote and returns the number of memories that were
// new. Memories whose id is there already stay as they are, so an import that
// was interrupted can be repeated. A broken line ends it with an error that
// names the line; what came before it is imported.
func (m *Memory) Import(ctx context.Context, r io.Reader) (int, error) {
	if err := m.open(); err != nil {
		return 0, err
	}
	br := bufio.NewReader(r)
	var (
		line, n int
		rs      []Record
		hs      []HistoryRow
	)
	flush := func() error {
		added, err := m.importBatch(ctx, rs, hs)
		n += added
		rs, hs = rs[:0], hs[:0]
		return err
	}
	for {
		b, err := readLine(br)
		if errors.Is(err, io.EOF) {
			break
		}
		line++
		var l exportLine
		if err == nil {
			err = json.Unmarshal(b, &l)
		}
		if err == nil {
			err = checkLine(line, l)
		}
		if err != nil {
			return n, errors.Join(flush(), fmt.Errorf("import: line %d: %w", line, err))
		}
		if l.History != nil {
			hs = append(hs, *l.History)
		}
		if l.Memory == nil {
			continue
		}
		if len(rs) == importBatch {
			if err := flush(); err != nil {
				return n, fmt.Errorf("import: up to line %d: %w", line, err)
			}
		}
		rs = append(rs, l.Memory.record())
	}
	if line == 0 {
		return 0, fmt.Errorf("import: the input is empty; an export has at least a header line")
	}
	if err := flush(); err != nil {
		return n, fmt.Errorf("import: up to line %d: %w", line, err)
	}
	return n, nil
}

func checkLine(line int, l exportLine) error {
	if line == 1 {
		if l.Format != exportFormat {
			return fmt.Errorf("the first line must be the header {\"format\":%q,...}", exportFormat)
		}
		if l.Version != exportVersion {
			return fmt.Errorf("version %d of the format; this is version %d", l.Version, exportVersion)
		}
		return nil
	}
	if l.History != nil && (l.History.ID == "" || l.History.MemoryID == "") {
		return fmt.Errorf("a history row has no id")
	}
	if l.Memory == nil {
		return nil
	}
	it := l.Memory
	if it.ID == "" || it.Memory == "" {
		return fmt.Errorf("a memory has no id or no text")
	}
	if _, err := it.Scope.Check(); err != nil {
		return err
	}
	if it.ExpiresOn != "" {
		return CheckDate(it.ExpiresOn)
	}
	return nil
}

// record is the inverse of Record.Item.
func (it *Item) record() Record {
	return Record{
		ID: it.ID, Scope: it.Scope, ActorID: it.ActorID, Role: it.Role, Type: it.Type, AttributedTo: it.AttributedTo,
		Text: it.Memory, Hash: hashOf(it.Memory), Metadata: it.Metadata, ExpiresOn: it.ExpiresOn,
		CreatedAt: it.CreatedAt.Time, UpdatedAt: it.UpdatedAt.Time, Tokens: tokens(it.Memory),
	}
}

func (m *Memory) importBatch(ctx context.Context, rs []Record, hs []HistoryRow) (int, error) {
	if len(rs) == 0 && len(hs) == 0 {
		return 0, nil
	}
	texts := make([]string, len(rs))
	for i := range rs {
		rs[i].Text = m.redact(rs[i].Text)
		texts[i] = rs[i].Text
	}
	vs, fp, err := m.embed(ctx, texts, embed.Document)
	if err != nil {
		return 0, err
	}
	for i := range rs {
		rs[i].Vector = vs[i]
		if rs[i].CreatedAt.IsZero() {
			rs[i].CreatedAt = m.now()
		}
		if rs[i].UpdatedAt.IsZero() {
			rs[i].UpdatedAt = rs[i].CreatedAt
		}
	}
	n, err := m.store.Import(ctx, fp, rs, hs)
	if err != nil {
		return n, storeErr(err)
	}
	return n, nil
}

// readLine reads one line without its end, of bounded length.
func readLine(r *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := r.ReadSlice('\n')
		out = append(out, part...)
		switch {
		case len(out) > maxLine:
			return nil, fmt.Errorf("more than %d bytes", maxLine)
		case err == nil:
			return out, nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(out) > 0:
			return out, nil
		default:
			return nil, err
		}
	}
}

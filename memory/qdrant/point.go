package qdrant

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	qd "github.com/qdrant/go-client/qdrant"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// The kinds of points.
const (
	kindMemory  = "memory"
	kindHistory = "history"
	kindGone    = "gone" // was a memory
	kindSetting = "setting"
	kindTurn    = "turn"
)

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// memoryPoint returns the id of a memory's point: Qdrant takes UUIDs only, so
// any other id stands as a name-based one (RFC 9562, version 5).
func memoryPoint(id string) *qd.PointId {
	if uuid.MatchString(id) {
		return qd.NewIDUUID(id)
	}
	return named(kindMemory, id)
}

func named(kind, id string) *qd.PointId {
	h := sha1.Sum([]byte("webhand " + kind + " " + id))
	h[6], h[8] = h[6]&0x0f|0x50, h[8]&0x3f|0x80
	return qd.NewIDUUID(fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16]))
}

// fields is a payload.
type fields map[string]*qd.Value

// text sets a field; empty ones are left out.
func (f fields) text(key, v string) {
	if v != "" {
		f[key] = qd.NewValueString(strings.ToValidUTF8(v, "\uFFFD"))
	}
}

func (f fields) scope(sc longterm.Scope) {
	f.text("user_id", sc.UserID)
	f.text("agent_id", sc.AgentID)
	f.text("run_id", sc.RunID)
}

// get returns a text field, empty when it is missing.
func (f fields) get(key string) string { return f[key].GetStringValue() }

func (f fields) optional(key string) *string {
	v, ok := f[key].GetKind().(*qd.Value_StringValue)
	if !ok {
		return nil
	}
	return &v.StringValue
}

// stored is a memory with all that its point holds.
type stored struct {
	longterm.Record
	dense []float32
	words *qd.SparseVector
}

// noVectors are those of a point that has none. The server does not take a
// point without the field.
func noVectors() *qd.Vectors { return qd.NewVectorsMap(map[string]*qd.Vector{}) }

func (m *stored) point() (*qd.PointStruct, error) {
	r := &m.Record
	f := fields{"kind": qd.NewValueString(kindMemory), "created": qd.NewValueInt(r.CreatedAt.UnixMicro()), "updated": qd.NewValueInt(r.UpdatedAt.UnixMicro())}
	for _, p := range [][2]string{
		{"id", r.ID}, {"actor_id", r.ActorID}, {"role", r.Role}, {"memory_type", string(r.Type)}, {"attributed_to", r.AttributedTo},
		{"data", r.Text}, {"hash", r.Hash}, {"expiration_date", r.ExpiresOn}, {"created_at", stamp(r.CreatedAt)}, {"updated_at", stamp(r.UpdatedAt)},
	} {
		f.text(p[0], p[1])
	}
	f.scope(r.Scope)
	if r.ExpiresOn != "" {
		f["expires"] = qd.NewValueInt(dayNumber(r.ExpiresOn))
	}
	indexed := *r
	if len(r.Metadata) > 0 {
		// Through JSON, so that it holds what a reader will get.
		b, err := json.Marshal(r.Metadata)
		if err != nil {
			return nil, err
		}
		indexed.Metadata = nil
		if err := json.Unmarshal(b, &indexed.Metadata); err != nil {
			return nil, err
		}
		md, err := qd.NewStruct(indexed.Metadata)
		if err != nil {
			return nil, err
		}
		f["metadata"] = qd.NewValueStruct(md)
	}
	ts := terms(&indexed)
	list := make([]*qd.Value, len(ts))
	for i, t := range ts {
		list[i] = qd.NewValueString(t)
	}
	f["terms"] = qd.NewValueFromList(list...)
	vs := make(map[string]*qd.Vector, 2)
	if len(m.dense) > 0 {
		vs[denseName] = qd.NewVectorDense(m.dense)
	}
	if len(m.words.GetIndices()) > 0 {
		vs[wordsName] = qd.NewVectorSparse(m.words.Indices, m.words.Values)
	}
	return &qd.PointStruct{Id: memoryPoint(r.ID), Payload: f, Vectors: qd.NewVectorsMap(vs)}, nil
}

// decode reads a memory.
func decode(f fields) (r longterm.Record, err error) {
	r = longterm.Record{
		ID: f.get("id"), Scope: longterm.Scope{UserID: f.get("user_id"), AgentID: f.get("agent_id"), RunID: f.get("run_id")},
		ActorID: f.get("actor_id"), Role: f.get("role"), Type: longterm.Type(f.get("memory_type")), AttributedTo: f.get("attributed_to"),
		Text: f.get("data"), Hash: f.get("hash"), ExpiresOn: f.get("expiration_date"),
	}
	if md := f["metadata"].GetStructValue(); md != nil {
		r.Metadata = plainMap(md.GetFields())
	}
	if r.CreatedAt, err = parseStamp(f.get("created_at")); err == nil {
		r.UpdatedAt, err = parseStamp(f.get("updated_at"))
	}
	if err != nil {
		err = fmt.Errorf("memory %s: %w", r.ID, err)
	}
	return r, err
}

// decodeStored reads a memory with its vectors.
func decodeStored(p *qd.RetrievedPoint) (*stored, error) {
	r, err := decode(p.GetPayload())
	if err != nil {
		return nil, err
	}
	vs := p.GetVectors().GetVectors().GetVectors()
	m := &stored{Record: r, dense: denseOf(vs)}
	if w := vs[wordsName].GetSparseVector(); w != nil {
		m.words = w
	}
	return m, nil
}

func denseOf(vs map[string]*qd.VectorOutput) []float32 {
	return vs[denseName].GetDenseVector().GetData()
}

func plainMap(fs map[string]*qd.Value) map[string]any {
	out := make(map[string]any, len(fs))
	for k, v := range fs {
		out[k] = plain(v)
	}
	return out
}

func plain(v *qd.Value) any {
	switch k := v.GetKind().(type) {
	case *qd.Value_BoolValue:
		return k.BoolValue
	case *qd.Value_IntegerValue:
		return float64(k.IntegerValue)
	case *qd.Value_DoubleValue:
		return k.DoubleValue
	case *qd.Value_StringValue:
		return k.StringValue
	case *qd.Value_StructValue:
		return plainMap(k.StructValue.GetFields())
	case *qd.Value_ListValue:
		out := make([]any, len(k.ListValue.GetValues()))
		for i, e := range k.ListValue.GetValues() {
			out[i] = plain(e)
		}
		return out
	}
	return nil
}

// historyPoint is a row of history with the scope it is purged by.
func historyPoint(h longterm.HistoryRow, sc longterm.Scope, seq int64) *qd.PointStruct {
	f := fields{"kind": qd.NewValueString(kindHistory), "seq": qd.NewValueInt(seq), "is_deleted": qd.NewValueBool(h.IsDeleted)}
	for _, p := range [][2]string{{"id", h.ID}, {"memory_id", h.MemoryID}, {"event", string(h.Event)}} {
		f.text(p[0], p[1])
	}
	for key, v := range map[string]*string{"old_memory": h.Old, "new_memory": h.New, "actor_id": h.ActorID, "role": h.Role} {
		if v != nil {
			f[key] = qd.NewValueString(strings.ToValidUTF8(*v, "\uFFFD"))
		}
	}
	for key, t := range map[string]longterm.Timestamp{"created_at": h.CreatedAt, "updated_at": h.UpdatedAt} {
		if !t.IsZero() {
			f.text(key, t.String())
		}
	}
	f.scope(sc)
	return &qd.PointStruct{Id: named(kindHistory, h.ID), Payload: f, Vectors: noVectors()}
}

func decodeHistory(f fields) (longterm.HistoryRow, error) {
	h := longterm.HistoryRow{
		ID: f.get("id"), MemoryID: f.get("memory_id"), Event: longterm.Event(f.get("event")), IsDeleted: f["is_deleted"].GetBoolValue(),
		Old: f.optional("old_memory"), New: f.optional("new_memory"), ActorID: f.optional("actor_id"), Role: f.optional("role"),
	}
	for key, t := range map[string]*longterm.Timestamp{"created_at": &h.CreatedAt, "updated_at": &h.UpdatedAt} {
		s := f.get(key)
		if s == "" {
			continue
		}
		at, err := parseStamp(s)
		if err != nil {
			return h, fmt.Errorf("history row %s: %w", h.ID, err)
		}
		t.Time = at
	}
	return h, nil
}

func stamp(t time.Time) string { return longterm.Timestamp{Time: t}.String() }

func parseStamp(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, s)
	return t.UTC(), err
}

// usualLength is the number of words of a usual memory, to which the weights
// of a longer or shorter one are put in proportion.
const usualLength = 16

// sparse makes the vector of words by which the server ranks: per word, the
// part of BM25 that depends on the memory alone (k1 1.2, b 0.75). How rare a
// word is the server counts itself. A word's place is its hash in 32 bits; two
// words on one place make one candidate too many, at worst.
func sparse(tokens []string) *qd.SparseVector {
	counts := make(map[uint32]float64, len(tokens))
	n := 0.0
	for _, t := range tokens {
		if t != "" {
			counts[place(t)]++
			n++
		}
	}
	out := &qd.SparseVector{}
	for at, tf := range counts {
		out.Indices = append(out.Indices, at)
		out.Values = append(out.Values, float32(tf*2.2/(tf+1.2*(0.25+0.75*n/usualLength))))
	}
	return out
}

// place is FNV-1a.
func place(token string) uint32 {
	h := uint32(2166136261)
	for i := range len(token) {
		h = (h ^ uint32(token[i])) * 16777619
	}
	return h
}

// cosine is that of two vectors of length one, from 0 to 1.
func cosine(a, b []float32) float64 {
	var d float64
	for i := range min(len(a), len(b)) {
		d += float64(a[i]) * float64(b[i])
	}
	return unit(d)
}

func unit(d float64) float64 { return math.Min(1, math.Max(0, d)) }

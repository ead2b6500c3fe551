package qdrant

import (
	"cmp"
	"context"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	qd "github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// server does what Qdrant's documentation says of the calls that the store
// makes, and refuses all else: conditions on fields without an index (as
// strict mode does), vectors of a wrong length, collections without vectors,
// points without the vectors field.
type server struct {
	mu          sync.Mutex
	collections map[string]*collection
	// intercept, if set, runs before a call (after is false) and after it;
	// its error is the answer.
	intercept func(method string, req any, after bool) error
}

// The two services have methods of one name.
type (
	collectionsService struct {
		qd.UnimplementedCollectionsServer
		*server
	}
	pointsService struct {
		qd.UnimplementedPointsServer
		*server
	}
)

type collection struct {
	config  *qd.CreateCollection
	indexes map[string]qd.FieldType
	points  map[string]*qd.PointStruct // by id
}

// serve starts a server for one test and returns its URL.
func serve(t *testing.T) (*server, string) {
	t.Helper()
	s := &server{collections: make(map[string]*collection)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, req any, info *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		method := info.FullMethod[strings.LastIndexByte(info.FullMethod, '/')+1:]
		if s.intercept != nil {
			if err := s.intercept(method, req, false); err != nil {
				return nil, err
			}
		}
		resp, err := h(ctx, req)
		if s.intercept != nil && err == nil {
			err = s.intercept(method, req, true)
		}
		return resp, err
	}))
	qd.RegisterCollectionsServer(g, collectionsService{server: s})
	qd.RegisterPointsServer(g, pointsService{server: s})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = g.Serve(l)
	}()
	t.Cleanup(func() {
		g.Stop()
		<-done
	})
	return s, "http://" + l.Addr().String()
}

func (s *server) find(name string) (*collection, error) {
	if c := s.collections[name]; c != nil {
		return c, nil
	}
	return nil, status.Errorf(codes.NotFound, "Not found: Collection `%s` doesn't exist!", name)
}

func invalid(format string, args ...any) error {
	return status.Errorf(codes.InvalidArgument, format, args...)
}

func (s collectionsService) Create(_ context.Context, r *qd.CreateCollection) (*qd.CollectionOperationResponse, error) {
	if s.collections[r.CollectionName] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "Collection `%s` already exists!", r.CollectionName)
	}
	s.collections[r.CollectionName] = &collection{config: r, indexes: make(map[string]qd.FieldType), points: make(map[string]*qd.PointStruct)}
	return &qd.CollectionOperationResponse{Result: true}, nil
}

func (s pointsService) Delete(_ context.Context, r *qd.DeletePoints) (*qd.PointsOperationResponse, error) {
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	for _, id := range r.GetPoints().GetPoints().GetIds() {
		delete(c.points, id.GetUuid())
	}
	if f := r.GetPoints().GetFilter(); f != nil {
		for id, p := range c.points {
			ok, err := c.filter(f, p)
			if err != nil {
				return nil, err
			}
			if ok {
				delete(c.points, id)
			}
		}
	}
	return completed(r.GetWait())
}

func completed(wait bool) (*qd.PointsOperationResponse, error) {
	st := qd.UpdateStatus_Acknowledged
	if wait {
		st = qd.UpdateStatus_Completed
	}
	return &qd.PointsOperationResponse{Result: &qd.UpdateResult{Status: st}}, nil
}

func (s collectionsService) CollectionExists(_ context.Context, r *qd.CollectionExistsRequest) (*qd.CollectionExistsResponse, error) {
	return &qd.CollectionExistsResponse{Result: &qd.CollectionExists{Exists: s.collections[r.CollectionName] != nil}}, nil
}

func (s collectionsService) Delete(_ context.Context, r *qd.DeleteCollection) (*qd.CollectionOperationResponse, error) {
	_, had := s.collections[r.CollectionName]
	delete(s.collections, r.CollectionName)
	return &qd.CollectionOperationResponse{Result: had}, nil
}

func (s pointsService) CreateFieldIndex(_ context.Context, r *qd.CreateFieldIndexCollection) (*qd.PointsOperationResponse, error) {
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	c.indexes[r.FieldName] = r.GetFieldType()
	return completed(r.GetWait())
}

func (s pointsService) Upsert(_ context.Context, r *qd.UpsertPoints) (*qd.PointsOperationResponse, error) {
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	dims := c.config.GetVectorsConfig().GetParamsMap().GetMap()
	for _, p := range r.Points {
		if !uuid.MatchString(p.GetId().GetUuid()) {
			return nil, invalid("Unable to parse UUID: %v", p.GetId())
		}
		if p.Vectors == nil {
			return nil, invalid("Expected some vectors")
		}
		for name, v := range p.GetVectors().GetVectors().GetVectors() {
			if sparse := v.GetSparse(); sparse != nil {
				seen := slices.Clone(sparse.Indices)
				slices.Sort(seen)
				if len(slices.Compact(seen)) != len(sparse.Values) || c.config.GetSparseVectorsConfig().GetMap()[name] == nil {
					return nil, invalid("sparse vector %q", name)
				}
				continue
			}
			if want := dims[name].GetSize(); int(want) != len(v.GetDense().GetData()) {
				return nil, invalid("Wrong input: Vector dimension error: expected dim: %d, got %d", want, len(v.GetDense().GetData()))
			}
		}
	}
	for _, p := range r.Points {
		if r.GetUpdateMode() == qd.UpdateMode_InsertOnly && c.points[p.GetId().GetUuid()] != nil {
			continue
		}
		c.points[p.GetId().GetUuid()] = p
	}
	return completed(r.GetWait())
}

// passing returns the points that pass, by id.
func (c *collection) passing(f *qd.Filter) ([]*qd.PointStruct, error) {
	var out []*qd.PointStruct
	for _, p := range c.points {
		ok, err := c.filter(f, p)
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, p)
		}
	}
	slices.SortFunc(out, func(a, b *qd.PointStruct) int { return strings.Compare(a.GetId().GetUuid(), b.GetId().GetUuid()) })
	return out, nil
}

func payloadOf(p *qd.PointStruct, w *qd.WithPayloadSelector) map[string]*qd.Value {
	if include := w.GetInclude(); include != nil {
		out := make(map[string]*qd.Value)
		for _, f := range include.Fields {
			if v, ok := p.Payload[f]; ok {
				out[f] = v
			}
		}
		return out
	}
	if w.GetEnable() {
		return p.Payload
	}
	return nil
}

func vectorsOf(p *qd.PointStruct, w *qd.WithVectorsSelector) *qd.VectorsOutput {
	if w == nil || !w.GetEnable() && w.GetInclude() == nil {
		return nil
	}
	out := make(map[string]*qd.VectorOutput)
	for name, v := range p.GetVectors().GetVectors().GetVectors() {
		if in := w.GetInclude(); in != nil && !slices.Contains(in.Names, name) {
			continue
		}
		o := &qd.VectorOutput{Vector: &qd.VectorOutput_Dense{Dense: v.GetDense()}}
		if sp := v.GetSparse(); sp != nil {
			o.Vector = &qd.VectorOutput_Sparse{Sparse: sp}
		}
		out[name] = o
	}
	return &qd.VectorsOutput{VectorsOptions: &qd.VectorsOutput_Vectors{Vectors: &qd.NamedVectorsOutput{Vectors: out}}}
}

func retrieved(p *qd.PointStruct, wp *qd.WithPayloadSelector, wv *qd.WithVectorsSelector) *qd.RetrievedPoint {
	return proto.Clone(&qd.RetrievedPoint{Id: p.Id, Payload: payloadOf(p, wp), Vectors: vectorsOf(p, wv)}).(*qd.RetrievedPoint)
}

func (s pointsService) Get(_ context.Context, r *qd.GetPoints) (*qd.GetResponse, error) {
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	out := &qd.GetResponse{}
	for _, id := range r.Ids {
		if p := c.points[id.GetUuid()]; p != nil {
			out.Result = append(out.Result, retrieved(p, r.WithPayload, r.WithVectors))
		}
	}
	return out, nil
}

func (s pointsService) Scroll(_ context.Context, r *qd.ScrollPoints) (*qd.ScrollResponse, error) {
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	ps, err := c.passing(r.Filter)
	if err != nil {
		return nil, err
	}
	limit := int(r.GetLimit())
	if limit == 0 {
		return nil, invalid("limit: value 0 invalid, must be 1 or larger")
	}
	out := &qd.ScrollResponse{}
	if o := r.GetOrderBy(); o != nil {
		if c.indexes[o.Key] != qd.FieldType_FieldTypeInteger || r.Offset != nil {
			return nil, invalid("No range index for `order_by` key: `%s`", o.Key)
		}
		// Of one value in any order, as far as is documented.
		slices.SortStableFunc(ps, func(a, b *qd.PointStruct) int {
			d := cmp.Compare(a.Payload[o.Key].GetIntegerValue(), b.Payload[o.Key].GetIntegerValue())
			if o.GetDirection() == qd.Direction_Desc {
				d = -d
			}
			return cmp.Or(d, strings.Compare(b.GetId().GetUuid(), a.GetId().GetUuid()))
		})
		ps = ps[:min(limit, len(ps))]
	} else {
		ps = slices.DeleteFunc(ps, func(p *qd.PointStruct) bool { return p.GetId().GetUuid() < r.GetOffset().GetUuid() })
		if len(ps) > limit {
			out.NextPageOffset = ps[limit].Id
			ps = ps[:limit]
		}
	}
	for _, p := range ps {
		out.Result = append(out.Result, retrieved(p, r.WithPayload, r.WithVectors))
	}
	return out, nil
}

func (s pointsService) Count(_ context.Context, r *qd.CountPoints) (*qd.CountResponse, error) {
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	ps, err := c.passing(r.Filter)
	return &qd.CountResponse{Result: &qd.CountResult{Count: uint64(len(ps))}}, err
}

func (s pointsService) Query(_ context.Context, r *qd.QueryPoints) (*qd.QueryResponse, error) {
	c, err := s.find(r.CollectionName)
	if err != nil {
		return nil, err
	}
	ps, err := c.passing(r.Filter)
	if err != nil {
		return nil, err
	}
	in := r.GetQuery().GetNearest()
	var found []*qd.ScoredPoint
	for _, p := range ps {
		v := p.GetVectors().GetVectors().GetVectors()[r.GetUsing()]
		var score float32
		if words := in.GetSparse(); words != nil {
			var ok bool
			if score, ok = c.rank(words, v.GetSparse(), r.GetUsing()); !ok {
				continue
			}
		} else {
			if len(v.GetDense().GetData()) == 0 {
				continue
			}
			if len(in.GetDense().GetData()) != len(v.GetDense().GetData()) || !r.GetParams().GetExact() {
				return nil, invalid("Wrong input: Vector dimension error")
			}
			for i, x := range v.GetDense().GetData() {
				score += x * in.GetDense().GetData()[i]
			}
		}
		found = append(found, &qd.ScoredPoint{Id: p.Id, Payload: payloadOf(p, r.WithPayload), Vectors: vectorsOf(p, r.WithVectors), Score: score})
	}
	slices.SortFunc(found, func(a, b *qd.ScoredPoint) int { return cmp.Compare(b.Score, a.Score) })
	found = found[min(int(r.GetOffset()), len(found)):]
	found = found[:min(int(r.GetLimit()), len(found))]
	return proto.Clone(&qd.QueryResponse{Result: found}).(*qd.QueryResponse), nil
}

// rank is the product of two sparse vectors, each place weighed by how rare
// it is in the collection. Without a common place there is none.
func (c *collection) rank(q *qd.SparseVector, v *qd.SparseVector, using string) (score float32, ok bool) {
	all, with := 0.0, make(map[uint32]float64)
	for _, p := range c.points {
		if sp := p.GetVectors().GetVectors().GetVectors()[using].GetSparse(); sp != nil {
			all++
			for _, i := range sp.Indices {
				with[i]++
			}
		}
	}
	for i, at := range v.GetIndices() {
		j := slices.Index(q.Indices, at)
		if j < 0 {
			continue
		}
		ok = true
		idf := math.Log((all-with[at]+0.5)/(with[at]+0.5) + 1)
		score += v.Values[i] * q.Values[j] * float32(idf)
	}
	return score, ok
}

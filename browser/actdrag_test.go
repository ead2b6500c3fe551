package browser

import (
	"testing"
	"time"
)

// dragOn drags between two elements, or from one to a point.
func dragOn(t *testing.T, s *Session, from string, to any, o DragOptions) (*Effect, error) {
	t.Helper()
	a := &dragPoint{target: find(t, s, from), place: o.From}
	b := &dragPoint{place: o.To}
	switch to := to.(type) {
	case string:
		b.target = find(t, s, to)
	case [2]float64:
		b.place.X, b.place.Y = to[0], to[1]
	}
	return a.target.tab.drag(testContext(t), a, b, o)
}

func TestDrag(t *testing.T) {
	p := newPages(t)
	for _, tc := range []struct {
		name, html, from string
		to               any
		o                DragOptions
		check, want      string
	}{
		{
			"by the mouse", `<div id=a style="position:absolute;left:20px;top:20px;width:40px;height:40px;background:red"></div><script>let d=false,moves=0;a.onmousedown=()=>d=true;document.onmousemove=e=>{if(d){moves++;a.style.left=e.clientX-20+'px';a.style.top=e.clientY-20+'px'}};document.onmouseup=()=>{d=false;document.title=moves>=5?'ok':'few'}</script>`,
			"#a", [2]float64{300, 200}, DragOptions{}, "document.title+a.style.left+a.style.top", "ok280px180px",
		},
		{
			"onto a covered target", `<div id=a style="position:absolute;width:40px;height:40px;background:red"></div><div id=b style="position:absolute;left:200px;width:100px;height:100px"></div><div style="position:absolute;left:200px;width:100px;height:100px;background:#eee"></div><script>a.onmousedown=()=>document.onmouseup=e=>document.title=document.elementsFromPoint(e.clientX,e.clientY).includes(b)?'on b':'off'</script>`,
			"#a", "#b", DragOptions{}, "document.title", "on b",
		},
		{
			"by the browser", `<div id=a draggable=true style="width:40px;height:40px;background:red">x</div><div id=b style="margin:100px;width:100px;height:100px;background:#eee"></div><script>a.ondragstart=e=>e.dataTransfer.setData('text/plain','moved');b.ondragover=e=>e.preventDefault();b.ondrop=e=>{e.preventDefault();b.append(a);document.title=e.dataTransfer.getData('text/plain')}</script>`,
			"#a", "#b", DragOptions{}, "document.title+a.parentNode.id", "movedb",
		},
		{
			"a slider", `<input id=r type=range min=0 max=100 value=0 style="width:200px;margin:0">`,
			"#r", [2]float64{150, 20}, DragOptions{From: Place{Offset: true, X: 8, Y: 8}}, "Number(r.value)>60&&Number(r.value)<90?'ok':r.value", "ok",
		},
		{
			"selecting text", `<p id=p style="font:20px monospace;margin:0">select these words</p>`,
			"#p", [2]float64{86, 12}, DragOptions{From: Place{Offset: true, X: 1, Y: 12}}, "getSelection().toString()", "select ",
		},
		{
			"along a path", `<canvas id=c width=300 height=300></canvas><script>let d=false,seen='';c.onmousedown=()=>d=true;c.onmousemove=e=>{if(d){const q=(e.offsetX>150?1:0)+(e.offsetY>150?2:0);if(!seen.endsWith(q))seen+=q}};c.onmouseup=()=>document.title=seen</script>`,
			"#c", [2]float64{50, 250}, DragOptions{From: Place{Offset: true, X: 50, Y: 50}, Path: []Place{{X: 250, Y: 50}, {X: 250, Y: 250}}}, "document.title", "0132",
		},
		{
			"only after a while", `<div id=a style="width:40px;height:40px;background:red"></div><script>a.onmousedown=()=>{const t=setTimeout(()=>document.title='held',200);document.onmousemove=()=>clearTimeout(t)}</script>`,
			"#a", [2]float64{200, 200}, DragOptions{Hold: 400 * time.Millisecond}, "document.title", "held",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := p.show(t, tc.html)
			eff, err := dragOn(t, s, tc.from, tc.to, tc.o)
			if err != nil {
				t.Fatal(err)
			}
			if got := eval[string](t, s, tc.check); got != tc.want {
				t.Errorf("got %q, want %q (%v)", got, tc.want, eff)
			}
		})
	}
}

func TestDragRefused(t *testing.T) {
	p := newPages(t)
	s := p.show(t, `<div id=a style="width:40px;height:40px;background:red"></div><div id=o style="position:fixed;inset:0"></div>`)
	_, err := dragOn(t, s, "#a", [2]float64{200, 200}, DragOptions{})
	wantReason(t, err, ReasonCovered, "<div#o>")
	s = p.show(t, `<div id=a style="width:40px;height:40px;background:red"></div>`)
	_, err = dragOn(t, s, "#a", [2]float64{200, 200}, DragOptions{})
	wantReason(t, err, ReasonNoEffect, "nothing on the page changed")
}

func TestHover(t *testing.T) {
	p := newPages(t)
	s := p.show(t, `<ul><li id=m>Menu<ul id=sub hidden><li id=x onclick="document.title='x'">Item</ul></ul><script>m.onmouseenter=()=>sub.hidden=false;m.onmouseleave=()=>sub.hidden=true</script>`)
	if _, err := find(t, s, "#m").hover(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := find(t, s, "#x").click(testContext(t), ClickOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := title(t, s); got != "x" {
		t.Errorf("title %q", got)
	}
}

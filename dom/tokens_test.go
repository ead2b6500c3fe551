package dom

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tiktoken-go/tokenizer"
)

// A budget kept by the estimate is kept by a real tokenizer's count.
func TestTokensAreNotUnderestimated(t *testing.T) {
	enc, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(3, 4))
	random := func(alphabet string, n int) string {
		rs := []rune(alphabet)
		var b strings.Builder
		for range n {
			b.WriteRune(rs[r.IntN(len(rs))])
		}
		return b.String()
	}
	words := "the quick brown fox jumps over lazy dog checkout basket quantity description internationalization responsibilities"
	var english strings.Builder
	for range 400 {
		f := strings.Fields(words)
		english.WriteString(f[r.IntN(len(f))] + " ")
	}
	var state strings.Builder
	for i := range 300 {
		state.WriteString(strings.Repeat(" ", i%4) + "[" + string(rune('0'+i%10)) + "5]<button aria-expanded=false name=q" + string(rune('a'+i%26)) + ">Add to cart\n")
	}
	for name, s := range map[string]string{
		"english":     english.String(),
		"state":       state.String(),
		"prices":      strings.Repeat("| $1,299.00 | 4.5 out of 5 | 12,345 |\n", 50),
		"ids":         random("abcdefghijklmnopqrstuvwxyz0123456789", 1500),
		"base64":      random("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", 1500),
		"capitals":    random("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 800),
		"consonants":  random("bcdfghjklmnpqrstvwxz", 800),
		"letters":     random("abcdefghijklmnopqrstuvwxyz", 1200),
		"digits":      random("0123456789", 600),
		"punctuation": random("!@#$%^&*()-_=+[]{};:'\",.<>/?|~`", 1200),
		"chinese":     random("的一是不了人我在有他这为之大来以个中上们产品购物车结账价格数量", 500),
		"japanese":    strings.Repeat("この商品をカートに入れる。お届け先の住所を入力してください。", 20),
		"korean":      strings.Repeat("장바구니에 담기 배송지를 입력하세요 결제하기 ", 20),
		"russian":     strings.Repeat("Добавить товар в корзину и оформить заказ с доставкой ", 20),
		"arabic":      strings.Repeat("أضف إلى عربة التسوق وأكمل الطلب الآن ", 20),
		"hindi":       strings.Repeat("कार्ट में जोड़ें और ऑर्डर पूरा करें ", 20),
		"thai":        strings.Repeat("เพิ่มลงตะกร้าและชำระเงินตอนนี้ ", 20),
		"german":      strings.Repeat("Warenkorb Geschwindigkeitsbegrenzung Lieferadresse hinzufügen für Größe ", 20),
		"polish":      strings.Repeat("Dodaj do koszyka i złóż zamówienie już dziś żółć ", 20),
		"turkish":     strings.Repeat("Sepete ekle ve siparişi tamamla şimdi ığdır ", 20),
		"vietnamese":  strings.Repeat("Thêm vào giỏ hàng và hoàn tất đơn hàng ngay ", 20),
		"emoji":       strings.Repeat("🛒🎉👩‍👩‍👧‍👦🇩🇪✅", 40),
		"urls":        strings.Repeat("https://www.example.com/a/b-c/d_e?q=1&utm_source=x9Zk2#frag ", 20),
		"camel":       strings.Repeat("getElementById addEventListener XMLHttpRequest fooBarBaz ", 20),
		"indent":      strings.Repeat("        deep\n            deeper\n", 60),
		"rare":        random("ꙮ𝕏𝔘𝔫𝔦ℭ𝔬𝔡𝔢ᚠᛇᚻ᚛ᚄ", 200),
	} {
		real, err := enc.Count(s)
		if err != nil {
			t.Fatal(err)
		}
		got := Tokens(s)
		t.Logf("%-12s real %5d estimate %5d (%.2f)", name, real, got, float64(got)/float64(real))
		if got < real {
			t.Errorf("%s: %d tokens estimated as %d", name, real, got)
		}
	}
}

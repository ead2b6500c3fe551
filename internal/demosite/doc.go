// Package demosite is a small web shop, and a bench of awkward pages, for
// trying a browser agent on: one [http.Handler] with everything embedded, no
// request to anywhere else, and the same content on every start.
//
// [Start] serves it on a free port of 127.0.0.1; [New] is the bare handler.
// Each visitor, told apart by a cookie, has a cart, orders, a sign-in and
// uploads of its own, so tests run side by side: a browser context each, or a
// host name each ([Server.For]). A visitor's first order is WH-1001, the
// second WH-1002.
//
// # The shop
//
//	/                    home
//	/shop                listing; ?q= &category= &color= (repeatable) &max= (euro)
//	                     &stock=1 &sort= (price, -price, rating, name) &page= (12 a page)
//	/product/{slug}      product; ?color= chooses one, POST /cart/add
//	/offers              landing page with a cookie banner over its bottom edge
//	/cart                cart; POST /cart/update, /cart/remove
//	/checkout            form; POST /checkout answers 422 with errors beside the fields
//	/order/{number}      confirmation, the visitor's own orders only
//	/login, /login/code  [User], [Password], then a code from [OTPAuth]
//	/account             [MemberNumber], orders, sign out, delete with confirm()
//	/help                delivery and returns
//
// The shop's pages carry a strict Content-Security-Policy, so a script that is
// injected into the page's own world with eval or a script element does not run.
//
// # The bench
//
// /bench links them all. On the pages marked with a star every control writes
// what happened to it, newest first, into the visible list with the id "log".
//
//	/report        1,000 rows, ?sort= &dir=, sticky header in a scrolling box, /report.csv
//	/widget        a seat picker in a cross-site iframe and a rating in a same-site one
//	/component *   custom elements: closed shadow root, open root with slots, one in the other
//	/files         downloads; upload by a hidden file input, or by dropping
//	/dialogs *     alert, confirm, prompt, beforeunload, a modal dialog element
//	/slow          ?ms= delays the answer, ?hang=1 adds an image that never ends,
//	               ?content= is the delay of the part that is fetched later
//	/tricky *      hidden, covered, moving and disabled buttons
//	/tricky/fields *, /tricky/widgets *, /tricky/pointer *
//	/new-tab *     target=_blank, window.open, a popup
//	/ads           texts that try to take over whoever reads them; /ads/collect
//	               keeps what was sent to it, /ads/collected shows it
//	/errors/404, /errors/500, /errors/503, /errors/reset (connection cut)
//	/redirect?to=  302 to there; /redirect/loop never arrives
package demosite

// Package cdpcbor speaks the Chrome DevTools Protocol in its binary form over
// a pair of pipes (--remote-debugging-pipe=cbor).
//
// Chrome keeps its messages as CBOR (RFC 8949) inside. With JSON on the wire
// the process of the page turns every answer into text, which costs it about
// 70 ns a byte, and the browser process reads it again; that is most of what
// a large answer costs. Here the bytes are sent as they are, and turned into
// the JSON that the rest of the program reads at about a hundredth of that.
//
// The subset is that of Chromium's third_party/inspector_protocol: maps and
// arrays of indefinite length, each in an envelope that says how long it is
// (tag 24), 32-bit integers, doubles, strings in UTF-8 or, as bytes, in
// UTF-16 (little endian), and binary data that JSON writes in base64 (tag 22).
package cdpcbor

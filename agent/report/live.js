"use strict";
(() => {
  // The page fetches itself after every step and swaps its parts.
  let seen = null;
  const source = new EventSource("/events");
  source.onmessage = async (e) => {
    if (seen === null || seen === e.data) {
      seen = e.data;
      return;
    }
    seen = e.data;
    const text = await (await fetch("/")).text();
    const next = new DOMParser().parseFromString(text, "text/html");
    document.title = next.title;
    for (const part of ["header", "main", ".chart"]) {
      document.querySelector(part).replaceWith(document.adoptNode(next.querySelector(part)));
    }
    window.webhandReport();
  };
})();

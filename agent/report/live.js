"use strict";
(() => {
  // The page fetches itself after every step and swaps its parts.
  let seen = document.body.dataset.version;
  const source = new EventSource("/events");
  source.onmessage = async (e) => {
    if (seen === e.data) return;
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

"use strict";
window.webhandReport = () => {
  // The chart's bars are drawn here because inline styles are forbidden.
  const ns = "http://www.w3.org/2000/svg";
  for (const g of document.querySelectorAll("#chart g")) {
    let x = 0;
    g.dataset.parts.split(" ").map(Number).forEach((w, i) => {
      const r = document.createElementNS(ns, "rect");
      r.setAttribute("x", x);
      r.setAttribute("y", Number(g.dataset.row) + 0.1);
      r.setAttribute("width", w);
      r.setAttribute("height", 0.8);
      r.setAttribute("class", "p" + i);
      g.append(r);
      x += w;
    });
  }
  const rows = document.querySelectorAll("#chart g").length;
  document.getElementById("chart").setAttribute("height", Math.min(384, Math.max(32, rows * 16)));

  const q = document.getElementById("q");
  const hits = document.getElementById("hits");
  const steps = [...document.querySelectorAll("article.step")];
  q.addEventListener("input", () => {
    const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const s of steps) {
      const text = s.textContent.toLowerCase();
      s.hidden = !words.every((w) => text.includes(w));
      if (!s.hidden) n++;
    }
    hits.textContent = words.length ? n + " of " + steps.length + " steps" : "";
  });
};
window.webhandReport();

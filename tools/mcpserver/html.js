(selector, limit) => {
  let node;
  try {
    node = selector ? document.querySelector(selector) : document.documentElement;
  } catch (e) {
    return { error: "is no CSS selector" };
  }
  if (!node) return { html: null };
  const html = node.outerHTML;
  return { html: html.slice(0, limit), chars: html.length };
}

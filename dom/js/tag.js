// What an element is, for the walk and for the acting script alike.

// localName tells <select> of HTML, which has options and a value, from what
// XML or a drawing may call so as well.
const localName = (() => {
  const getter = (name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(Element.prototype, name).get);
  const given = getter('localName');
  const namespace = getter('namespaceURI');
  const html = new Set(('input select textarea option optgroup button label form fieldset output area map iframe frame object ' +
    'details summary dialog meter progress slot img video audio canvas').split(' '));
  return (el) => {
    const name = given(el);
    return html.has(name) && namespace(el) !== 'http://www.w3.org/1999/xhtml' ? 'x-' + name : name;
  };
})();

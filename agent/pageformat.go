package agent

// pageFormat explains the text of a page to the model. A test renders a page
// and holds it against these words.
const pageFormat = `- The text holds what is near the visible part of the page, in reading order; indentation shows what contains what. A line "[12]<button expanded>Menu" is an element you can act on by its index, 12, with its kind, its states and values as they are now, and its text. Lines without an index are text, headings, lists, tables and containers, to read.
- "*" before an index marks an element that was not there in your last step.
- "<more above=.. below=..>" counts what lies further up or down, and "<left-out ...>" what had no room: scroll, search the page or use find_elements to reach it.
- An index stays with its element for as long as that element lives. After a page was loaded anew all indexes are new.
- Lines below an <iframe> belong to the document in it; act on them like on any other. Values of password fields are not shown.`

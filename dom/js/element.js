// element decides about one element and returns the context for its
// children, or null when nothing of it is to be seen.
const element = (el, c) => {
  const tag = localName(el);
  if (SKIP.has(tag)) return null;
  if (tag === 'br') {
    newLine();
    if (md) { out.push(head('e', c.p, count, F_BREAK) + '|||||||br'); count++; }
    return null;
  }
  flow = 0;
  if (tag === 'slot') return c;
  if (c.svg && (SVG_SKIP.has(tag) || SHAPES.has(tag) && speck(el))) return null;
  visited++;
  if ((visited & 255) === 0 && now() > deadline) partial = 'time';
  if (count >= maxCount) partial = 'size';
  if (partial) return null;
  const fr = c.fr;
  let seen = true;
  let ghost = false;
  let style = null;
  if (!checkVisibility(el, FULL_VIS)) {
    style = styleOf(el);
    if (!checkVisibility(el)) {
      if (style.display !== 'contents') {
        if (style.display === '' && c.host) hostSuspect(c.host);
        return null;
      }
      if (style.visibility !== 'visible') seen = false;
    } else {
      if (style.visibility !== 'visible') seen = false;
      if (+style.opacity === 0) {
        ghost = tag === 'select' || (tag === 'input' && /^(checkbox|radio|file|range|date|color)$/.test(el.type));
        if (!ghost) return null;
      }
    }
  }
  let inline = INLINE.has(tag);
  if (!inline && tag.includes('-')) {
    style = style || styleOf(el);
    inline = style.display === 'inline';
  }
  if (STRUCK.has(tag)) {
    flow = 1;
    sep = true;
  }
  if (!inline) {
    flow = 3;
    newLine();
  }
  if (md) return mdElement(el, tag, c, seen, style);

  let r = null;
  if (near) {
    r = rectOf(el);
    const n = c.near;
    if ((r.top > n.y1 || r.bottom < n.y0 || r.left > n.x1 || r.right < n.x0) && !inline) {
      if (!must.has(el) && r.height > 0 && (scrollHeight(el) <= clientHeight(el) + 1 || r.top > n.y1 && !firstElement(el))) {
        const reach = c.hard;
        if (r.right > reach.x0 && r.left < reach.x1 && r.bottom > reach.y0 && r.top < reach.y1 && r.height > 0) gap(c.p, r.bottom < n.y0 || r.right < n.x0);
        return null;
      }
    }
  }
  const names = hasAttributes(el) ? attributeNames(el) : NO_NAMES;
  const told = bitsOf(names);
  if (told & A_INERT) return inertText(el, c);

  const svg = c.svg || tag === 'svg';
  let why = told & A_USE || NATIVES.has(tag) ? evidence(el, tag, told) : 0;
  const bits = listenerCount !== 0 ? listenersOf.get(el) || 0 : 0;
  if (bits) why |= LISTENER;
  else if (c.items > 0 && why === 0 && !svg && isItem(el, tag)) why |= LISTENER;
  const leaf = firstChild(el) === null;
  let ptr = c.ptr;
  let overflow = 'visible';
  if (!leaf || why === 0) {
    style = style || styleOf(el);
    if (inline) flowOf(style.display);
    // One axis alone is visible only beside a clip, which cuts nothing here.
    if (!leaf && (!inline || flow !== 0) && style.overflowX !== 'visible') overflow = style.overflow;
    if (!ptr && style.cursor === 'pointer') {
      ptr = true;
      if (tag !== 'html' && tag !== 'body') why |= POINTER;
    }
  }
  let control = null;
  if (tag === 'label') {
    control = el.control;
    why &= ~(POINTER | FOCUSABLE);
    if (control) {
      if (usableControl(control)) {
        why = 0;
        control = null;
      } else why |= LABEL;
    } else if (style && style.cursor === 'pointer' && !c.ptr) why |= POINTER;
  }
  if (tag === 'option' && !c.listbox) why = 0;
  if (tag === 'option' && c.listbox) why |= NATIVE;
  if (c.inert) why = 0;
  if (tag === 'html' || tag === 'body') why &= ~(LISTENER | HANDLER | POINTER | FOCUSABLE);

  const scrolls = !c.inert && overflow !== 'visible' && overflow !== 'hidden' && overflow !== 'clip' && tag !== 'html' && tag !== 'body' &&
    (scrollHeight(el) > clientHeight(el) + 4 || scrollWidth(el) > clientWidth(el) + 4) && clientHeight(el) > 8 && /auto|scroll|overlay/.test(overflow);
  if (scrolls) scrollers.push(el);
  const area = tag === 'textarea' || (tag === 'select' && (el.size > 1 || el.multiple));
  const root = shadowOf(el);
  let emit = why !== 0 || scrolls || root !== null || (told & A_ROLE) !== 0 || CONTAINERS.has(tag);
  if (!emit && tag === 'section') emit = (told & (A_LABEL | A_LABELLEDBY)) !== 0;
  if (!emit && c.t >= 0) emit = (told & A_LABEL) !== 0;
  if (!emit && svg) emit = SHAPES.has(tag) && !c.icon;
  let swatch = '';
  if (!emit && leaf && !svg) {
    r = r || rectOf(el);
    if (r.width >= 4 && r.height >= 4) {
      style = style || styleOf(el);
      const bg = style.backgroundColor;
      if (alpha(bg) > 0.1) swatch = bg;
      else if (style.backgroundImage !== 'none' || pixels(style.borderTopWidth) + pixels(style.borderLeftWidth) > 0) swatch = 'image';
      emit = swatch !== '';
    }
  }
  if (!emit && !svg && told & A_CLASS && stateful(getAttribute(el, 'class'))) emit = true;
  if (leaf && told & A_CLASS && !svg && why === 0 && c.t < 0 && (!emit || swatch === 'image')) {
    const icon = tellingIcon(el);
    if (icon !== '') {
      if (seen) iconText(el, c, icon);
      return null;
    }
  }

  const next = (pos, t) => {
    let clip = c.clip;
    let hard = c.hard;
    let nr = c.near;
    let aside = c.aside;
    let gone = false;
    if (tag !== 'html' && tag !== 'body' && overflow !== 'visible' && !c.svg) {
      const b = r || rectOf(el);
      const box = { x0: b.left, y0: b.top, x1: b.right, y1: b.bottom };
      if (box.x1 - box.x0 <= 2 && box.y1 - box.y0 <= 2) {
        // Hidden from sight, for those who listen.
        aside = true;
        if (none(cut(box, c.hard)) && t < 0) gone = true;
      } else if (overflow.includes('visible')) { /* clip on one axis only */ box.x0 = -1e9; box.x1 = 1e9; box.y0 = -1e9; box.y1 = 1e9; }
      if (aside) {
        // Its words are wider than it is.
      } else if (scrolls) {
        clip = cut(clip, box);
        hard = EVERYWHERE;
        if (near) {
          const m = Math.min(margin, b.height);
          nr = cut(nr, { x0: box.x0 - m, y0: box.y0 - m, x1: box.x1 + m, y1: box.y1 + m });
        }
      } else {
        clip = cut(clip, box);
        hard = cut(hard, box);
      }
    }
    if (gone) return null;
    const d = new Context(c);
    d.p = pos;
    d.el = el;
    d.aside = aside;
    d.clip = clip;
    d.hard = hard;
    d.near = nr;
    d.t = t;
    d.ptr = ptr;
    d.seen = seen;
    d.svg = svg;
    d.icon = c.icon || (tag === 'svg' && (t >= 0 && pos !== t || (r || rectOf(el)).width <= 40));
    d.quiet = c.quiet || ((told & A_QUIET) !== 0 && getAttribute(el, 'aria-hidden') === 'true');
    d.sure = false;
    d.pre = c.pre || asWritten(el, tag);
    d.listbox = tag === 'select' || (c.listbox && tag === 'optgroup');
    d.host = root ? null : el;
    if (!svg && bits && delegates(bits, why, el, r, fr)) d.items = ITEM_DEPTH;
    return d;
  };

  if (!root) watchHost(el, tag, leaf, c);

  if (!emit) {
    if (overflow === 'visible' && seen === c.seen && ptr === c.ptr && (told & A_QUIET) === 0) {
      if (leaf) return null;
      // Nothing changes below, but the text needs its own element.
      const d = new Context(c);
      d.el = el;
      d.host = el;
      d.pre = c.pre || asWritten(el, tag);
      d.sure = false;
      return d;
    }
    return next(c.p, c.t);
  }

  // What is written out needs a box.
  r = r && r.width > 0 && r.height > 0 ? r : boxOf(el, fr);
  let flags = brk ? F_BREAK : 0;
  let covered = null;
  let usable = seen;
  let unseen = c.unseen;
  let clip = c.clip;
  let hard = c.hard;
  const box = { x0: r.left, y0: r.top, x1: r.right, y1: r.bottom };
  const width = box.x1 - box.x0;
  const height = box.y1 - box.y0;
  let v = cut(box, clip);
  if (c.clip !== fr.clip && width > 0 && none(v)) {
    // Out of its clip: unless it is positioned out of the clipping box.
    style = style || styleOf(el);
    const free = style.position === 'fixed' ? fr : style.position === 'absolute' ? freeOf(el, c) : null;
    if (free) {
      clip = free.clip;
      hard = free.hard;
      v = cut(box, clip);
      c = new Context(c);
      c.clip = clip;
      c.hard = hard;
    }
  }
  const tiny = width <= 1 || height <= 1;
  if (tiny) {
    usable = false;
    if (width > 0 && height > 0 && styleOf(el).position === 'absolute') unseen = true;
  } else if (none(v)) {
    if (none(cut(box, hard))) {
      if (c.svg) return null; // outside the drawing's own edge: never painted
      usable = false;
    }
  } else {
    flags |= F_INVIEW;
  }
  const strong = why & ~FOCUSABLE;
  let target = usable && why !== 0;
  if (scrolls && usable) target = true;
  let sure = false;
  if (target && flags & F_INVIEW) {
    const over = coverIn(el, tag, fr, v);
    if (over !== null) {
      if (nodeType(over) === ELEMENT && pinned(over, fr) && !within(el, over)) {
        flags &= ~F_INVIEW;
      } else if (scrolls && within(over, el)) {
        // fine
      } else {
        covered = over;
        target = false;
        flags |= F_COVERED;
      }
    } else {
      sure = true;
    }
  } else if (target && (why & (NATIVE | BYROLE)) === 0 && !scrolls) {
    if (styleOf(el).pointerEvents === 'none') target = false;
  }
  if (ghost && !target) return null;

  extra = '';
  let state = 0;
  if (why || tag === 'details' || tag === 'progress' || tag === 'meter' || tag === 'option') state = fieldState(el, tag);
  if (FIELDS.has(tag) || tag.includes('-')) {
    if (matches(el, ':disabled')) state |= F_DISABLED;
  }
  if (told & A_STATE && (target || why) && getAttribute(el, 'aria-disabled') === 'true') state |= F_DISABLED;
  // A disabled control that takes no pointer still is shown as disabled.
  if (state & F_DISABLED && covered && styleOf(el).pointerEvents === 'none') { target = true; flags &= ~F_COVERED; covered = null; }
  if (control) {
    state |= fieldState(control, localName(control)) & (F_CHECKED | F_MIXED | F_REQUIRED);
    if (control.disabled) state |= F_DISABLED;
    extra += '|.for|' + refNumber(control) + field('.fortype', control.type || localName(control));
  }
  if (el === focused) state |= F_FOCUSED;
  if (why & EDITABLE) state |= F_EDITABLE;
  if (root) state |= closedRoots.has(el) ? F_CLOSEDROOT : F_OPENROOT;
  if (c.quiet) state |= F_QUIET;
  if (!seen || unseen) state |= F_UNSEEN;
  if (scrolls || (area && scrollHeight(el) > clientHeight(el) + 4)) {
    state |= F_SCROLLS;
    extra += '|.scroll|' + [scrollLeft(el), scrollTop(el), scrollWidth(el), scrollHeight(el), clientWidth(el), clientHeight(el)].map(R).join(',');
  }
  if (covered && nodeType(covered) === ELEMENT) extra += field('.cover', describe(covered));

  if (target || why || told & A_ROLE || CONTAINERS.has(tag)) nameParts(el, tag);
  if (target || swatch || svg) {
    style = style || styleOf(el);
    if (svg && tag !== 'svg') {
      extra += field('.fill', style.fill !== 'none' && +style.fillOpacity > 0.1 && tag !== 'line' ? style.fill : '') +
        field('.stroke', style.stroke !== 'none' ? style.stroke : '') + field('.points', cornersOf(el, tag, r, fr.k));
    } else if (swatch !== 'image') {
      const bg = swatch || style.backgroundColor;
      if (alpha(bg) > 0.1) extra += backField(bg);
    }
    if (target && (told & A_LABEL) === 0 && tag !== 'input' && tag !== 'select' && tag !== 'textarea' && wordless(el)) extra += field('.icon', iconOf(el));
    if (target && leaf && tag !== 'input' && tag !== 'select' && tag !== 'textarea' || target && wordless(el)) extra += field('.drawn', drawn(el));
  }
  if (tag === 'img') extra += sourceField(el, fr);
  if (tag === 'svg') {
    const t = firstElement(el);
    if (t && localName(t) === 'title') extra += field('.title', squash(textContent(t)).slice(0, 120));
  }
  if (tag === 'a' && target) extra += linkField(el, fr);

  const pos = count++;
  out.push(head('e', c.p, pos, flags | state | (target ? F_TARGET : 0)) + num(why | (scrolls ? 512 : 0)) + place(r, fr) +
    (target ? refField(el) : '|') + '|' + esc(tag) + extra + attributes(el, names, target || why !== 0 || leaf || svg));
  tail = pos;
  brk = true;
  if (target) shown.set(el, pos);

  if (tag === 'iframe' || tag === 'frame' || tag === 'object') return frame(el, c, pos, r, v);
  if (tag === 'select' && !area) return null;
  if (tag === 'img') { if (hasAttribute(el, 'usemap')) imageMap(el, c, pos, r); return null; }
  if (tag === 'textarea' || tag === 'input' || tag === 'canvas' || tag === 'video' || tag === 'audio' || tag === 'embed' || tag === 'option') return null;
  const t = target && strong ? pos : c.t;
  if (target && (why & (NATIVE | BYROLE | HANDLER | LISTENER | POINTER))) ptr = ptr || tag === 'a' || tag === 'button' || styleOf(el).cursor === 'pointer';
  const d = next(pos, t);
  if (d === null) return null;
  if (!near) {
    d.box = r;
    d.text = firstChild(el);
    if (!d.far && box.y0 > 2 * fr.vh) d.far = c.clip === fr.clip;
  }
  d.unseen = unseen;
  d.sure = sure;
  return d;
};

// flowOf notes what an element of an inline kind does that style made another.
const flowOf = (display) => {
  if (display === 'inline' || display === 'contents' || display.startsWith('ruby')) return;
  sep = true;
  flow = 1;
  if (!display.startsWith('inline')) {
    // The items of a row are blocks as well: only the place of the text tells.
    flow = 2;
    soft = true;
  }
};

const freeOf = (el, c) => {
  // The clip of the containing block: climb to the offset parent.
  const op = el.offsetParent;
  for (let i = stackTop; i >= 0; i--) {
    const k = stack[i].c;
    if (k.el === op || !op) return k;
  }
  return null;
};

const inertText = (el, c) => {
  // Nothing in an inert part can be used; what it says is still read.
  const d = new Context(c);
  d.el = el;
  d.inert = true;
  d.host = el;
  d.sure = true;
  return d;
};

// Closed shadow roots cannot be seen from script. Hosts that may have one
// are named to the caller, who asks the browser and hands the roots in.
const hostSuspect = (el) => {
  if (branch !== null || checkedHosts.has(el) || closedRoots.has(el) || suspects.length >= 200) return;
  checkedHosts.add(el);
  suspects.push(el);
};
const HOSTS = set('article aside blockquote div footer header main nav p section span h1 h2 h3 h4 h5 h6');
const watchHost = (el, tag, leaf, c) => {
  if (tag.includes('-')) hostSuspect(el);
  else if (leaf && plain < 60 && HOSTS.has(tag) && !c.svg) {
    const r = rectOf(el);
    if (r.width >= 8 && r.height >= 8 && r.bottom > 0 && r.top < c.fr.vh) { plain++; hostSuspect(el); }
  }
};

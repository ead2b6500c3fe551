function required(name: string): string {
  const v = process.env[name];
  if (!v) throw new Error(`the environment variable ${name} is required`);
  return v;
}

// fill puts values in the place of {{name}}, and secrets in that of
// <secret>name</secret>.
function fill(text: string): string {
  return text.replace(/\{\{(\w+)\}\}|<secret>([^<]+)<\/secret>/g, (m, name, secret) => {
    if (secret) return required(secret.toUpperCase().replace(/[^A-Z0-9]+/g, '_'));
    const v = values[name];
    return v === undefined ? m : typeof v === 'string' ? v : JSON.stringify(v);
  });
}

function fillAll(v: any): any {
  if (typeof v === 'string') {
    const whole = /^\{\{(\w+)\}\}$/.exec(v);
    return whole && whole[1] in values ? values[whole[1]] : fill(v);
  }
  if (Array.isArray(v)) return v.map(fillAll);
  if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, fillAll(x)]));
  return v;
}

function list(v: any): any[] {
  return typeof v === 'string' ? JSON.parse(v) : v;
}

type Want = { tag?: string; role?: string; name?: string; path?: string; frame?: string; unique?: Record<string, string>; twins?: number; twin?: number };

const tags = (path: string) => path.replace(/\[\d+\]/g, '');

// placesOf is where elements stand in their document.
function placesOf(els: Element[]): string[] {
  const place = (el: Element): string => {
    const p = el.parentElement;
    if (!p) return el.localName;
    const same = Array.from(p.children).filter((x) => x.localName === el.localName);
    return `${place(p)}/${el.localName}${same.length > 1 ? `[${same.indexOf(el) + 1}]` : ''}`;
  };
  return els.map(place);
}

// find returns the recorded element by the best of what is known of it: the
// first locator that exactly one element answers to.
async function find(page: Page, want: Want): Promise<Locator> {
  const q = (s: string) => fill(s).replace(/["\\]/g, '\\$&');
  const tag = want.tag ?? '*';
  const until = Date.now() + 10_000;
  for (;;) {
    let scope: Page | Frame = page;
    if (want.frame) {
      const last = want.frame.split(' > ').pop()!.replace(/#\d+$/, '');
      const path = new URL(last, page.url()).pathname;
      const frame = page.frames().find((f) => f !== page.mainFrame() && new URL(f.url(), page.url()).pathname === path);
      if (frame) scope = frame;
    }
    const tries: Locator[] = [];
    const u = want.unique ?? {};
    const value = u.value ? `[value="${q(u.value)}"]` : '';
    for (const a of ['data-testid', 'data-test', 'data-cy', 'data-qa', 'id', 'name']) {
      if (u[a]) tries.push(scope.locator(`${tag}[${a}="${q(u[a])}"]${value}`));
    }
    if (want.role && want.name) tries.push(scope.getByRole(want.role as any, { name: fill(want.name), exact: true }));
    if (want.name && !want.role) tries.push(scope.getByLabel(fill(want.name), { exact: true }));
    for (const a of ['aria-label', 'placeholder', 'title', 'href']) {
      if (u[a]) tries.push(scope.locator(`${tag}[${a}="${q(u[a])}"]`));
    }
    let most = 0;
    for (const t of tries) {
      const seen = t.filter({ visible: true });
      const n = await seen.count();
      if (n === 1) return seen;
      if (n > 1) {
        const places = want.path ? await seen.evaluateAll(placesOf) : [];
        const here = places.indexOf(want.path!);
        if (here >= 0) return seen.nth(here);
        // Twins are told apart by their order while all stand where they stood.
        if (n === want.twins && places.every((p) => tags(p) === tags(want.path!))) return seen.nth(want.twin! - 1);
      }
      most = Math.max(most, n);
    }
    if (!tries.length && want.path) {
      const byPath = scope.locator(`xpath=/${want.path}`);
      if ((await byPath.count()) === 1) return byPath;
    }
    if (Date.now() > until) {
      const what = `${want.role ?? tag} ${JSON.stringify(want.name ?? u)}`;
      throw new Error(most > 1 ? `${most} elements answer to ${what} alike; refusing to guess` : `${what} is not on the page`);
    }
    await page.waitForTimeout(100);
  }
}

// asked holds what documents and scripts wait for, and when it was asked for.
const asked = new Map<Request, number>();

function listen(context: BrowserContext): void {
  context.on('request', (r) => {
    if (['document', 'xhr', 'fetch'].includes(r.resourceType())) asked.set(r, Date.now());
  });
  context.on('requestfinished', (r) => asked.delete(r));
  context.on('requestfailed', (r) => asked.delete(r));
}

// step does something and waits for the answers to what it asked a server, some
// seconds at most: the next step may leave the page, which calls such a request
// back.
async function step(page: Page, title: string, act: () => Promise<void>): Promise<void> {
  await test.step(title, async () => {
    const since = Date.now();
    await act();
    const until = Date.now() + 5_000;
    const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
    // What was sent is known once the page has done what it had to do at once.
    await Promise.race([page.evaluate(() => new Promise<void>((done) => setTimeout(done))).catch(() => {}), pause(5_000)]);
    while (Date.now() < until && [...asked.values()].some((begun) => begun >= since)) await pause(20);
  });
}

// choose chooses in a list, which has the keyboard afterwards.
async function choose(list: Locator, options: string[]): Promise<void> {
  await list.focus();
  try {
    await list.selectOption(options, { timeout: 10_000 });
  } catch (e) {
    const there = await list.locator('option').allTextContents();
    throw new Error(`${options.join(', ')} cannot be chosen from: ${there.map((t) => t.trim()).join(', ')}`, { cause: e });
  }
}

const pathOf = (u: string, base: string) => new URL(u, base).pathname;

// leaving does something that left the page when it was recorded.
async function leaving(page: Page, to: string, act: () => Promise<void>): Promise<void> {
  const from = page.url();
  const gone = page.waitForNavigation({ waitUntil: 'domcontentloaded', timeout: 10_000 }).catch(() => null);
  await act();
  await gone;
  const now = page.url();
  if (pathOf(to, from) !== pathOf(from, from) && pathOf(now, from) === pathOf(from, from)) {
    throw new Error(`it is not known whether the action took effect: the recorded run went on to ${to}, and the page is ${now}`);
  }
}

type Condition = { text?: string; gone?: string; selector?: string; path?: string; equals?: string[]; not?: boolean; within?: number };

async function holds(page: Page, c: Condition): Promise<boolean> {
  const until = Date.now() + (c.within ?? 0);
  for (;;) {
    const flat = (t: string) => t.replace(/\s+/g, ' ').toLowerCase();
    const text = flat(await page.locator('body').innerText());
    let ok = (!c.text || text.includes(flat(fill(c.text)))) && (!c.gone || !text.includes(flat(fill(c.gone))));
    if (ok && c.selector) ok = (await page.locator(fill(c.selector)).filter({ visible: true }).count()) > 0;
    if (ok && c.path) ok = new URL(page.url()).pathname.startsWith(fill(c.path));
    if (ok && c.equals) ok = fill(c.equals[0]) === fill(c.equals[1]);
    if (ok || Date.now() > until) return ok !== (c.not ?? false);
    await page.waitForTimeout(100);
  }
}

async function read(page: Page, selector: string, attribute: string, pattern: string, all: boolean): Promise<string | string[]> {
  const found = page.locator(fill(selector));
  await found.first().waitFor({ state: 'visible' });
  let out = await found.evaluateAll((els, a) => els.map((e: any) => (a ? e.getAttribute(a) ?? '' : (e.value || e.innerText || e.textContent || '').trim())), attribute);
  if (pattern) {
    out = out.map((t) => {
      const m = new RegExp(pattern).exec(t);
      if (!m) throw new Error(`${JSON.stringify(t)} has nothing that matches ${pattern}`);
      return m[m.length - 1];
    });
  }
  return all ? out : out[0];
}

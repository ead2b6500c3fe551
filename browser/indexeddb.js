// Reads ("read") or writes ("write") the IndexedDB databases of the document's
// origin, in the form that Playwright's storageState keeps them in.
async (op, arg) => {
  const answer = (req) => new Promise((ok, no) => {
    req.onsuccess = () => ok(req.result);
    req.onerror = () => no(req.error);
    req.onblocked = () => no(new Error(`the database is in use`));
  });
  const views = {
    i8: Int8Array, ui8: Uint8Array, ui8c: Uint8ClampedArray, i16: Int16Array, ui16: Uint16Array,
    i32: Int32Array, ui32: Uint32Array, f32: Float32Array, f64: Float64Array, bi64: BigInt64Array, bui64: BigUint64Array,
  };
  const toBase64 = (bytes) => {
    let s = '';
    for (let i = 0; i < bytes.length; i += 0x8000) s += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
    return btoa(s);
  };
  const fromBase64 = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0));

  // JSON holds it as it is, once.
  const isPlain = (v, seen = new Set()) => {
    if (v === null || typeof v === 'string' || typeof v === 'boolean') return true;
    if (typeof v === 'number') return Number.isFinite(v) && !Object.is(v, -0);
    if (typeof v !== 'object' || seen.has(v)) return false;
    seen.add(v);
    if (Array.isArray(v)) return v.every((x) => isPlain(x, seen));
    return Object.getPrototypeOf(v) === Object.prototype && Object.values(v).every((x) => isPlain(x, seen));
  };
  const encode = (v, seen) => {
    if (v === undefined) return { v: 'undefined' };
    if (v === null) return { v: 'null' };
    if (typeof v === 'number' && !isPlain(v)) return { v: Object.is(v, -0) ? '-0' : String(v) };
    if (typeof v === 'bigint') return { bi: v.toString() };
    if (typeof v !== 'object') return v;
    if (v instanceof Date) return { d: v.toJSON() };
    if (v instanceof RegExp) return { r: { p: v.source, f: v.flags } };
    if (v instanceof Error) return { e: { n: v.name, m: v.message, s: v.stack || '' } };
    if (v instanceof ArrayBuffer) return { ab: { b: toBase64(new Uint8Array(v)) } };
    for (const [k, view] of Object.entries(views)) {
      if (v instanceof view) return { ta: { b: toBase64(new Uint8Array(v.buffer, v.byteOffset, v.byteLength)), k } };
    }
    if (seen.has(v)) return { ref: seen.get(v) };
    if (Array.isArray(v)) {
      const id = seen.size + 1;
      seen.set(v, id);
      return { a: v.map((x) => encode(x, seen)), id };
    }
    if (Object.getPrototypeOf(v) !== Object.prototype) throw new TypeError('no form for it');
    const id = seen.size + 1;
    seen.set(v, id);
    return { o: Object.keys(v).map((k) => ({ k, v: encode(v[k], seen) })), id };
  };
  const decode = (e, refs) => {
    if (e === null || typeof e !== 'object') return e;
    if ('v' in e) return { undefined: undefined, null: null, NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity, '-0': -0 }[e.v];
    if ('bi' in e) return BigInt(e.bi);
    if ('d' in e) return new Date(e.d);
    if ('u' in e) return String(e.u);
    if ('r' in e) return new RegExp(e.r.p, e.r.f);
    if ('e' in e) return Object.assign(new Error(e.e.m), { name: e.e.n, stack: e.e.s });
    if ('ab' in e) return fromBase64(e.ab.b).buffer;
    if ('ta' in e) return new views[e.ta.k](fromBase64(e.ta.b).buffer);
    if ('ref' in e) return refs.get(e.ref);
    if ('a' in e) {
      const out = [];
      refs.set(e.id, out);
      for (const x of e.a) out.push(decode(x, refs));
      return out;
    }
    const out = {};
    refs.set(e.id, out);
    for (const { k, v } of e.o) Object.defineProperty(out, k, { value: decode(v, refs), enumerable: true, configurable: true, writable: true });
    return out;
  };
  const put = (record, name, v) => {
    if (isPlain(v)) record[name] = v;
    else record[`${name}Encoded`] = encode(v, new Map());
  };
  const get = (record, name) => (name in record ? record[name] : decode(record[`${name}Encoded`], new Map()));
  const path = (p) => (typeof p === 'string' ? { keyPath: p } : p ? { keyPathArray: [...p] } : {});
  const pathOf = (x) => x.keyPath ?? x.keyPathArray ?? null;

  const read = async () => {
    const out = { databases: [], skipped: [] };
    for (const { name, version } of await indexedDB.databases()) {
      const db = await answer(indexedDB.open(name));
      try {
        const stores = [];
        for (const storeName of db.objectStoreNames) {
          const store = db.transaction(storeName, 'readonly').objectStore(storeName);
          const [keys, values] = await Promise.all([answer(store.getAllKeys()), answer(store.getAll())]);
          const records = [];
          values.forEach((value, i) => {
            const record = {};
            try {
              if (store.keyPath === null) put(record, 'key', keys[i]);
              put(record, 'value', value);
              records.push(record);
            } catch {
              // Keys that cannot be taken out of the browser, blobs, maps.
              out.skipped.push(`${name}.${storeName}`);
            }
          });
          stores.push({
            name: storeName, ...path(store.keyPath), autoIncrement: store.autoIncrement, records,
            indexes: [...store.indexNames].map((n) => store.index(n)).map((x) => ({
              name: x.name, ...path(x.keyPath), multiEntry: x.multiEntry, unique: x.unique,
            })),
          });
        }
        const database = { name, version, stores };
        if (JSON.stringify(database).length > arg) out.skipped.push(name);
        else out.databases.push(database);
      } finally {
        db.close();
      }
    }
    return out;
  };

  const write = async () => {
    for (const { name, version, stores } of arg) {
      await answer(indexedDB.deleteDatabase(name));
      const req = indexedDB.open(name, version);
      req.onupgradeneeded = () => {
        for (const s of stores) {
          const store = req.result.createObjectStore(s.name, { keyPath: pathOf(s), autoIncrement: s.autoIncrement });
          for (const x of s.indexes || []) store.createIndex(x.name, pathOf(x), { multiEntry: x.multiEntry, unique: x.unique });
        }
      };
      const db = await answer(req);
      try {
        for (const s of stores) {
          if (!s.records || s.records.length === 0) continue;
          const tx = db.transaction(s.name, 'readwrite');
          const store = tx.objectStore(s.name);
          for (const r of s.records) {
            if (store.keyPath === null) store.put(get(r, 'value'), get(r, 'key'));
            else store.put(get(r, 'value'));
          }
          await new Promise((ok, no) => { tx.oncomplete = ok; tx.onabort = tx.onerror = () => no(tx.error); });
        }
      } finally {
        db.close();
      }
    }
    return {};
  };
  return op === 'read' ? read() : write();
}

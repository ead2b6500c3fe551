package browser

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// Some sites keep their login in a database; with IndexedDB it goes along, in
// all the kinds of values that such a database holds.
func TestLoginInADatabaseSurvives(t *testing.T) {
	url := serveMux(t, html(`<title>page</title>`))
	file := filepath.Join(t.TempDir(), "state.json")
	ctx := testContext(t)
	first := downloadSession(t, Config{StorageFile: file, IndexedDB: true})
	if _, err := first.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	mustEval[any](t, first, `new Promise((ok, no) => {
		const req = indexedDB.open('auth', 3);
		req.onerror = () => no(req.error);
		req.onupgradeneeded = () => {
			const users = req.result.createObjectStore('users', { keyPath: 'id' });
			users.createIndex('byMail', 'mail', { unique: true });
			users.createIndex('byTag', ['kind', 'tags'], { multiEntry: false });
			req.result.createObjectStore('list', { autoIncrement: true });
			req.result.createObjectStore('any');
			req.result.createObjectStore('empty', { keyPath: ['a', 'b'] });
		};
		req.onsuccess = () => {
			const tx = req.result.transaction(['users', 'list', 'any'], 'readwrite');
			tx.objectStore('users').put({ id: 7, mail: 'ann@a.test', token: 'tok\ud83d\ude00', nested: { list: [1, null, { deep: true }] } });
			tx.objectStore('list').add('one'); tx.objectStore('list').add('two');
			const any = tx.objectStore('any');
			const loop = { name: 'loop' }; loop.self = loop;
			any.put({ when: new Date(1e12), re: /a+/gi, big: 12345678901234567890n, none: undefined, nan: NaN, neg: -0, inf: -Infinity, proto: JSON.parse('{"__proto__": 1}') }, 'odd');
			any.put(new Uint8Array([1, 2, 255]), new Date(5));
			any.put(new Float64Array([1.5, -2]).buffer, ['array', 'key']);
			any.put(loop, 1.5);
			any.put(new Map([[1, 2]]), 'map');
			tx.oncomplete = () => ok(); tx.onabort = () => no(tx.error);
		};
	})`)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := LoadStorageState(file)
	if err != nil || len(st.Origins) != 1 || len(st.Origins[0].IndexedDB) != 1 {
		t.Fatalf("state = %+v, %v", st, err)
	}
	// As Playwright writes it.
	var db struct {
		Name    string
		Version int
		Stores  []struct {
			Name          string
			KeyPath       string
			KeyPathArray  []string
			AutoIncrement bool
			Records       []struct{ Key, KeyEncoded, Value, ValueEncoded json.RawMessage }
			Indexes       []struct {
				Name, KeyPath string
				KeyPathArray  []string
				Unique        bool
			}
		}
	}
	if err := json.Unmarshal(st.Origins[0].IndexedDB[0], &db); err != nil {
		t.Fatal(err)
	}
	if db.Name != "auth" || db.Version != 3 || len(db.Stores) != 4 {
		t.Errorf("database = %+v", db)
	}
	for _, s := range db.Stores {
		switch s.Name {
		case "users":
			if s.KeyPath != "id" || len(s.Indexes) != 2 || len(s.Records) != 1 || s.Records[0].Key != nil || !strings.Contains(string(s.Records[0].Value), `"ann@a.test"`) {
				t.Errorf("users = %+v", s)
			}
		case "any":
			if len(s.Records) != 4 { // the map has no form
				t.Errorf("any has %d records", len(s.Records))
			}
		case "empty":
			if len(s.KeyPathArray) != 2 {
				t.Errorf("empty = %+v", s)
			}
		}
	}

	second := downloadSession(t, Config{StorageFile: file, IndexedDB: true})
	if _, err := second.Navigate(ctx, url); err != nil {
		t.Fatal(err)
	}
	got := mustEval[string](t, second, `(async () => {
		const ask = (r) => new Promise((ok, no) => { r.onsuccess = () => ok(r.result); r.onerror = () => no(r.error) });
		const db = await ask(indexedDB.open('auth'));
		const store = (n) => db.transaction(n).objectStore(n);
		const user = await ask(store('users').index('byMail').get('ann@a.test'));
		const odd = await ask(store('any').get('odd'));
		const loop = await ask(store('any').get(1.5));
		const bytes = await ask(store('any').get(new Date(5)));
		const floats = await ask(store('any').get(['array', 'key']));
		const list = await ask(store('list').getAllKeys());
		return [db.version, user.token, user.nested.list[2].deep, odd.when.getTime(), String(odd.re), odd.big, 'none' in odd, odd.none, odd.nan,
			Object.is(odd.neg, -0), odd.inf, Object.keys(odd.proto), loop.self === loop, bytes instanceof Uint8Array && bytes.join(' '),
			new Float64Array(floats).join(' '), list.join(' '), store('empty').keyPath.join(' '), store('users').index('byTag').keyPath.join(' ')].join('|');
	})()`)
	want := "3|tok\U0001F600|true|1000000000000|/a+/gi|12345678901234567890|true||NaN|true|-Infinity|__proto__|true|1 2 255|1.5 -2|1 2|a b|kind tags"
	if got != want {
		t.Errorf("restored %s\n    want %s", got, want)
	}

	// Not asked for, not there.
	plain, err := downloadSession(t, Config{Storage: st}).StorageState(ctx)
	if err != nil || len(plain.Origins) != 0 {
		t.Errorf("without IndexedDB: %+v, %v", plain, err)
	}
}

// The page holds no state of its own but the key, which stays in this tab.
const $ = (id) => document.getElementById(id);
let next = "";
let latest = 0; // the newest request for a list; answers to older ones are dropped

// call sends a request and returns its answer, or throws what the server said.
async function call(method, path, body) {
  const headers = {};
  const key = $("key").value;
  if (key) headers["X-API-Key"] = key;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const res = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  const answer = await res.json().catch(() => ({}));
  if (!res.ok) {
    const d = answer.detail;
    throw new Error(typeof d === "string" ? d : d ? d.map((e) => e.loc.join(".") + ": " + e.msg).join("; ") : "status " + res.status);
  }
  const mode = res.headers.get("X-Memory-Mode");
  if (mode) $("mode").textContent = mode === "lexical" ? "Search finds shared words, not shared meaning (lexical)." : "Search by meaning (" + mode + ").";
  next = res.headers.get("X-Next-Cursor") || "";
  return answer;
}

function say(text, bad) {
  $("status").textContent = text;
  $("status").classList.toggle("bad", Boolean(bad));
}

// attempt runs an action and says what went wrong with it.
async function attempt(action) {
  try {
    await action();
  } catch (err) {
    say(err.message, true);
  }
}

function ids() {
  const out = {};
  for (const name of ["user", "agent", "run"]) {
    const v = $(name).value.trim();
    if (v) out[name + "_id"] = v;
  }
  return out;
}

async function list(cursor) {
  const mine = ++latest;
  const q = new URLSearchParams({ ...ids(), top_k: "50" });
  if ($("expired").checked) q.set("show_expired", "true");
  if (cursor) q.set("cursor", cursor);
  const { results } = await call("GET", "/memories?" + q);
  if (mine !== latest) return;
  show(results, Boolean(cursor));
  say(count(results.length + (cursor ? 50 : 0), Boolean(next)));
}

async function search() {
  const query = $("query").value.trim();
  if (!query) return list();
  const mine = ++latest;
  const { results } = await call("POST", "/search", { query, filters: ids(), top_k: 50, show_expired: $("expired").checked });
  if (mine !== latest) return;
  show(results, false);
  say(count(results.length, false) + " for “" + query + "”");
}

function count(n, more) {
  if (more) return n + " memories, and more";
  return n === 0 ? "No memories" : n === 1 ? "1 memory" : n + " memories";
}

function show(items, append) {
  if (!append) $("list").replaceChildren();
  for (const item of items) $("list").append(entry(item));
  $("more").hidden = !next;
}

// entry builds the element of one memory. Texts are set as text: a memory may
// hold anything.
function entry(item) {
  const li = $("entry").content.firstElementChild.cloneNode(true);
  const get = (cls) => li.querySelector("." + cls);
  li.dataset.id = item.id;
  const fill = () => {
    get("memory").textContent = item.memory;
    const facts = [item.updated_at.slice(0, 10)];
    for (const k of ["user_id", "agent_id", "run_id", "role", "memory_type"]) if (item[k]) facts.push(k.replace("_id", "") + " " + item[k]);
    if (item.expiration_date) facts.push("until " + item.expiration_date);
    if (item.score !== undefined) facts.push("score " + item.score.toFixed(2));
    if (item.metadata) facts.push(JSON.stringify(item.metadata));
    get("meta").textContent = facts.join(" · ");
  };
  fill();
  const path = "/memories/" + encodeURIComponent(item.id);
  const editor = get("editor");
  const box = editor.querySelector("textarea");
  get("edit").onclick = () => {
    box.value = item.memory;
    editor.hidden = false;
    box.focus();
  };
  get("cancel").onclick = () => { editor.hidden = true; };
  editor.onsubmit = (e) => {
    e.preventDefault();
    attempt(async () => {
      await call("PUT", path, { text: box.value });
      item = await call("GET", path);
      delete item.score;
      fill();
      editor.hidden = true;
      say("Saved");
    });
  };
  get("delete").onclick = (e) => {
    // A second press on the same button confirms.
    if (!e.target.dataset.sure) {
      e.target.dataset.sure = "1";
      e.target.textContent = "Really delete";
      return;
    }
    attempt(async () => {
      await call("DELETE", path);
      li.remove();
      say("Deleted");
    });
  };
  get("history").onclick = () => attempt(async () => {
    const past = get("past");
    if (past.hidden) {
      const rows = await call("GET", path + "/history");
      past.replaceChildren(...rows.map((r) => {
        const row = document.createElement("li");
        row.textContent = r.event + " " + (r.updated_at || r.created_at).slice(0, 19).replace("T", " ") + ": " + (r.new_memory ?? r.old_memory);
        return row;
      }));
    }
    past.hidden = !past.hidden;
  });
  return li;
}

async function users() {
  const entities = await call("GET", "/entities");
  $("users").replaceChildren(...entities.filter((e) => e.type === "user").map((e) => {
    const o = document.createElement("option");
    o.value = e.id;
    return o;
  }));
}

$("who").onsubmit = (e) => {
  e.preventDefault();
  sessionStorage.setItem("memory-key", $("key").value);
  $("query").value = "";
  attempt(async () => { await list(); await users(); });
};
$("find").onsubmit = (e) => { e.preventDefault(); attempt(search); };
$("new").onsubmit = (e) => {
  e.preventDefault();
  attempt(async () => {
    const { results } = await call("POST", "/memories", { messages: $("text").value, infer: false, ...ids() });
    if (results.length === 0) throw new Error("There is no text to add");
    $("text").value = "";
    $("query").value = "";
    await list();
    say("Added");
  });
};
$("more").onclick = () => attempt(() => list(next));

$("key").value = sessionStorage.getItem("memory-key") || "";
$("user").value = new URLSearchParams(location.search).get("user_id") || "";
attempt(users);
if ($("user").value) attempt(() => list());

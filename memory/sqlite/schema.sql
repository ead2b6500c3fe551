CREATE TABLE meta(
  k TEXT PRIMARY KEY,
  v TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO meta(k, v) VALUES('generation', '0');

CREATE TABLE memories(
  rid INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  user_id TEXT, agent_id TEXT, run_id TEXT,
  actor_id TEXT, role TEXT, type TEXT, attributed_to TEXT,
  data TEXT NOT NULL,
  hash TEXT NOT NULL,
  payload TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  expires_on TEXT
);
CREATE INDEX memories_user ON memories(user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX memories_agent ON memories(agent_id, created_at) WHERE agent_id IS NOT NULL;
CREATE INDEX memories_run ON memories(run_id, created_at) WHERE run_id IS NOT NULL;
CREATE INDEX memories_hash ON memories(hash);

-- Little-endian float32 of length one.
CREATE TABLE vectors(
  rid INTEGER PRIMARY KEY REFERENCES memories(rid) ON DELETE CASCADE,
  emb BLOB NOT NULL
);

-- New vectors on their way in; see longterm.Reembed.
CREATE TABLE staged(
  rid INTEGER PRIMARY KEY REFERENCES memories(rid) ON DELETE CASCADE,
  fingerprint TEXT NOT NULL,
  hash TEXT NOT NULL,
  emb BLOB NOT NULL
);

-- The words are made by the program; the tokenizer only splits at spaces.
-- The scope column narrows a match before any row is read. A deleted word
-- leaves the index at once, so that a purge can leave nothing.
CREATE VIRTUAL TABLE memories_fts USING fts5(scope, tokens, tokenize='ascii');
INSERT INTO memories_fts(memories_fts, rank) VALUES('secure-delete', 1);

CREATE TABLE history(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  memory_id TEXT NOT NULL,
  user_id TEXT, agent_id TEXT, run_id TEXT,
  old_memory TEXT,
  new_memory TEXT,
  event TEXT NOT NULL,
  created_at TEXT,
  updated_at TEXT,
  is_deleted INTEGER NOT NULL DEFAULT 0,
  actor_id TEXT,
  role TEXT
);
CREATE INDEX history_memory ON history(memory_id, seq);

CREATE TABLE messages(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL, agent_id TEXT NOT NULL, run_id TEXT NOT NULL,
  role TEXT NOT NULL,
  name TEXT,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL
);
CREATE INDEX messages_scope ON messages(user_id, agent_id, run_id, seq);

CREATE TABLE apps(
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at TEXT NOT NULL,
  PRIMARY KEY(user_id, name)
) WITHOUT ROWID;

CREATE TABLE acl(
  user_id TEXT NOT NULL,
  app TEXT NOT NULL,
  allow INTEGER NOT NULL,
  memory_id TEXT,
  FOREIGN KEY(user_id, app) REFERENCES apps(user_id, name) ON DELETE CASCADE
);
CREATE INDEX acl_app ON acl(user_id, app);

CREATE TABLE access_log(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id TEXT NOT NULL,
  app TEXT NOT NULL,
  kind TEXT NOT NULL,
  memory_id TEXT,
  at TEXT NOT NULL
);
CREATE INDEX access_log_user ON access_log(user_id, seq);

CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS meta(k text PRIMARY KEY, v text NOT NULL);
CREATE TABLE IF NOT EXISTS memories(
  rid bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  user_id text, agent_id text, run_id text,
  actor_id text, role text, type text, attributed_to text,
  data text NOT NULL,
  hash text NOT NULL,
  payload jsonb,
  created_at text COLLATE "C" NOT NULL,
  updated_at text COLLATE "C" NOT NULL,
  expires_on text COLLATE "C",
  tokens tsvector NOT NULL,
  emb vector NOT NULL
);
CREATE INDEX IF NOT EXISTS memories_user ON memories(user_id, created_at) WHERE user_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS memories_agent ON memories(agent_id, created_at) WHERE agent_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS memories_run ON memories(run_id, created_at) WHERE run_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS memories_hash ON memories(hash);
CREATE INDEX IF NOT EXISTS memories_tokens ON memories USING gin(tokens);
CREATE TABLE IF NOT EXISTS history(
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  memory_id text NOT NULL,
  user_id text, agent_id text, run_id text,
  old_memory text, new_memory text,
  event text NOT NULL,
  created_at text, updated_at text,
  is_deleted boolean NOT NULL DEFAULT false,
  actor_id text, role text
);
CREATE INDEX IF NOT EXISTS history_memory ON history(memory_id, seq);
CREATE TABLE IF NOT EXISTS messages(
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL, agent_id text NOT NULL, run_id text NOT NULL,
  role text NOT NULL, name text NOT NULL, content text NOT NULL, created_at text NOT NULL
);
CREATE INDEX IF NOT EXISTS messages_scope ON messages(user_id, agent_id, run_id, seq);

-- Agents with members, roles and what waits in them: the agents page and the
-- policy's question who may enter a room.
CREATE TABLE agents (
  product       text        NOT NULL,
  agent         text        NOT NULL,
  seq           bigint      NOT NULL,
  rev           bigint      NOT NULL,
  name          text        NOT NULL,
  brief         text        NOT NULL,
  creator       text        NOT NULL,
  sources       text[]      NOT NULL,
  daily         boolean     NOT NULL,
  daily_at      text        NOT NULL,
  zone          text        NOT NULL,
  archived      boolean     NOT NULL,
  created_at    timestamptz NOT NULL,
  gene_version  integer     NOT NULL,
  last_activity timestamptz NOT NULL,
  PRIMARY KEY (product, agent)
);

CREATE TABLE members (
  product text NOT NULL,
  agent   text NOT NULL,
  person  text NOT NULL,
  role    text NOT NULL,
  PRIMARY KEY (product, agent, person)
);

-- Pending cards and orders, and runs that have not ended.
CREATE TABLE waiting (
  product text NOT NULL,
  agent   text NOT NULL,
  kind    text NOT NULL CHECK (kind IN ('card', 'order', 'run')),
  id      text NOT NULL,
  PRIMARY KEY (product, agent, kind, id)
);

-- Only for queries: made once the rows are there.
CREATE INDEX IF NOT EXISTS agents_id ON agents (agent);
CREATE INDEX IF NOT EXISTS members_person ON members (product, person);

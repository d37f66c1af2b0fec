-- Every run and turn with its attempts, model rounds and cost: the task center,
-- the reconciler's open work and the room's status.
CREATE TABLE runs (
  product      text        NOT NULL,
  agent        text        NOT NULL,
  run          text        NOT NULL,
  seq          bigint      NOT NULL,
  rev          bigint      NOT NULL,
  work         text        NOT NULL,
  trigger      text        NOT NULL,
  state        text        NOT NULL CHECK (state IN ('requested', 'running', 'stopping', 'worker_lost', 'done', 'failed', 'cancelled')),
  open         boolean     NOT NULL GENERATED ALWAYS AS (state IN ('requested', 'running', 'stopping', 'worker_lost')) STORED,
  request      jsonb       NOT NULL,
  requester    text        NOT NULL,
  requested_at timestamptz NOT NULL,
  started_at   timestamptz,
  finished_at  timestamptz,
  finished_seq bigint,
  last_sign    timestamptz NOT NULL,
  gene_version integer     NOT NULL,
  attempt      integer     NOT NULL DEFAULT 0,
  lost         integer     NOT NULL DEFAULT 0,
  progress     jsonb,
  cancel       text        NOT NULL DEFAULT '',
  outcome      text        NOT NULL DEFAULT '',
  reason       text        NOT NULL DEFAULT '',
  summary      text        NOT NULL DEFAULT '',
  products     jsonb       NOT NULL DEFAULT '[]',
  order_id     text        NOT NULL,
  card         text        NOT NULL,
  retry_of     text        NOT NULL,
  continues    text        NOT NULL,
  day          text        NOT NULL,
  PRIMARY KEY (product, agent, run)
);
CREATE INDEX runs_seq ON runs (product, seq);
CREATE INDEX runs_open ON runs (product, agent) WHERE open;

CREATE TABLE turns (
  product      text        NOT NULL,
  agent        text        NOT NULL,
  turn         text        NOT NULL,
  seq          bigint      NOT NULL,
  state        text        NOT NULL CHECK (state IN ('answering', 'stopping', 'worker_lost', 'finished')),
  started_at   timestamptz NOT NULL,
  finished_at  timestamptz,
  gene_version integer     NOT NULL,
  attempt      integer     NOT NULL,
  messages     text[]      NOT NULL,
  upto         text        NOT NULL,
  reason       text        NOT NULL DEFAULT '',
  PRIMARY KEY (product, agent, turn)
);
CREATE INDEX turns_open ON turns (product, agent) WHERE state <> 'finished';

-- Tries of runs and turns (subject). Cost is the larger of what the rounds cost
-- and what the end says: a render costs without rounds, a lost attempt has no end.
CREATE TABLE attempts (
  product     text        NOT NULL,
  agent       text        NOT NULL,
  subject     text        NOT NULL,
  attempt     integer     NOT NULL,
  slot        bigint      NOT NULL,
  worker      text        NOT NULL,
  started_at  timestamptz NOT NULL,
  ended_at    timestamptz,
  ended       text        NOT NULL DEFAULT '',
  rounds      integer     NOT NULL DEFAULT 0,
  known       boolean     NOT NULL DEFAULT true,
  input       bigint      NOT NULL DEFAULT 0,
  cache_write bigint      NOT NULL DEFAULT 0,
  cache_read  bigint      NOT NULL DEFAULT 0,
  output      bigint      NOT NULL DEFAULT 0,
  step_cost   bigint      NOT NULL DEFAULT 0,
  end_cost    bigint      NOT NULL DEFAULT 0,
  PRIMARY KEY (product, agent, subject, attempt)
);

-- Model rounds. late: recorded after the attempt had been closed; not shown.
CREATE TABLE steps (
  product text        NOT NULL,
  agent   text        NOT NULL,
  subject text        NOT NULL,
  attempt integer     NOT NULL,
  round   integer     NOT NULL,
  seq     bigint      NOT NULL,
  at      timestamptz NOT NULL,
  late    boolean     NOT NULL,
  body    jsonb       NOT NULL,
  PRIMARY KEY (product, agent, subject, attempt, round)
);

-- People's messages, and up to where turns have settled them.
CREATE TABLE messages (
  product    text        NOT NULL,
  agent      text        NOT NULL,
  message    text        NOT NULL,
  seq        bigint      NOT NULL,
  at         timestamptz NOT NULL,
  taken_back boolean     NOT NULL DEFAULT false,
  settled    boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (product, agent, message)
);
CREATE INDEX messages_open ON messages (product, agent, seq) WHERE NOT settled AND NOT taken_back;

CREATE TABLE fences (
  product text    NOT NULL,
  agent   text    NOT NULL,
  subject text    NOT NULL,
  attempt integer NOT NULL,
  PRIMARY KEY (product, agent, subject)
);
CREATE TABLE refused (
  product text   NOT NULL,
  agent   text   NOT NULL,
  type    text   NOT NULL,
  reason  text   NOT NULL,
  count   bigint NOT NULL,
  last    bigint NOT NULL,
  PRIMARY KEY (product, agent, type, reason)
);

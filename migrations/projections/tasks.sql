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
  attempt      integer     NOT NULL,
  lost         integer     NOT NULL,
  progress     jsonb,
  cancel       text        NOT NULL,
  outcome      text        NOT NULL,
  reason       text        NOT NULL,
  summary      text        NOT NULL,
  products     jsonb       NOT NULL,
  order_id     text        NOT NULL,
  card         text        NOT NULL,
  retry_of     text        NOT NULL,
  continues    text        NOT NULL,
  day          text        NOT NULL,
  PRIMARY KEY (product, agent, run)
);

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
  reason       text        NOT NULL,
  PRIMARY KEY (product, agent, turn)
);

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
  ended       text        NOT NULL,
  rounds      integer     NOT NULL,
  known       boolean     NOT NULL,
  input       bigint      NOT NULL,
  cache_write bigint      NOT NULL,
  cache_read  bigint      NOT NULL,
  output      bigint      NOT NULL,
  step_cost   bigint      NOT NULL,
  end_cost    bigint      NOT NULL,
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

-- People's messages.
CREATE TABLE messages (
  product    text        NOT NULL,
  agent      text        NOT NULL,
  message    text        NOT NULL,
  seq        bigint      NOT NULL,
  at         timestamptz NOT NULL,
  taken_back boolean     NOT NULL,
  PRIMARY KEY (product, agent, message)
);

-- Up to where an agent's messages go (said), and up to where turns have settled
-- them: one row, however many messages a turn settles.
CREATE TABLE rooms (
  product text    NOT NULL,
  agent   text    NOT NULL,
  said    bigint  NOT NULL,
  settled bigint  NOT NULL,
  open    boolean NOT NULL GENERATED ALWAYS AS (said > settled) STORED,
  PRIMARY KEY (product, agent)
);

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

-- Only for queries: made once the rows are there.
CREATE INDEX IF NOT EXISTS runs_seq ON runs (product, seq);
CREATE INDEX IF NOT EXISTS runs_open ON runs (product, agent) WHERE open;
CREATE INDEX IF NOT EXISTS turns_open ON turns (product, agent) WHERE state <> 'finished';
CREATE INDEX IF NOT EXISTS messages_seq ON messages (product, agent, seq) WHERE NOT taken_back;
CREATE INDEX IF NOT EXISTS rooms_open ON rooms (product, agent) WHERE open;

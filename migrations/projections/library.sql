-- Materials with their analyses, boards, films and assets, and who uses what.
CREATE TABLE materials (
  product      text        NOT NULL,
  agent        text        NOT NULL,
  material     text        NOT NULL,
  seq          bigint      NOT NULL,
  rev          bigint      NOT NULL,
  run          text        NOT NULL,
  gene_version integer     NOT NULL,
  source       text        NOT NULL,
  external     text        NOT NULL,
  title        text        NOT NULL,
  author       text        NOT NULL,
  platform     text        NOT NULL,
  url          text        NOT NULL,
  tags         text[]      NOT NULL,
  counts       jsonb       NOT NULL,
  published    timestamptz,
  hash         text        NOT NULL,
  media        jsonb       NOT NULL,
  why          text        NOT NULL,
  saved_at     timestamptz NOT NULL,
  analysis     jsonb,
  report       text        NOT NULL DEFAULT '',
  rating       text        NOT NULL DEFAULT '',
  analyzed_at  timestamptz,
  observed     text        NOT NULL DEFAULT 'new' CHECK (observed IN ('new', 'seen', 'ignored')),
  viewed       boolean     NOT NULL DEFAULT false,
  passed       boolean     NOT NULL DEFAULT false, -- ignored at least once
  boards       integer     NOT NULL DEFAULT 0,     -- that cite it now
  state        text        NOT NULL GENERATED ALWAYS AS (CASE WHEN boards > 0 THEN 'adopted' ELSE observed END) STORED,
  PRIMARY KEY (product, agent, material)
);
CREATE INDEX materials_seq ON materials (product, agent, seq);
-- One material an agent and source, whoever saves it twice; ids at a source may be
-- longer than an index entry.
CREATE UNIQUE INDEX materials_external ON materials (product, agent, source, md5(external)) WHERE external <> '';
CREATE INDEX materials_hash ON materials (hash) WHERE hash <> '';

CREATE TABLE boards (
  product      text        NOT NULL,
  agent        text        NOT NULL,
  board        text        NOT NULL,
  seq          bigint      NOT NULL,
  rev          bigint      NOT NULL,
  run          text        NOT NULL,
  gene_version integer     NOT NULL,
  base         text        NOT NULL,
  title        text        NOT NULL,
  panels       jsonb       NOT NULL,
  at           timestamptz NOT NULL,
  edited_by    text        NOT NULL DEFAULT '',
  edited_at    timestamptz,
  PRIMARY KEY (product, agent, board)
);
CREATE INDEX boards_seq ON boards (product, agent, seq);

-- Which materials a board cites now.
CREATE TABLE cites (
  product  text NOT NULL,
  agent    text NOT NULL,
  board    text NOT NULL,
  material text NOT NULL,
  PRIMARY KEY (product, agent, board, material)
);
CREATE INDEX cites_material ON cites (product, agent, material);

CREATE TABLE films (
  product      text        NOT NULL,
  agent        text        NOT NULL,
  film         text        NOT NULL,
  seq          bigint      NOT NULL,
  rev          bigint      NOT NULL,
  board        text        NOT NULL,
  run          text        NOT NULL,
  gene_version integer     NOT NULL,
  hash         text        NOT NULL,
  media        jsonb       NOT NULL,
  at           timestamptz NOT NULL,
  PRIMARY KEY (product, agent, film)
);
CREATE INDEX films_seq ON films (product, agent, seq);
CREATE INDEX films_board ON films (product, agent, board);
CREATE INDEX films_hash ON films (hash) WHERE hash <> '';

CREATE TABLE assets (
  product     text        NOT NULL,
  agent       text        NOT NULL,
  asset       text        NOT NULL,
  seq         bigint      NOT NULL,
  title       text        NOT NULL,
  file        text        NOT NULL,
  hash        text        NOT NULL,
  media       jsonb       NOT NULL,
  uploaded_by text        NOT NULL,
  at          timestamptz NOT NULL,
  analysis    jsonb,
  report      text        NOT NULL DEFAULT '',
  analyzed_at timestamptz,
  PRIMARY KEY (product, agent, asset)
);
CREATE INDEX assets_seq ON assets (product, agent, seq);
CREATE INDEX assets_hash ON assets (hash) WHERE hash <> '';

-- Standing reactions to an object.
CREATE TABLE reactions (
  product     text    NOT NULL,
  agent       text    NOT NULL,
  feedback    text    NOT NULL,
  object_type text    NOT NULL,
  object      text    NOT NULL,
  verdict     text    NOT NULL,
  words       boolean NOT NULL,
  PRIMARY KEY (product, agent, feedback)
);
CREATE INDEX reactions_object ON reactions (product, agent, object_type, object);

-- Downloads, one row an observation.
CREATE TABLE downloads (
  product     text NOT NULL,
  agent       text NOT NULL,
  observation text NOT NULL,
  film        text NOT NULL,
  PRIMARY KEY (product, agent, observation)
);
CREATE INDEX downloads_film ON downloads (product, agent, film);

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

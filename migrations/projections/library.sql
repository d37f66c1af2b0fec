-- Materials with their analyses, boards, films and assets, and who uses what.
CREATE TABLE materials (
  product      text        NOT NULL,
  agent        text        NOT NULL,
  material     text        NOT NULL,
  seq          bigint      NOT NULL,
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
  report       text        NOT NULL,
  rating       text        NOT NULL,
  analyzed_at  timestamptz,
  PRIMARY KEY (product, agent, material)
);
-- One material an agent and source, whoever saves it twice; ids at a source may be
-- longer than an index entry.
CREATE UNIQUE INDEX materials_external ON materials (product, agent, source, md5(external)) WHERE external <> '';

-- What people did with each material, and the event that changed it last. Apart from
-- the material itself: looks are frequent and these rows are small.
CREATE TABLE standing (
  product  text    NOT NULL,
  agent    text    NOT NULL,
  material text    NOT NULL,
  rev      bigint  NOT NULL,
  observed text    NOT NULL CHECK (observed IN ('new', 'seen', 'ignored')),
  viewed   boolean NOT NULL,
  passed   boolean NOT NULL, -- ignored at least once
  boards   integer NOT NULL, -- that cite it now
  state    text    NOT NULL GENERATED ALWAYS AS (CASE WHEN boards > 0 THEN 'adopted' ELSE observed END) STORED,
  PRIMARY KEY (product, agent, material)
) WITH (fillfactor = 70);

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

-- Which materials a board cites now.
CREATE TABLE cites (
  product  text NOT NULL,
  agent    text NOT NULL,
  board    text NOT NULL,
  material text NOT NULL,
  PRIMARY KEY (product, agent, board, material)
);

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

-- Downloads, one row an observation.
CREATE TABLE downloads (
  product     text NOT NULL,
  agent       text NOT NULL,
  observation text NOT NULL,
  film        text NOT NULL,
  PRIMARY KEY (product, agent, observation)
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
CREATE INDEX IF NOT EXISTS materials_seq ON materials (product, agent, seq);
CREATE INDEX IF NOT EXISTS materials_hash ON materials (hash) WHERE hash <> '';
CREATE INDEX IF NOT EXISTS boards_seq ON boards (product, agent, seq);
CREATE INDEX IF NOT EXISTS cites_material ON cites (product, agent, material);
CREATE INDEX IF NOT EXISTS films_seq ON films (product, agent, seq);
CREATE INDEX IF NOT EXISTS films_board ON films (product, agent, board);
CREATE INDEX IF NOT EXISTS films_hash ON films (hash) WHERE hash <> '';
CREATE INDEX IF NOT EXISTS assets_seq ON assets (product, agent, seq);
CREATE INDEX IF NOT EXISTS assets_hash ON assets (hash) WHERE hash <> '';
CREATE INDEX IF NOT EXISTS reactions_object ON reactions (product, agent, object_type, object);
CREATE INDEX IF NOT EXISTS downloads_film ON downloads (product, agent, film);

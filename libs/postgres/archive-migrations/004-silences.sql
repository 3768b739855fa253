-- For a time, the deliveries that match are withheld. Its number is that of the request that added it.
CREATE TABLE silence (
  silence_id  bigint PRIMARY KEY,
  matchers    jsonb NOT NULL,
  starts_at   timestamptz NOT NULL,
  ends_at     timestamptz NOT NULL CHECK (ends_at > starts_at),
  author      text NOT NULL,
  comment     text NOT NULL,
  added_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When a person ended it before ends_at.
  ended_at    timestamptz,
  ended_by    text,
  end_comment text,
  -- It is over, and its end was reported.
  concluded   boolean NOT NULL DEFAULT false,
  CHECK ((ended_at IS NULL) = (ended_by IS NULL))
);
-- Every replica looks for these in each round.
CREATE INDEX silence_open ON silence (silence_id) WHERE NOT concluded;

-- A critical problem that a silence hides. Beginning and end are each reported once to the sinks of alerts.audit.
CREATE TABLE silenced_problem (
  silence_id bigint NOT NULL REFERENCES silence,
  problem_id text COLLATE "C" NOT NULL,
  hidden_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  reported   boolean NOT NULL DEFAULT false,
  PRIMARY KEY (silence_id, problem_id)
);

GRANT SELECT, INSERT, UPDATE ON silence, silenced_problem TO subscriber;
GRANT SELECT ON silence, silenced_problem TO requests;

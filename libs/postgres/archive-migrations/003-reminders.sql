-- A delivery that a rule or a silence withholds is never attempted: delivered_at is then the time at which it was added.
ALTER TABLE delivery
  ADD COLUMN withheld text CHECK (withheld IN ('muted', 'silenced', 'min-interval')),
  -- Of a message with a body of its own: the archived event inside it, and what it has besides, as it was when the message was added. event_id
  -- is then an id that follows from the message.
  ADD COLUMN about_event_id text COLLATE "C" REFERENCES archive (event_id),
  ADD COLUMN details json,
  -- Rows that exist have the time of this migration: a default that is the same for all of them rewrites no row.
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now();
ALTER TABLE delivery ALTER COLUMN created_at SET DEFAULT clock_timestamp();
CREATE INDEX delivery_about_event ON delivery (about_event_id) WHERE about_event_id IS NOT NULL;

-- When the last delivery was added that was neither withheld nor held, or a held one was delivered.
ALTER TABLE delivery_subject ADD COLUMN added_at timestamptz;

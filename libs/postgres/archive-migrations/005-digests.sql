-- A grouped delivery waits for a digest: a delivery of its own, with the events of all grouped ones of the sink.
ALTER TABLE delivery
  DROP CONSTRAINT delivery_withheld_check,
  ADD CONSTRAINT delivery_withheld_check CHECK (withheld IN ('muted', 'silenced', 'min-interval', 'grouped')),
  -- Of a grouped delivery: the event_id of the digest that has its event.
  ADD COLUMN digest_id text COLLATE "C";
CREATE INDEX delivery_grouped ON delivery (sink, archive_offset) WHERE withheld = 'grouped' AND digest_id IS NULL;
CREATE INDEX delivery_digest ON delivery (digest_id) WHERE digest_id IS NOT NULL;

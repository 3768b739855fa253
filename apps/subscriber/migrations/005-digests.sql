-- A grouped delivery waits for a digest: a delivery of its own, with the events of all grouped ones of the sink.
ALTER TABLE delivery
  DROP CONSTRAINT delivery_withheld_check,
  ADD CONSTRAINT delivery_withheld_check CHECK (withheld IN ('muted', 'silenced', 'min-interval', 'grouped')),
  -- Of a grouped delivery: the event_id of the digest that has its event.
  ADD COLUMN digest_id text COLLATE "C";
CREATE INDEX delivery_grouped ON delivery (sink, archive_offset) WHERE withheld = 'grouped' AND digest_id IS NULL;
CREATE INDEX delivery_digest ON delivery (digest_id) WHERE digest_id IS NOT NULL;

-- A digest has no body without all its events.
CREATE FUNCTION keep_deliveries_of_digests() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM removed JOIN delivery AS digest ON digest.event_id = removed.digest_id AND digest.sink = removed.sink) THEN
    RAISE EXCEPTION 'A digest has the events of these deliveries. Delete the digest with them.' USING ERRCODE = 'foreign_key_violation';
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION keep_deliveries_of_digests() FROM PUBLIC;
CREATE TRIGGER delivery_kept_for_digests AFTER DELETE ON delivery REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_deliveries_of_digests();

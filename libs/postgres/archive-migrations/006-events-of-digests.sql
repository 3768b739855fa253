-- A digest has no body without all its events, so none of them is deleted alone. The events of a deleted digest wait for another one; those of a
-- digest that has ended are delivered or skipped, as it was.
CREATE FUNCTION keep_deliveries_of_digests() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM removed JOIN delivery AS digest ON digest.event_id = removed.digest_id AND digest.sink = removed.sink) THEN
    RAISE EXCEPTION 'A digest has the events of these deliveries. Delete the digest with them.' USING ERRCODE = 'foreign_key_violation';
  END IF;
  UPDATE delivery AS member SET digest_id = NULL,
    withheld = CASE WHEN digest.delivered_at < 'infinity' THEN NULL ELSE member.withheld END,
    skipped = member.skipped OR (digest.skipped AND member.withheld IS NOT NULL)
  FROM removed AS digest
  WHERE digest.details->>'delivery' = 'digest' AND member.digest_id = digest.event_id AND member.sink = digest.sink;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION keep_deliveries_of_digests() FROM PUBLIC;
CREATE TRIGGER delivery_kept_for_digests AFTER DELETE ON delivery REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION keep_deliveries_of_digests();

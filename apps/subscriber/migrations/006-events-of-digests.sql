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

-- Names a silence to people: the key of the request that added it, also when that request was deleted.
ALTER TABLE silence ADD COLUMN silence_key uuid NOT NULL DEFAULT gen_random_uuid();
UPDATE silence SET silence_key = request_key FROM request WHERE request_id = silence_id;
CREATE UNIQUE INDEX silence_key ON silence (silence_key);

-- An earlier release adds a silence without its key.
CREATE FUNCTION take_silence_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  new.silence_key := coalesce((SELECT request_key FROM subscriber.request WHERE request_id = new.silence_id), new.silence_key);
  RETURN new;
END
$$;
CREATE TRIGGER silence_added BEFORE INSERT ON silence FOR EACH ROW EXECUTE FUNCTION take_silence_key();

-- Requests of one author, and what the audit log has of a request.
CREATE INDEX request_author ON request (author, request_id);
CREATE INDEX audit_request ON audit (request_id);

-- Ended problems in the order of listings.
CREATE INDEX problem_ended ON problem (ended_at, problem_id) WHERE ended_at IS NOT NULL;

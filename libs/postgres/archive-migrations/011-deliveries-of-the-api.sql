CREATE FUNCTION is_request_kind(kind text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT kind IN ('acknowledge', 'close', 'silence', 'end-silence', 'resend', 'skip', 'test', 'replay', 'enable-sink', 'disable-sink',
                  'rebuild-problems', 'recheck-quarantine')
$$;

-- Actions of people that are not requests: the archive API carries them out itself, and records them here.
ALTER TABLE audit
  ALTER COLUMN request_id DROP NOT NULL,
  -- Of both records of such an action: its beginning and its end.
  ADD COLUMN action_id uuid,
  DROP CONSTRAINT audit_step_check,
  -- unknown: an action was sent to an app that did not respond.
  ADD CONSTRAINT audit_step_check CHECK (step IN ('requested', 'done', 'refused', 'failed', 'unknown')),
  ADD CONSTRAINT audit_origin_check CHECK (num_nonnulls(request_id, action_id) = 1),
  ADD CONSTRAINT audit_action_check CHECK (action_id IS NULL OR (
    NOT is_request_kind(kind) AND kind ~ '^[a-z]+(-[a-z]+)*$' AND length(kind) <= 64 AND length(author) BETWEEN 1 AND 200 AND coalesce(length(comment), 0) <= 2000
    AND jsonb_typeof(parameters) = 'object' AND jsonb_typeof(coalesce(result, '{}')) = 'object'
    AND pg_column_size(parameters) <= 65536 AND coalesce(pg_column_size(result), 0) <= 65536));

-- An action has one beginning and one end.
CREATE UNIQUE INDEX audit_action ON audit (action_id, (step = 'requested')) WHERE action_id IS NOT NULL;

-- The only way in which the role api writes to the audit table. It records no request, chooses neither the time nor its own name, and
-- ends only what it began. The author is the person that the API names.
CREATE FUNCTION record_action(action_id uuid, kind text, step text, parameters jsonb, author text, comment text, result jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF is_request_kind($2) THEN
    RAISE EXCEPTION 'The kind % is one of requests. Add a request.', $2 USING ERRCODE = 'check_violation';
  END IF;
  IF $3 <> 'requested' AND NOT EXISTS (SELECT FROM audit AS beginning WHERE beginning.action_id = $1 AND beginning.step = 'requested'
                                       AND beginning.kind = $2 AND beginning.author = $5 AND beginning.database_role = session_user) THEN
    RAISE EXCEPTION 'The action % has no beginning of this kind and author.', $1 USING ERRCODE = 'foreign_key_violation';
  END IF;
  INSERT INTO audit (action_id, kind, step, parameters, author, comment, database_role, result)
  VALUES ($1, $2, $3, $4, $5, $6, session_user, $7);
END
$$;
REVOKE ALL ON FUNCTION record_action(uuid, text, text, jsonb, text, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_action(uuid, text, text, jsonb, text, text, jsonb) TO api;

CREATE FUNCTION is_digest(details json) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT coalesce(details->>'delivery' = 'digest', false) $$;

-- The sink has accepted the digest that has the event of the delivery.
CREATE FUNCTION is_in_delivered_digest(delivery) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT EXISTS (SELECT FROM subscriber.delivery AS digest
    WHERE digest.event_id = $1.digest_id AND digest.sink = $1.sink AND digest.delivered_at < 'infinity' AND NOT digest.skipped)
$$;

-- The state that people see. A grouped event is withheld until its digest is delivered. PostgreSQL inlines the function.
CREATE FUNCTION delivery_state(delivery) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN $1.parked_until IS NOT NULL THEN 'parked'
    WHEN $1.delivered_at IS NULL THEN 'pending'
    WHEN $1.skipped THEN 'skipped'
    WHEN $1.withheld IS NOT NULL AND NOT subscriber.is_in_delivered_digest($1) THEN 'withheld'
    WHEN $1.replaced_by IS NOT NULL THEN 'replaced'
    ELSE 'delivered'
  END
$$;

-- Type and participant of a delivery as listings show them: those of its event; a digest has its own type and the participant *.
ALTER TABLE delivery ADD COLUMN listed_type text, ADD COLUMN listed_participant text;
UPDATE delivery SET listed_type = CASE WHEN is_digest(details) THEN 'settlementbus.delivery.digest.v1' ELSE archive.type END,
  listed_participant = CASE WHEN is_digest(details) THEN '*' ELSE archive.participant END
FROM archive WHERE archive.event_id = coalesce(delivery.about_event_id, delivery.event_id);

CREATE FUNCTION describe_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF subscriber.is_digest(new.details) THEN
    new.listed_type := 'settlementbus.delivery.digest.v1';
    new.listed_participant := '*';
  ELSE
    SELECT type, participant INTO new.listed_type, new.listed_participant
    FROM subscriber.archive WHERE event_id = coalesce(new.about_event_id, new.event_id);
  END IF;
  RETURN new;
END
$$;
CREATE TRIGGER delivery_described BEFORE INSERT ON delivery FOR EACH ROW EXECUTE FUNCTION describe_delivery();

-- Listings: what was added last comes first.
CREATE INDEX delivery_added ON delivery (created_at, archive_offset);
CREATE INDEX delivery_added_sink ON delivery (sink, created_at, archive_offset);
CREATE INDEX delivery_added_participant ON delivery (listed_participant, created_at, archive_offset);
CREATE INDEX delivery_added_type ON delivery (listed_type, created_at, archive_offset);
CREATE INDEX delivery_added_kind ON delivery (kind, created_at, archive_offset) WHERE kind <> 'notice';
CREATE INDEX delivery_ended_otherwise ON delivery (created_at, archive_offset) WHERE skipped OR withheld IS NOT NULL OR replaced_by IS NOT NULL;

-- A recheck of the quarantine is a request as any other. The table quarantine_recheck is for the earlier release; a later migration drops it.
ALTER TABLE request DROP CONSTRAINT request_kind_check, ADD CONSTRAINT request_kind_check CHECK (is_request_kind(kind));

-- Adds the request for rows of the earlier release, of which one recheck fulfils all.
CREATE FUNCTION request_recheck() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM added WHERE finished_at IS NULL) THEN
    INSERT INTO request (kind, author, comment)
    VALUES ('recheck-quarantine', 'busbridge', 'Requested with the busbridge of an earlier release.');
  END IF;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION request_recheck() FROM PUBLIC;
CREATE TRIGGER recheck_requested AFTER INSERT ON quarantine_recheck REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION request_recheck();
INSERT INTO request (kind, author, comment)
SELECT 'recheck-quarantine', 'busbridge', 'Requested before an upgrade.'
WHERE EXISTS (SELECT FROM quarantine_recheck WHERE finished_at IS NULL);

-- The busbridge of an earlier release waits for its row.
CREATE FUNCTION finish_rechecks() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  UPDATE quarantine_recheck SET finished_at = new.finished_at, evaluated = coalesce((new.result->>'evaluated')::integer, 0),
    released = coalesce((new.result->>'released')::integer, 0),
    failure = CASE WHEN new.outcome <> 'done' THEN coalesce(new.result->>'reason', new.outcome) END
  WHERE finished_at IS NULL AND requested_at <= new.requested_at;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION finish_rechecks() FROM PUBLIC;
CREATE TRIGGER recheck_finished AFTER UPDATE OF finished_at ON request
  FOR EACH ROW WHEN (old.finished_at IS NULL AND new.finished_at IS NOT NULL AND new.kind = 'recheck-quarantine') EXECUTE FUNCTION finish_rechecks();

-- Listings of the quarantine show open messages.
CREATE INDEX quarantine_open ON quarantine (quarantine_offset) WHERE released_at IS NULL;

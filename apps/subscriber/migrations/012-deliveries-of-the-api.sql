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
    kind ~ '^[a-z]+(-[a-z]+)*$' AND length(kind) <= 64 AND length(author) BETWEEN 1 AND 200 AND coalesce(length(comment), 0) <= 2000
    AND jsonb_typeof(parameters) = 'object' AND jsonb_typeof(coalesce(result, '{}')) = 'object'
    AND pg_column_size(parameters) <= 65536 AND coalesce(pg_column_size(result), 0) <= 65536));

-- The only way in which the role api writes to the audit table. It cannot record a request, nor choose the time or its own name.
CREATE FUNCTION record_action(action_id uuid, kind text, step text, parameters jsonb, author text, comment text, result jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
  INSERT INTO audit (action_id, kind, step, parameters, author, comment, database_role, result)
  VALUES (action_id, kind, step, parameters, author, comment, session_user, result)
$$;
REVOKE ALL ON FUNCTION record_action(uuid, text, text, jsonb, text, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION record_action(uuid, text, text, jsonb, text, text, jsonb) TO api;

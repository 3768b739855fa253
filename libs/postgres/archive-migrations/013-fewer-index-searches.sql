-- The newest events of a type or a severity: one search of an index for each of both, however many participants there are.
CREATE INDEX archive_severity_type ON archive (event_severity, type, fact_time, archive_offset);
DROP INDEX archive_type;

-- A delivery without a digest needs no search for it.
CREATE OR REPLACE FUNCTION delivery_state(delivery) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT CASE
    WHEN $1.parked_until IS NOT NULL THEN 'parked'
    WHEN $1.delivered_at IS NULL THEN 'pending'
    WHEN $1.skipped THEN 'skipped'
    WHEN $1.withheld IS NOT NULL AND ($1.digest_id IS NULL OR NOT subscriber.is_in_delivered_digest($1)) THEN 'withheld'
    WHEN $1.replaced_by IS NOT NULL THEN 'replaced'
    ELSE 'delivered'
  END
$$;

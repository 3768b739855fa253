-- Advances the identity sequences that are behind the rows of their tables, as after a logical replication, which copies no sequences. It
-- takes no values, so the app can only move a sequence to the rows that exist.
CREATE FUNCTION advance_identities() RETURNS TABLE (table_name text, advanced_from bigint, advanced_to bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  column_name text;
  sequence    text;
  next_value  bigint;
  highest     bigint;
BEGIN
  FOR table_name, column_name IN VALUES
    ('archive', 'position'), ('quarantine', 'position'), ('quarantine_recheck', 'id'), ('replica', 'fencing_token')
  LOOP
    sequence := pg_get_serial_sequence(table_name, column_name);
    EXECUTE format('SELECT max(%I) FROM %I', column_name, table_name) INTO highest;
    EXECUTE format('SELECT last_value + is_called::integer FROM %s', sequence) INTO next_value;
    CONTINUE WHEN highest IS NULL OR next_value > highest;
    -- Inserts wait, so that none of them takes a value between the two statements.
    EXECUTE format('LOCK TABLE %I IN SHARE ROW EXCLUSIVE MODE', table_name);
    EXECUTE format('SELECT max(%I) FROM %I', column_name, table_name) INTO highest;
    PERFORM setval(sequence, highest);
    advanced_from := next_value;
    advanced_to := highest + 1;
    RETURN NEXT;
  END LOOP;
END
$$;
REVOKE ALL ON FUNCTION advance_identities() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION advance_identities() TO subscriber;

-- Ids of archived events that were deleted, by the app's function for heartbeats or by an operator. The app cannot write it: an id of the
-- inbox that is neither in the archive nor here was not inserted by the subscriber.
CREATE TABLE deleted_event (
  event_id   text COLLATE "C" PRIMARY KEY REFERENCES inbox ON DELETE CASCADE,
  deleted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON deleted_event TO subscriber;

CREATE FUNCTION record_deleted_events() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
BEGIN
  INSERT INTO deleted_event (event_id) SELECT event_id FROM removed ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION record_deleted_events() FROM PUBLIC;
CREATE TRIGGER archive_deleted AFTER DELETE ON archive REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION record_deleted_events();

-- Positions, settlement runs and invoices, as narrow tables that follow from archived events. Amounts keep every digit of the operator.

-- One calculation of the operator: an event position.calculated.
CREATE TABLE calculation (
  archive_offset                bigint PRIMARY KEY,
  participant                   text NOT NULL,
  is_forecast                   boolean NOT NULL,
  calculated_at                 timestamptz NOT NULL,
  trading_day                   date NOT NULL,
  prepayment                    numeric,
  invoice_not_paid              numeric,
  cumulative_estimated_exposure numeric,
  outstanding_amount            numeric,
  credit_support                numeric,
  credit_limit                  numeric,
  trading_limit                 numeric,
  trading_margin                numeric
);
CREATE INDEX calculation_series ON calculation (participant, is_forecast, calculated_at, archive_offset);
CREATE INDEX calculation_forecast ON calculation (participant, trading_day, calculated_at, archive_offset) WHERE is_forecast;

-- The calculations of each hour and of each market day that have a margin.
CREATE TABLE calculation_summary (
  participant       text NOT NULL,
  is_forecast       boolean NOT NULL,
  hours             smallint NOT NULL CHECK (hours IN (1, 24)),
  starts_at         timestamptz NOT NULL,
  calculations      integer NOT NULL,
  first_at          timestamptz NOT NULL,
  first_margin      numeric NOT NULL,
  first_outstanding numeric,
  last_at           timestamptz NOT NULL,
  last_margin       numeric NOT NULL,
  last_outstanding  numeric,
  min_margin        numeric NOT NULL,
  min_at            timestamptz NOT NULL,
  max_margin        numeric NOT NULL,
  max_at            timestamptz NOT NULL,
  PRIMARY KEY (participant, is_forecast, hours, starts_at)
) WITH (fillfactor = 70);

-- What an event says about one settlement run or invoice. An event about several has a row for each.
CREATE TABLE settlement_event (
  archive_offset bigint NOT NULL,
  number         integer NOT NULL,
  kind           text NOT NULL CHECK (kind IN ('published', 'revised', 'overdue', 'invoice-overdue', 'issued', 'adjusted', 'reversed', 'discrepancy',
                                               'payment', 'timeline')),
  run_id         uuid NOT NULL,
  participant    text NOT NULL,
  market         text NOT NULL,
  period_from    date NOT NULL,
  designation    text NOT NULL,
  invoice_number text,
  detected_at    timestamptz NOT NULL,
  -- Members of the event without settlement variables.
  data           jsonb NOT NULL,
  PRIMARY KEY (archive_offset, number)
);
CREATE INDEX settlement_event_run ON settlement_event (run_id, kind, detected_at, archive_offset);

-- The present state of each invoice. An overdue one has no number: the operator has not issued it.
CREATE TABLE invoice (
  invoice_id          uuid PRIMARY KEY,
  run_id              uuid NOT NULL,
  participant         text NOT NULL,
  market              text NOT NULL,
  period_from         date NOT NULL,
  designation         text NOT NULL,
  number              text,
  state               text NOT NULL CHECK (state IN ('issued', 'adjusted', 'reversed', 'overdue')),
  adjustment          integer,
  invoice_date        date,
  due_date            date,
  total               numeric,
  payable_amount      numeric,
  settlement_required boolean,
  replaced_by         text,
  overdue_since       timestamptz,
  -- That of a payment reminder with the present figures.
  direction           text,
  -- Figures that contradict each other, in the present version.
  discrepancies       integer NOT NULL,
  detected_at         timestamptz NOT NULL,
  -- The due date; the invoice date of an overdue invoice.
  sort_date           date NOT NULL
);
CREATE INDEX invoice_run ON invoice (run_id);
CREATE INDEX invoice_sort_date ON invoice (sort_date, invoice_id);
CREATE INDEX invoice_participant ON invoice (participant, sort_date, invoice_id);

-- The present state of each settlement run.
CREATE TABLE settlement_run (
  run_id           uuid PRIMARY KEY,
  participant      text NOT NULL,
  market           text NOT NULL,
  period_from      date NOT NULL,
  designation      text NOT NULL,
  status           text NOT NULL CHECK (status IN ('expected', 'overdue', 'published', 'revised', 'invoiced', 'removed')),
  period           text,
  period_to        date,
  statement_due    date,
  invoice_due      date,
  settlement_date  date,
  published_at     timestamptz,
  revisions        integer NOT NULL,
  revised_at       timestamptz,
  payment          numeric,
  charge           numeric,
  statement_overdue_since timestamptz,
  invoice_overdue_since   timestamptz,
  -- The invoice that is valid.
  invoice_id       uuid,
  -- Sort dates of the calendar.
  statement_day    date NOT NULL,
  published_day    date,
  invoice_day      date,
  payment_day      date
);
CREATE INDEX settlement_run_statement ON settlement_run (statement_day, run_id);
CREATE INDEX settlement_run_published ON settlement_run (published_day, run_id);
CREATE INDEX settlement_run_invoice ON settlement_run (invoice_day, run_id);
CREATE INDEX settlement_run_payment ON settlement_run (payment_day, run_id);
CREATE INDEX settlement_run_participant ON settlement_run (participant, statement_day, run_id);

-- Archived events that could not be read for these tables.
CREATE TABLE unread_event (
  archive_offset bigint PRIMARY KEY,
  participant    text NOT NULL,
  type           text NOT NULL,
  reason         text NOT NULL
);
CREATE INDEX unread_event_participant ON unread_event (participant);

CREATE FUNCTION is_market_event(type text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT type = 'settlementbus.position.calculated.v1'
    OR type IN ('settlementbus.statement.published.v1', 'settlementbus.statement.revised.v1', 'settlementbus.statement.overdue.v1',
                'settlementbus.invoice.issued.v1', 'settlementbus.invoice.adjusted.v1', 'settlementbus.invoice.reversed.v1',
                'settlementbus.invoice.overdue.v1', 'settlementbus.invoice.discrepancy.v1', 'settlementbus.payment.due.v1',
                'settlementbus.timeline.changed.v1')
$$;

-- An id that follows from a subject, so that a table that is derived again has the same ids.
CREATE FUNCTION subject_id(subject text) RETURNS uuid LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT left(encode(sha256(convert_to(subject, 'UTF8')), 'hex'), 32)::uuid
$$;

-- Zone-less market time is UTC+8.
CREATE FUNCTION market_instant(text) RETURNS timestamptz LANGUAGE sql STRICT PARALLEL SAFE AS $$
  SELECT ($1 || '+08:00')::timestamptz
$$;
CREATE FUNCTION market_day(text) RETURNS date LANGUAGE sql STRICT PARALLEL SAFE AS $$
  SELECT left($1, 10)::date
$$;

-- In PL/pgSQL, which keeps the plan: a statement in a SQL function is planned at each call.
CREATE FUNCTION summarise_calculations(offsets bigint[]) RETURNS void LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
BEGIN
  INSERT INTO calculation_summary AS known
  SELECT participant, is_forecast, hours, date_bin(make_interval(hours => hours), calculated_at, '2000-01-01T00:00:00+08:00'), count(*),
    min(calculated_at), (array_agg(trading_margin ORDER BY calculated_at, archive_offset))[1],
    (array_agg(outstanding_amount ORDER BY calculated_at, archive_offset))[1],
    max(calculated_at), (array_agg(trading_margin ORDER BY calculated_at DESC, archive_offset DESC))[1],
    (array_agg(outstanding_amount ORDER BY calculated_at DESC, archive_offset DESC))[1],
    min(trading_margin), (array_agg(calculated_at ORDER BY trading_margin, calculated_at))[1],
    max(trading_margin), (array_agg(calculated_at ORDER BY trading_margin DESC, calculated_at))[1]
  FROM calculation CROSS JOIN (VALUES (1), (24)) AS width (hours)
  WHERE archive_offset = ANY (offsets) AND trading_margin IS NOT NULL
  -- In one order, so that two transactions do not wait for each other.
  GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
  ON CONFLICT (participant, is_forecast, hours, starts_at) DO UPDATE SET
    calculations = known.calculations + excluded.calculations,
    first_margin = CASE WHEN excluded.first_at < known.first_at THEN excluded.first_margin ELSE known.first_margin END,
    first_outstanding = CASE WHEN excluded.first_at < known.first_at THEN excluded.first_outstanding ELSE known.first_outstanding END,
    first_at = least(excluded.first_at, known.first_at),
    last_margin = CASE WHEN excluded.last_at >= known.last_at THEN excluded.last_margin ELSE known.last_margin END,
    last_outstanding = CASE WHEN excluded.last_at >= known.last_at THEN excluded.last_outstanding ELSE known.last_outstanding END,
    last_at = greatest(excluded.last_at, known.last_at),
    min_at = CASE WHEN (excluded.min_margin, excluded.min_at) < (known.min_margin, known.min_at) THEN excluded.min_at ELSE known.min_at END,
    min_margin = least(known.min_margin, excluded.min_margin),
    max_at = CASE WHEN excluded.max_margin > known.max_margin OR (excluded.max_margin = known.max_margin AND excluded.max_at < known.max_at)
      THEN excluded.max_at ELSE known.max_at END,
    max_margin = greatest(known.max_margin, excluded.max_margin);
END
$$;

-- Derives the invoices of these runs again.
CREATE FUNCTION refresh_invoices(runs uuid[]) RETURNS void LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
BEGIN
  DELETE FROM invoice WHERE run_id = ANY (runs);
  WITH event AS MATERIALIZED (
    SELECT *, data->>'digest' AS digest FROM settlement_event WHERE run_id = ANY (runs) AND invoice_number IS NOT NULL
  ), newest AS (
    SELECT DISTINCT ON (run_id, invoice_number) * FROM event WHERE kind IN ('issued', 'adjusted', 'reversed')
    ORDER BY run_id, invoice_number, detected_at DESC, archive_offset DESC, number DESC
  ), version AS (
    SELECT DISTINCT ON (run_id, invoice_number) * FROM event WHERE kind IN ('issued', 'adjusted')
    ORDER BY run_id, invoice_number, detected_at DESC, archive_offset DESC, number DESC
  ), payment AS (
    SELECT DISTINCT ON (run_id, invoice_number, digest) * FROM event WHERE kind = 'payment'
    ORDER BY run_id, invoice_number, digest, detected_at DESC, archive_offset DESC
  ), discrepancy AS (
    SELECT run_id, invoice_number, digest, sum((data->>'count')::integer) AS count
    FROM (SELECT DISTINCT ON (run_id, invoice_number, digest, data ? 'comparedWith') * FROM event WHERE kind = 'discrepancy'
          ORDER BY run_id, invoice_number, digest, data ? 'comparedWith', detected_at DESC, archive_offset DESC) AS latest
    GROUP BY 1, 2, 3
  ), present AS (
    -- A reversal repeats only some members of the version that it ends.
    SELECT newest.*, coalesce(version.data, newest.data) AS shown, coalesce(version.digest, newest.digest) AS shown_digest
    FROM newest LEFT JOIN version USING (run_id, invoice_number)
  )
  INSERT INTO invoice (invoice_id, run_id, participant, market, period_from, designation, number, state, adjustment, invoice_date, due_date, total,
    payable_amount, settlement_required, replaced_by, direction, discrepancies, detected_at, sort_date)
  SELECT subject_id(concat_ws('/', present.participant, present.market, present.period_from, present.designation, 'invoice', present.invoice_number)),
    present.run_id, present.participant, present.market, present.period_from, present.designation, present.invoice_number, present.kind,
    (shown->>'adjustment')::integer, market_day(shown->>'invoiceDate'), market_day(shown->>'dueDate'), (shown->>'total')::numeric,
    (shown->>'payableAmount')::numeric, (shown->>'settlementRequired')::boolean,
    CASE WHEN present.kind = 'reversed' THEN present.data->>'replacedBy' END, payment.data->>'direction', coalesce(discrepancy.count, 0),
    present.detected_at, coalesce(market_day(shown->>'dueDate'), market_day(shown->>'invoiceDate'), present.period_from)
  FROM present
  LEFT JOIN payment ON payment.run_id = present.run_id AND payment.invoice_number = present.invoice_number AND payment.digest = shown_digest
  LEFT JOIN discrepancy ON discrepancy.run_id = present.run_id AND discrepancy.invoice_number = present.invoice_number
    AND discrepancy.digest = shown_digest;
  INSERT INTO invoice (invoice_id, run_id, participant, market, period_from, designation, state, invoice_date, overdue_since, discrepancies,
    detected_at, sort_date)
  SELECT DISTINCT ON (run_id) subject_id(concat_ws('/', participant, market, period_from, designation, 'invoice-overdue')), run_id, participant,
    market, period_from, designation, 'overdue', market_day(data->>'invoiceDate'), market_instant(data->>'overdueSince'), 0, detected_at,
    coalesce(market_day(data->>'invoiceDate'), period_from)
  FROM settlement_event AS missing
  WHERE run_id = ANY (runs) AND kind = 'invoice-overdue' AND NOT EXISTS (
    SELECT FROM settlement_event AS found WHERE found.run_id = missing.run_id AND found.kind IN ('issued', 'adjusted', 'reversed'))
  ORDER BY run_id, missing.detected_at DESC, missing.archive_offset DESC;
END
$$;

-- Derives these runs and their invoices again.
CREATE FUNCTION refresh_settlement(runs uuid[]) RETURNS void LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
BEGIN
  -- One transaction at a time for each run, because each derives from the events of all others. Few keys bound the number of locks.
  PERFORM pg_advisory_xact_lock(7305120, key)
  FROM (SELECT DISTINCT hashtext(run::text) & 255 AS key FROM unnest(runs) AS run ORDER BY 1) AS ordered;
  PERFORM refresh_invoices(runs);
  DELETE FROM settlement_run WHERE run_id = ANY (runs);
  WITH event AS MATERIALIZED (SELECT * FROM settlement_event WHERE run_id = ANY (runs)),
  version AS (SELECT * FROM event WHERE kind IN ('published', 'revised')),
  newest AS (SELECT DISTINCT ON (run_id) * FROM version ORDER BY run_id, detected_at DESC, archive_offset DESC),
  run AS (
    SELECT run_id, participant, market, period_from, designation,
      min(market_instant(data->>'publishedAt')) FILTER (WHERE kind IN ('published', 'revised')) AS published_at,
      max(market_instant(data->>'publishedAt')) FILTER (WHERE kind = 'revised') AS revised_at,
      count(*) FILTER (WHERE kind = 'revised') AS revisions,
      count(*) FILTER (WHERE kind IN ('published', 'revised')) AS versions,
      max(market_instant(data->>'overdueSince')) FILTER (WHERE kind = 'overdue') AS overdue_since,
      (array_agg(coalesce(data->>'period', data->>'tradeWeek', data->>'tradeMonth') ORDER BY detected_at DESC, archive_offset DESC)
        FILTER (WHERE coalesce(data->>'period', data->>'tradeWeek', data->>'tradeMonth') IS NOT NULL))[1] AS period,
      max(market_day(data->>'periodTo')) AS period_to,
      (array_agg(data->>'change' ORDER BY detected_at DESC, archive_offset DESC, number DESC) FILTER (WHERE kind = 'timeline'))[1] AS last_change
    FROM event GROUP BY 1, 2, 3, 4, 5
  ), dated AS (
    SELECT run_id, detected_at, archive_offset, what, day FROM event CROSS JOIN LATERAL (VALUES
      ('statement', CASE kind WHEN 'overdue' THEN data->>'statementDate' WHEN 'published' THEN data->'late'->>'dueDate' END),
      ('invoice', CASE kind WHEN 'invoice-overdue' THEN data->>'invoiceDate' WHEN 'issued' THEN data->'late'->>'dueDate'
        WHEN 'adjusted' THEN data->'late'->>'dueDate' END)) AS known (what, day) WHERE day IS NOT NULL
    UNION ALL
    SELECT run_id, detected_at, archive_offset, replace(data->>'date', 'Date', ''), data->>'to' FROM event
    WHERE kind = 'timeline' AND data->>'change' = 'moved' AND data->>'date' IN ('statementDate', 'invoiceDate', 'settlementDate')
  ), due AS (
    SELECT run_id, max(day) FILTER (WHERE what = 'statement') AS statement, max(day) FILTER (WHERE what = 'invoice') AS invoice,
      max(day) FILTER (WHERE what = 'settlement') AS settlement
    FROM (SELECT DISTINCT ON (run_id, what) run_id, what, market_day(day) AS day FROM dated
          ORDER BY run_id, what, detected_at DESC, archive_offset DESC) AS latest
    GROUP BY 1
  ), valid AS (
    SELECT DISTINCT ON (run_id) * FROM invoice WHERE run_id = ANY (runs) AND state IN ('issued', 'adjusted')
    ORDER BY run_id, detected_at DESC, invoice_id
  ), missing AS (SELECT run_id, overdue_since FROM invoice WHERE run_id = ANY (runs) AND state = 'overdue')
  INSERT INTO settlement_run (run_id, participant, market, period_from, designation, status, period, period_to, statement_due, invoice_due,
    settlement_date, published_at, revisions, revised_at, payment, charge, statement_overdue_since, invoice_overdue_since, invoice_id,
    statement_day, published_day, invoice_day, payment_day)
  SELECT run.run_id, run.participant, run.market, run.period_from, run.designation,
    CASE
      WHEN last_change = 'removed' AND versions = 0 AND valid.invoice_id IS NULL THEN 'removed'
      WHEN missing.run_id IS NOT NULL OR (run.overdue_since IS NOT NULL AND versions = 0) THEN 'overdue'
      WHEN valid.invoice_id IS NOT NULL THEN 'invoiced'
      WHEN revisions > 0 THEN 'revised'
      WHEN versions > 0 THEN 'published'
      ELSE 'expected'
    END,
    run.period, run.period_to, due.statement, due.invoice, due.settlement, run.published_at, run.revisions, run.revised_at,
    (newest.data->'totals'->>'payment')::numeric, (newest.data->'totals'->>'charge')::numeric,
    CASE WHEN versions = 0 THEN run.overdue_since END, missing.overdue_since, valid.invoice_id,
    coalesce(due.statement, (run.published_at AT TIME ZONE interval '8 hours')::date, due.invoice, valid.invoice_date, run.period_from),
    market_day(newest.data->>'publishedAt'), coalesce(valid.invoice_date, due.invoice), coalesce(valid.due_date, due.settlement)
  FROM run LEFT JOIN newest USING (run_id) LEFT JOIN due USING (run_id) LEFT JOIN valid USING (run_id) LEFT JOIN missing USING (run_id);
END
$$;

-- Adds the rows of these archived events.
CREATE FUNCTION derive_market_rows(offsets bigint[]) RETURNS void LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
DECLARE
  added bigint[];
  runs  uuid[];
BEGIN
  WITH inserted AS (
    INSERT INTO calculation
    SELECT archive_offset, participant, "isForecast", greatest(market_instant("calculatedAt"), '0001-01-01T00:00:00Z'), market_day("tradingDay"),
      prepayment, "invoiceNotPaid", "cumulativeEstimatedExposure", "outstandingAmount", "creditSupport", "creditLimit", "tradingLimit",
      "tradingMargin"
    FROM archive CROSS JOIN LATERAL jsonb_to_record(event::jsonb->'data') AS figures ("isForecast" boolean, "calculatedAt" text, "tradingDay" text,
      prepayment numeric, "invoiceNotPaid" numeric, "cumulativeEstimatedExposure" numeric, "outstandingAmount" numeric, "creditSupport" numeric,
      "creditLimit" numeric, "tradingLimit" numeric, "tradingMargin" numeric)
    WHERE archive_offset = ANY (offsets) AND type = 'settlementbus.position.calculated.v1'
    ON CONFLICT DO NOTHING RETURNING archive_offset
  )
  SELECT array_agg(archive_offset) INTO added FROM inserted;
  IF added IS NOT NULL THEN PERFORM summarise_calculations(added); END IF;

  IF NOT EXISTS (SELECT FROM archive
                 WHERE archive_offset = ANY (offsets) AND is_market_event(type) AND type <> 'settlementbus.position.calculated.v1')
  THEN RETURN; END IF;
  WITH given AS MATERIALIZED (
    SELECT archive_offset, type, participant, coalesce(parse_time(detected_at), archived_at) AS detected_at, (event::jsonb->'data') - 'variables' AS data
    FROM archive WHERE archive_offset = ANY (offsets) AND is_market_event(type) AND type <> 'settlementbus.position.calculated.v1'
  ), described AS (
    SELECT archive_offset, 0 AS number, participant, detected_at, data,
      CASE type WHEN 'settlementbus.statement.published.v1' THEN 'published' WHEN 'settlementbus.statement.revised.v1' THEN 'revised'
        WHEN 'settlementbus.statement.overdue.v1' THEN 'overdue' WHEN 'settlementbus.invoice.overdue.v1' THEN 'invoice-overdue'
        WHEN 'settlementbus.invoice.issued.v1' THEN 'issued' WHEN 'settlementbus.invoice.adjusted.v1' THEN 'adjusted'
        WHEN 'settlementbus.invoice.discrepancy.v1' THEN 'discrepancy' ELSE 'payment' END AS kind
    FROM given WHERE type NOT IN ('settlementbus.invoice.reversed.v1', 'settlementbus.timeline.changed.v1')
    UNION ALL
    -- The invoice that is no longer valid.
    SELECT archive_offset, 0, participant, detected_at, data || (data->'reversed') ||
      CASE WHEN data->>'id' = data->'reversed'->>'id' THEN '{}'
        ELSE jsonb_build_object('replacedBy', data->>'id', 'invoiceDate', NULL, 'adjustment', NULL, 'settlementRequired', NULL) END, 'reversed'
    FROM given WHERE type = 'settlementbus.invoice.reversed.v1'
    UNION ALL
    -- The invoice that replaces it.
    SELECT archive_offset, 1, participant, detected_at, data, CASE WHEN data->>'adjustment' = '0' THEN 'issued' ELSE 'adjusted' END
    FROM given WHERE type = 'settlementbus.invoice.reversed.v1' AND data->>'id' <> data->'reversed'->>'id'
    UNION ALL
    SELECT archive_offset, ordinality::integer, participant, detected_at, change || jsonb_build_object('change', change->'kind'), 'timeline'
    FROM given CROSS JOIN LATERAL jsonb_array_elements(data->'changes') WITH ORDINALITY AS changes (change, ordinality)
    WHERE type = 'settlementbus.timeline.changed.v1'
  ), named AS (
    SELECT *, coalesce(data->>'marketService', data->>'market') AS market, market_day(data->>'periodFrom') AS period_from,
      data->>'designation' AS designation,
      CASE WHEN kind IN ('issued', 'adjusted', 'reversed', 'discrepancy', 'payment') THEN coalesce(data->>'invoiceId', data->>'id') END AS invoice_number
    FROM described
  ), inserted AS (
    INSERT INTO settlement_event (archive_offset, number, kind, run_id, participant, market, period_from, designation, invoice_number, detected_at, data)
    SELECT archive_offset, number, kind, subject_id(concat_ws('/', participant, market, period_from, designation)), participant, market, period_from,
      designation, invoice_number, detected_at, data
    FROM named ON CONFLICT DO NOTHING RETURNING run_id
  )
  SELECT array_agg(DISTINCT run_id) INTO runs FROM inserted;
  IF runs IS NOT NULL THEN PERFORM refresh_settlement(runs); END IF;
END
$$;

-- As derive_market_rows. An event that cannot be read is left out and listed, because it must not stop the archiving.
-- Other errors, such as a deadlock, end the transaction: the subscriber repeats it.
CREATE FUNCTION derive_readable_rows(offsets bigint[]) RETURNS void LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
DECLARE
  each bigint;
BEGIN
  PERFORM derive_market_rows(offsets);
EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
  FOREACH each IN ARRAY offsets LOOP
    BEGIN
      PERFORM derive_market_rows(ARRAY[each]);
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      INSERT INTO unread_event SELECT archive_offset, participant, type, sqlerrm FROM archive WHERE archive_offset = each ON CONFLICT DO NOTHING;
    END;
  END LOOP;
END
$$;

CREATE FUNCTION add_market_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  offsets bigint[] := ARRAY(SELECT archive_offset FROM added WHERE is_market_event(type) ORDER BY archive_offset);
BEGIN
  IF cardinality(offsets) > 0 THEN PERFORM derive_readable_rows(offsets); END IF;
  RETURN NULL;
END
$$;
-- Derives the unread events again, after a migration has corrected the functions above. Returns how many are still unread.
CREATE FUNCTION derive_unread_events() RETURNS bigint LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
DECLARE
  offsets bigint[];
BEGIN
  WITH gone AS (DELETE FROM unread_event RETURNING archive_offset)
  SELECT array_agg(archive_offset ORDER BY archive_offset) INTO offsets FROM gone;
  IF offsets IS NOT NULL THEN PERFORM derive_readable_rows(offsets); END IF;
  RETURN (SELECT count(*) FROM unread_event);
END
$$;

-- Removes the rows of these events, which are no longer in the archive.
CREATE FUNCTION forget_market_rows(deleted bigint[]) RETURNS void LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
DECLARE
  offsets bigint[] := deleted;
  runs    uuid[];
BEGIN
  DELETE FROM unread_event WHERE archive_offset = ANY (offsets);
  WITH gone AS (
    DELETE FROM calculation WHERE archive_offset = ANY (offsets) RETURNING participant, is_forecast, calculated_at
  ), touched AS (
    SELECT DISTINCT participant, is_forecast, date_bin('1 day', calculated_at, '2000-01-01T00:00:00+08:00') AS day FROM gone
  ), cleared AS (
    DELETE FROM calculation_summary AS summary USING touched
    WHERE summary.participant = touched.participant AND summary.is_forecast = touched.is_forecast
      AND starts_at >= day AND starts_at < day + interval '1 day'
  )
  SELECT array_agg(archive_offset) INTO offsets FROM calculation JOIN touched USING (participant, is_forecast)
  WHERE calculated_at >= day AND calculated_at < day + interval '1 day' AND archive_offset <> ALL (offsets);
  IF offsets IS NOT NULL THEN PERFORM summarise_calculations(offsets); END IF;
  WITH gone AS (
    DELETE FROM settlement_event WHERE archive_offset = ANY (deleted) RETURNING run_id
  )
  SELECT array_agg(DISTINCT run_id) INTO runs FROM gone;
  IF runs IS NOT NULL THEN PERFORM refresh_settlement(runs); END IF;
END
$$;

CREATE FUNCTION remove_market_rows() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = subscriber, pg_temp AS $$
DECLARE
  offsets bigint[] := ARRAY(SELECT archive_offset FROM removed WHERE is_market_event(type));
BEGIN
  IF cardinality(offsets) > 0 THEN PERFORM forget_market_rows(offsets); END IF;
  RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION summarise_calculations(bigint[]), refresh_invoices(uuid[]), refresh_settlement(uuid[]), derive_market_rows(bigint[]),
  derive_readable_rows(bigint[]), derive_unread_events(), forget_market_rows(bigint[]), add_market_rows(), remove_market_rows() FROM PUBLIC;

-- The earlier release archives while the rows of the archive are derived.
DO $$
DECLARE
  batch bigint[];
  last  bigint := 0;
BEGIN
  LOOP
    batch := ARRAY(SELECT archive_offset FROM archive WHERE archive_offset > last AND is_market_event(type) ORDER BY archive_offset LIMIT 10000);
    EXIT WHEN cardinality(batch) = 0;
    PERFORM derive_readable_rows(batch);
    last := batch[cardinality(batch)];
  END LOOP;
END $$;

-- From here archiving waits for the end of the migration. What was added or deleted since its batch is derived now.
CREATE TRIGGER archive_market_added AFTER INSERT ON archive REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION add_market_rows();
CREATE TRIGGER archive_market_removed AFTER DELETE ON archive REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION remove_market_rows();
DO $$
DECLARE
  missed  bigint[];
  deleted bigint[];
BEGIN
  WITH derived AS MATERIALIZED (
    SELECT archive_offset FROM calculation UNION ALL SELECT archive_offset FROM settlement_event UNION ALL SELECT archive_offset FROM unread_event
  ), archived AS MATERIALIZED (SELECT archive_offset FROM archive WHERE is_market_event(type))
  SELECT ARRAY(SELECT archive_offset FROM archived EXCEPT SELECT archive_offset FROM derived ORDER BY 1),
    ARRAY(SELECT archive_offset FROM derived EXCEPT SELECT archive_offset FROM archived)
  INTO missed, deleted;
  IF cardinality(missed) > 0 THEN PERFORM derive_readable_rows(missed); END IF;
  IF cardinality(deleted) > 0 THEN PERFORM forget_market_rows(deleted); END IF;
END $$;

GRANT SELECT ON calculation, calculation_summary, settlement_event, invoice, settlement_run, unread_event TO api;

-- An invoice has the direction of its payment before the first reminder, because events of invoices say it, and the GST in its total.

-- Derives the invoices of these runs again.
CREATE OR REPLACE FUNCTION refresh_invoices(runs uuid[]) RETURNS void LANGUAGE plpgsql SET search_path = subscriber, pg_temp AS $$
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
    SELECT newest.*, coalesce(version.data, newest.data) AS shown, coalesce(version.digest, newest.digest) AS shown_digest,
      version.detected_at AS version_at,
      CASE WHEN version.run_id IS NULL THEN newest.data->'reversed' ELSE version.data END AS own
    FROM newest LEFT JOIN version USING (run_id, invoice_number)
  )
  INSERT INTO invoice (invoice_id, run_id, participant, market, period_from, designation, number, state, adjustment, invoice_date, due_date, gst_exclusive, gst,
    total, payable_amount, settlement_required, replaced_by, direction, reminded, discrepancies, detected_at, sort_date)
  SELECT subject_id(concat_ws('/', present.participant, present.market, present.period_from, present.designation, 'invoice', present.invoice_number)),
    present.run_id, present.participant, present.market, present.period_from, present.designation, present.invoice_number, present.kind,
    (shown->>'adjustment')::integer, market_day(shown->>'invoiceDate'), market_day(shown->>'dueDate'), (own->>'gstExclusive')::numeric,
    (own->>'gst')::numeric, (shown->>'total')::numeric, (shown->>'payableAmount')::numeric, (shown->>'settlementRequired')::boolean,
    CASE WHEN present.kind = 'reversed' THEN present.data->>'replacedBy' END,
    -- The newest event has the newest setting. Events of earlier releases have no direction, except reminders.
    CASE WHEN payment.detected_at > version_at THEN payment.data->>'direction' ELSE coalesce(own->>'direction', payment.data->>'direction') END,
    payment.run_id IS NOT NULL, coalesce(discrepancy.count, 0), present.detected_at,
    coalesce(market_day(shown->>'dueDate'), market_day(shown->>'invoiceDate'), present.period_from)
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

-- A reminder has the present figures. NULL in a row of an earlier release, whose direction is that of its reminder.
-- No row is derived again: subscribers of earlier releases refuse events of invoices with a direction.
ALTER TABLE invoice ADD COLUMN reminded boolean, ADD COLUMN gst_exclusive numeric, ADD COLUMN gst numeric;

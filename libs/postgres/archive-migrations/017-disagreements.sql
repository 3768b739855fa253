-- Events about the windows to dispute statements belong to problems, too.
DROP INDEX archive_problem;
CREATE INDEX archive_problem ON archive (archive_offset) WHERE type IN (
  'settlementbus.bridge.alert.cleared.v1', 'settlementbus.bridge.alert.raised.v1', 'settlementbus.credit-support.restored.v1',
  'settlementbus.credit-support.short.v1', 'settlementbus.invoice.adjusted.v1', 'settlementbus.invoice.discrepancy.v1',
  'settlementbus.invoice.issued.v1', 'settlementbus.invoice.overdue.v1', 'settlementbus.margin.breach-forecast.v1',
  'settlementbus.margin.breached.v1', 'settlementbus.margin.forecast-cleared.v1', 'settlementbus.margin.restored.v1',
  'settlementbus.margin.warning.v1', 'settlementbus.market.recovered.v1', 'settlementbus.market.unreachable.v1',
  'settlementbus.position.resumed.v1', 'settlementbus.position.stale.v1', 'settlementbus.statement.disagreement-due.v1',
  'settlementbus.statement.disagreement-lapsed.v1', 'settlementbus.statement.overdue.v1', 'settlementbus.statement.published.v1',
  'settlementbus.statement.revised.v1'
);

-- Problems that people have closed, by key: some kinds stay closed.
CREATE INDEX problem_closed ON problem (kind, key) WHERE state = 'closed';

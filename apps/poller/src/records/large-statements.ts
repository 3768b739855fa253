import { Inject, Injectable } from '@nestjs/common';
import type { DetectedEvent, StatementEvent } from '@ssb/events';
import { NotCanonicalError } from '@ssb/identity';
import type { SettlementStatementSummary } from '@ssb/market';
import { findRoute, OperatorConfigFile } from '@ssb/config';
import { LOGGER, type Logger } from '@ssb/platform';
import { RecordStore } from '@ssb/redis-queue';
import type { LeftOut } from '../detection/detection.js';
import { fitStatement, type FittedStatement } from './fit-statement.js';
import { UnusableResponseError } from '../polls/poll-failures.js';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import { reportRecordStore } from './record-retention.js';

/** Summarises statements that are too large for their channel, and keeps their full records. */
@Injectable()
export class LargeStatements {
  constructor(
    private readonly config: OperatorConfigFile,
    private readonly store: RecordStore,
    private readonly metrics: PollerMetrics,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * The event to queue. When it is summarised, the full record is stored before the method returns.
   * @param onLeftOut called when the record is too large for the store
   * @throws UnusableResponseError when the record has no hash
   */
  async fit(
    event: DetectedEvent,
    statement: SettlementStatementSummary,
    onLeftOut: (leftOut: LeftOut) => void = () => undefined,
  ): Promise<DetectedEvent> {
    if (!isStatementEvent(event)) return event;
    const { config, store, metrics, log } = this;
    const route = findRoute(config.current(), event.type);
    const fitted = fit(event, statement, route);
    if (fitted.kind === 'complete') return fitted.event;
    const { id: eventId, type: eventType, subject, participant } = event;
    const { sha256, removed, outcome } = await store.put(fitted.record, { participant, eventId, subject });
    await reportRecordStore(removed, { store, metrics, log });
    const fields = { participant, eventId, eventType, subject, sha256 };
    const { count, bytes } = fitted.event.data.variablesSummary ?? {};
    metrics.summarised.inc();
    log.info({ ...fields, count, bytes, maxMessageBytes: route?.maxMessageBytes }, 'event summarised');
    if (outcome === 'too-large') {
      metrics.recordsRefused.inc();
      log.error({ ...fields, bytes }, 'full record too large for the record store');
      const what = 'bytes of the full record';
      onLeftOut({ what, count: bytes ?? 0, kept: 0, range: 'it is larger than RECORD_STORE_MAX_BYTES' });
    }
    return fitted.event;
  }
}

/** Whether the event carries the variables of a statement. */
function isStatementEvent(event: DetectedEvent): event is StatementEvent {
  return (
    event.type === 'settlementbus.statement.published.v1' ||
    event.type === 'settlementbus.statement.revised.v1'
  );
}

function fit(...[event, statement, route]: Parameters<typeof fitStatement>): FittedStatement {
  try {
    return fitStatement(event, statement, route);
  } catch (error) {
    if (error instanceof NotCanonicalError) throw new UnusableResponseError(event.subject, error.message);
    throw error;
  }
}

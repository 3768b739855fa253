import {
  withStatementChanges,
  type DetectedEvent,
  type StatementChanges,
  type StatementRevisedData,
} from '@ssb/events';
import { compareLargeStatements, listVariables, type SettlementStatementSummary } from '@ssb/market';
import type { Logger } from '@ssb/platform';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { digestDays } from '../detection/digest.js';
import { listChanges } from '../detection/settlement/statement-changes.js';
import type { StatementState } from '../detection/settlement/states.js';
import type { PollerMetrics } from '../metrics/poller-metrics.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { MissingReason, StatementVariables } from '../state/statement-variables.js';

/** Says what a revision of a statement changed. */
export class StatementRevisions {
  constructor(
    private readonly variables: Pick<StatementVariables, 'read' | 'save'>,
    private readonly metrics: Pick<PollerMetrics, 'revisionsWithoutChanges'>,
    private readonly log: Logger,
  ) {}

  /** Adds what changed, if the variables of the version before are saved. @throws FencedOffError */
  async addChanges(token: FencingToken, part: string, event: DetectedEvent): Promise<DetectedEvent> {
    if (!isRevision(event)) return event;
    const changes = await this.findChanges(token, part, event.data);
    if (typeof changes === 'object') return withStatementChanges(event, changes);
    this.metrics.revisionsWithoutChanges.inc({ reason: changes });
    this.log.info({ eventId: event.id, document: part, reason: changes }, 'revision without changes');
    return event;
  }

  /** What changed, or why that is unknown. */
  private async findChanges(
    token: FencingToken,
    part: string,
    { digest, previous, variables: after }: StatementRevisedData,
  ): Promise<StatementChanges | MissingReason | 'long-amount'> {
    if (after === undefined || previous.digest === undefined) return 'not-saved';
    const before =
      previous.digest === digest ? after : await this.variables.read(token, part, previous.digest);
    if (typeof before === 'string') return before;
    return listChanges(await compareLargeStatements(before, after, yieldToOthers)) ?? 'long-amount';
  }

  /** Saves the variables of a response whose version is the announced one. @throws FencedOffError */
  async saveAnnounced(
    token: FencingToken,
    part: string,
    { current }: StatementState,
    response: SettlementStatementSummary,
  ): Promise<void> {
    if (current === undefined) return;
    const { digest } = current.figures;
    await this.variables.save(token, part, digest, () =>
      // While a change is held, another version is announced.
      digestDays(response.tradingDays) === digest ? listVariables(response.tradingDays) : undefined,
    );
  }
}

function isRevision(event: DetectedEvent): event is DetectedEvent<'settlementbus.statement.revised.v1'> {
  return event.type === 'settlementbus.statement.revised.v1';
}

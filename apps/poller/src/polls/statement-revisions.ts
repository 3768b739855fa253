import { withStatementChanges, type DetectedEvent } from '@ssb/events';
import { compareLargeStatements, type SettlementStatementSummary } from '@ssb/market';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { digestDays } from '../detection/digest.js';
import { listVariables } from '../detection/settlement/detect-statement.js';
import { listChanges } from '../detection/settlement/statement-changes.js';
import type { StatementState } from '../detection/settlement/states.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { StatementVariables } from '../state/statement-variables.js';

/** Says what a revision of a statement changed. */
export class StatementRevisions {
  constructor(private readonly variables: Pick<StatementVariables, 'read' | 'save'>) {}

  /** Adds what changed, if the variables of the version before are saved. @throws FencedOffError */
  async addChanges(token: FencingToken, part: string, event: DetectedEvent): Promise<DetectedEvent> {
    if (!isRevision(event)) return event;
    const { digest, previous, variables: after } = event.data;
    if (after === undefined || previous.digest === undefined) return event;
    const before =
      previous.digest === digest ? after : await this.variables.read(token, part, previous.digest);
    if (before === undefined) return event;
    const changes = listChanges(await compareLargeStatements(before, after, yieldToOthers));
    return changes === undefined ? event : withStatementChanges(event, changes);
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
      digestDays(response.tradingDays) === digest ? listVariables(response) : undefined,
    );
  }
}

function isRevision(event: DetectedEvent): event is DetectedEvent<'settlementbus.statement.revised.v1'> {
  return event.type === 'settlementbus.statement.revised.v1';
}

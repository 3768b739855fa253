import { createHash } from 'node:crypto';
import { withVariablesSummary, type StatementEvent } from '@ssb/events';
import { canonicalJson } from '@ssb/identity';
import { statementPath, type SettlementStatementSummary } from '@ssb/market';
import type { Route } from '@ssb/config';

/**
 * Reserved for what is added later: `signedat` and `proof` by the publisher, about 300 bytes; signature and sender by the gateway, about 250.
 */
export const RESERVED_BYTES = 1_024;

export type FittedStatement =
  | { readonly kind: 'complete'; readonly event: StatementEvent }
  /** `record` is the RFC 8785 form of the full record. */
  | { readonly kind: 'summarised'; readonly event: StatementEvent; readonly record: string };

/**
 * Replaces the variables of a statement by a summary when the signed event would exceed the limit of its route. Id, sequence and all
 * other members stay the same.
 */
export function fitStatement(
  event: StatementEvent,
  statement: SettlementStatementSummary,
  route: Route | undefined,
): FittedStatement {
  // Without a route the event becomes a dead letter, whatever its size.
  if (route === undefined || messageBytes(event, route) <= route.maxMessageBytes)
    return { kind: 'complete', event };
  const record = canonicalJson(statement);
  const variables = event.data.variables ?? [];
  const countOf = (pOrC: string) => variables.filter((variable) => variable.pOrC === pOrC).length;
  const { marketService, periodFrom, designation } = statement;
  const summary = {
    count: variables.length,
    payments: countOf('P'),
    charges: countOf('C'),
    bytes: Buffer.byteLength(record),
    sha256: createHash('sha256').update(record, 'utf8').digest('hex'),
    source: { method: 'GET', path: statementPath(marketService, periodFrom, designation) },
  } as const;
  return { kind: 'summarised', event: withVariablesSummary(event, summary), record };
}

/** What a broker counts of an event, at most. Some count the payload as a JSON text, where each quote takes two bytes. */
function messageBytes(event: StatementEvent, { channel, topic }: Route): number {
  const payload = JSON.stringify({ ...event, channel, topic });
  return Buffer.byteLength(JSON.stringify(payload)) + RESERVED_BYTES;
}

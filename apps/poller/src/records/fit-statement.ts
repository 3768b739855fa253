import { createHash } from 'node:crypto';
import { withStatementChanges, withVariablesSummary, type StatementEvent } from '@ssb/events';
import { canonicalJson } from '@ssb/identity';
import { statementPath, type SettlementStatementSummary } from '@ssb/market';
import type { Route } from '@ssb/config';
import { shortenChanges } from '../detection/settlement/statement-changes.js';

/**
 * Reserved for what is added later: `signedat` and `proof` by the publisher, about 300 bytes; signature and sender by the gateway, about 250.
 */
export const RESERVED_BYTES = 1_024;

export type FittedStatement =
  | { readonly kind: 'complete'; readonly event: StatementEvent }
  /** `record` is the RFC 8785 form of the full record. */
  | { readonly kind: 'summarised'; readonly event: StatementEvent; readonly record: string };

/**
 * Replaces the variables of a statement by a summary when the signed event would exceed the limit of its route. The changes of a revision
 * never cause that: they are shortened first, then again beside the summary. Id, sequence and all other members stay the same.
 */
export function fitStatement(
  event: StatementEvent,
  statement: SettlementStatementSummary,
  route: Route | undefined,
): FittedStatement {
  // Without a route the event becomes a dead letter, whatever its size.
  const complete = route === undefined ? event : shortenToFit(event, route);
  if (route === undefined || complete !== undefined) return { kind: 'complete', event: complete ?? event };
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
  const summarised = withVariablesSummary(event, summary);
  return { kind: 'summarised', event: shortenToFit(summarised, route) ?? withItems(summarised, 0), record };
}

/** The event with the most changes that fit. @returns undefined when it is too large without any */
function shortenToFit(event: StatementEvent, route: Route): StatementEvent | undefined {
  const free = route.maxMessageBytes - messageBytes(withItems(event, 0), route);
  if (free < 0) return undefined;
  const changes = 'changes' in event.data ? event.data.changes : undefined;
  if (changes === undefined) return event;
  // The rest of the event may have many variables, so it is not serialised again.
  const bytesOf = (maxItems: number): number => jsonBytes(JSON.stringify(shortenChanges(changes, maxItems)));
  const withoutItems = bytesOf(0);
  const fits = (maxItems: number): boolean => bytesOf(maxItems) - withoutItems <= free;
  if (fits(changes.items.length)) return event;
  let [most, tooMany] = [0, changes.items.length];
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2);
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return withItems(event, most);
}

function withItems(event: StatementEvent, maxItems: number): StatementEvent {
  if (event.type !== 'settlementbus.statement.revised.v1' || event.data.changes === undefined) return event;
  return withStatementChanges(event, shortenChanges(event.data.changes, maxItems));
}

/** What a broker counts of an event, at most. Some count the payload as a JSON text, where each quote takes two bytes. */
function messageBytes(event: StatementEvent, { channel, topic }: Route): number {
  return jsonBytes(JSON.stringify({ ...event, channel, topic })) + RESERVED_BYTES;
}

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

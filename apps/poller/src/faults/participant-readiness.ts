import type { AlertReason } from '@ssb/events';

/** The faults that keep an interface from being polled. An unusable response does not: other responses are still processed. */
const BLOCKING_REASONS: ReadonlySet<AlertReason> = new Set([
  'certificate-expired',
  'certificate-refused',
  'token-refused',
  'poll-overdue',
] as const);

/** The state of one interface. */
export interface InterfaceState {
  /** Whether the latest completed poll succeeded; false before the first one. */
  readonly lastPollSucceeded: boolean;
  /** Detail of each active fault. */
  readonly faults: ReadonlyMap<AlertReason, string>;
}

/** A participant whose lease this replica holds. */
export interface HeldParticipant {
  readonly code: string;
  readonly interfaces: readonly InterfaceState[];
}

/**
 * Why this replica cannot poll for any participant that it holds; undefined while it can poll one interface of one of them. A standby
 * holds none, and is ready.
 */
export function explainUnready(held: readonly HeldParticipant[]): string | undefined {
  const explanations = held.map(explainBlocked);
  if (explanations.length === 0 || explanations.includes(undefined)) return undefined;
  return explanations.join('; ');
}

function explainBlocked({ code, interfaces }: HeldParticipant): string | undefined {
  const blocking = interfaces.map(findBlockingFault);
  const [first] = blocking;
  if (first === undefined || blocking.includes(undefined)) return undefined;
  return `${code}: ${first}`;
}

function findBlockingFault({ lastPollSucceeded, faults }: InterfaceState): string | undefined {
  if (lastPollSucceeded) return undefined;
  const found = [...faults].find(([reason]) => BLOCKING_REASONS.has(reason));
  return found && `${found[0]}: ${found[1]}`;
}

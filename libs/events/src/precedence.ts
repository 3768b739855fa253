import type { EventType } from './envelope/event-type.js';

/** The order in which waiting events are handled, the lowest number first. */
export const PRECEDENCES = [0, 1, 2, 3] as const;
export type Precedence = (typeof PRECEDENCES)[number];

const BY_PREFIX: readonly (readonly [prefix: string, precedence: Precedence])[] = [
  ['settlementbus.margin.', 0],
  ['settlementbus.credit-support.', 0],
  ['settlementbus.bridge.alert.', 1],
  ['settlementbus.market.', 1],
  ['settlementbus.position.stale.', 1],
  ['settlementbus.position.resumed.', 1],
  ['settlementbus.bridge.heartbeat.', 3],
];

/**
 * 0: margin and credit support. 1: faults, of the bridge and of the operator. 2: other facts. 3: heartbeats, and facts of a backfill. The order
 * of two events of one subject follows from their `sequence`, not from this.
 */
export function precedenceOf({
  type,
  backfilled,
}: {
  /** A dead letter may lack it. */
  readonly type?: EventType;
  readonly backfilled?: unknown;
}): Precedence {
  if (backfilled === true) return 3;
  return BY_PREFIX.find(([prefix]) => String(type).startsWith(prefix))?.[1] ?? 2;
}

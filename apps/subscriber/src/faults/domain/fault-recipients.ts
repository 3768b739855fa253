import type { AlertReason, DetectedEvent, EventType } from '@ssb/events';
import { listAttendedSinks, OPERATIONS_SINK, type OperatorConfig } from '@ssb/config';

export function hasOperationsSink(settings: {
  readonly OPERATIONS_WEBHOOK_URL?: string | undefined;
}): boolean {
  return settings.OPERATIONS_WEBHOOK_URL !== undefined;
}

/** Faults of the way to the sinks, which must not depend on the sink that is at fault. */
const DELIVERY_REASONS: ReadonlySet<string> = new Set<AlertReason>([
  'sink-failing',
  'delivery-refused',
  'credentials-unusable',
  'sink-disabled',
  'database-unavailable',
]);

/** What a `delivery-refused` is about when a sink refuses faults. */
const FAULT_TYPES: ReadonlySet<string> = new Set<EventType>([
  'settlementbus.bridge.alert.raised.v1',
  'settlementbus.bridge.alert.cleared.v1',
]);

/**
 * The sinks of the rules. A fault of deliveries also goes to OPERATIONS_WEBHOOK_URL, and to all other sinks when those of the rules reach no person.
 * @param routed the sinks of the rules
 * @param operationsSink OPERATIONS_WEBHOOK_URL is set
 */
export function findFaultRecipients(
  config: OperatorConfig,
  { data }: Pick<DetectedEvent, 'data'>,
  routed: readonly string[],
  operationsSink: boolean,
): readonly string[] {
  if (!('reason' in data) || !DELIVERY_REASONS.has(data.reason)) return routed;
  const sinkAtFault = data.interface;
  const isOther = (name: string): boolean => name !== sinkAtFault;
  const persons = new Set([...listAttendedSinks(config), OPERATIONS_SINK]);
  const reachesPerson = (names: readonly string[]): boolean => names.some((name) => persons.has(name));
  const named = routed.filter(isOther);
  const further = reachesPerson(named) ? [] : config.alerts.sinks.map(({ name }) => name).filter(isOther);
  const operations = operationsSink ? [OPERATIONS_SINK].filter(isOther) : [];
  const others = [...new Set([...named, ...further, ...operations])];
  // Only when no other sink reaches a person, the one at fault is included. A sink that refuses faults would refuse this one too.
  if (reachesPerson(others) || (data.document !== undefined && FAULT_TYPES.has(data.document))) return others;
  return [...new Set([...routed, ...others])];
}

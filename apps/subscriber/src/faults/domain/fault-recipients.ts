import type { AlertReason, DetectedEvent } from '@ssb/events';
import { listAttendedSinks, type OperatorConfig } from '@ssb/config';

/** The sink of OPERATIONS_WEBHOOK_URL, which the configuration does not name. */
export const OPERATIONS_SINK = 'OPERATIONS_WEBHOOK_URL';

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

/**
 * The sinks of an event about a fault of the subscriber: those of the rules. For a fault of deliveries also OPERATIONS_WEBHOOK_URL, and all other
 * sinks when the rules name no other sink that reaches a person.
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
  const persons = listAttendedSinks(config);
  const reachesPerson = routed.some((name) => isOther(name) && persons.includes(name));
  const further = reachesPerson ? [] : config.alerts.sinks.map(({ name }) => name).filter(isOther);
  const operations = operationsSink ? [OPERATIONS_SINK].filter(isOther) : [];
  return [...new Set([...routed, ...further, ...operations])];
}

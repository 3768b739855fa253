import { definitionOf } from './definitions.js';
import type { EventType } from './envelope/event-type.js';
import type { DetectedEvent } from './event.js';

/** Rules of the definitions for code that handles every type alike, such as a subscriber. */

type EventData = Pick<DetectedEvent, 'type' | 'data'>;

/** `day`: the market gives the time of the fact as a date only. */
export function timePrecisionOf(type: EventType): 'day' | 'second' {
  return definitionOf(type).timePrecision ?? 'second';
}

/** Whether each event of this type replaces the previous one of its subject, so that only the newest is the current state. */
export function announcesState(type: EventType): boolean {
  return definitionOf(type).announcesProblem !== undefined;
}

/** Whether an event announces a problem that lasts until a later event of its subject. */
export function announcesProblem({ type, data }: EventData): boolean {
  return definitionOf(type).announcesProblem?.(data) ?? false;
}

/** Whether events of this type are handled before all others, and no newer event of their subject replaces them. */
export function isUrgent(type: EventType): boolean {
  return definitionOf(type).urgent ?? false;
}

/** Names the version of the operator's document that an event announces. Events of other facts have none. */
export function documentVersionOf({
  type,
  participant,
  data,
}: EventData & Pick<DetectedEvent, 'participant'>): string | undefined {
  return definitionOf(type).documentVersion?.(participant, data);
}

/** Whether an event announces a version whose predecessors the bridge did not see. */
export function isRestated({ data }: Pick<DetectedEvent, 'data'>): boolean {
  return 'restated' in data && data.restated === true;
}

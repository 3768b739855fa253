import { findEventTypes, HEARTBEAT_TYPE } from '@ssb/config';
import { EVENT_TYPES, SEVERITIES } from '@ssb/events';
import { visibleParticipants, type Caller } from '../access/caller.js';
import type { EventsFilterQuery } from './event-dto.js';

/** Which archived events a caller has requested and may see. An omitted criterion matches all. */
export interface EventFilter {
  readonly participants?: readonly string[] | undefined;
  /** Without it, heartbeats are left out. */
  readonly types?: readonly string[] | undefined;
  readonly severities?: readonly string[] | undefined;
  /** Beginning of the subject. */
  readonly subject?: string | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

export const TYPES_BUT_HEARTBEATS = EVENT_TYPES.filter((type) => type !== HEARTBEAT_TYPE);

export function createEventFilter(caller: Caller, query: EventsFilterQuery): EventFilter {
  const { type, participant, severity, subject, since, until } = query;
  return {
    participants: unique(visibleParticipants(caller, participant)),
    types: onlySome(unique(type?.flatMap(findTypes)), TYPES_BUT_HEARTBEATS),
    severities: onlySome(unique(severity), SEVERITIES),
    subject: subject === '' ? undefined : subject,
    since,
    until,
  };
}

/** A pattern does not match heartbeats, which would hide all other events. */
function findTypes(text: string): readonly string[] {
  const types = findEventTypes(text);
  return text.includes('*') ? types.filter((type) => type !== HEARTBEAT_TYPE) : types;
}

const unique = (values: readonly string[] | undefined): readonly string[] | undefined =>
  values && [...new Set(values)];

/** A criterion that matches all is left out. */
function onlySome(
  values: readonly string[] | undefined,
  all: readonly string[],
): readonly string[] | undefined {
  return values?.length === all.length && all.every((each) => values.includes(each)) ? undefined : values;
}

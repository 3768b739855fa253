import type { Detection, EventEnvelope } from './envelope.js';
import { eventId } from './event-id.js';
import type { EventType } from './event-type.js';

/** What identifies a fact among those of its type. */
export interface FactIdentity {
  readonly participant: string;
  readonly naturalKey: string;
  readonly version: string;
  readonly subject: string;
}

/** The attributes that identify a fact and order it within its subject. */
export interface FactAttributes<Type extends EventType> extends FactIdentity {
  readonly type: Type;
  /** A whole number that grows from one event of the subject to the next. */
  readonly sequence: bigint;
  /** Zone-less market time, `yyyy-MM-ddTHH:mm:ss`. */
  readonly marketTime: string;
}

/** Creates the event of a fact. The same fact always gets the same id, sequence and time. */
export function createEvent<Type extends EventType, Data>(
  attributes: FactAttributes<Type>,
  data: Data,
  { detectedAt, traceparent }: Detection,
): EventEnvelope<Type, Data> {
  const { type, participant, naturalKey, version, subject, sequence, marketTime } = attributes;
  return Object.freeze({
    specversion: '1.0',
    id: eventId(type, participant, naturalKey, version),
    type,
    source: sourceUrn(participant),
    subject,
    time: `${marketTime}${MARKET_OFFSET}`,
    datacontenttype: 'application/json',
    dataschema: dataschemaUrn(type),
    participant,
    sequence: sequence.toString().padStart(20, '0'),
    traceparent,
    detectedat: detectedAt.toISOString(),
    data,
  });
}

/** `urn:settlement-bus-bridge:<participant>`. */
export function sourceUrn(participant: string): string {
  return `urn:settlement-bus-bridge:${encodeURIComponent(participant)}`;
}

/** Market time is UTC+8 all year: Australia/Perth has no daylight saving. */
const MARKET_OFFSET = '+08:00';

export function dataschemaUrn(type: EventType): string {
  return `urn:settlement-bus-bridge:schema:${type}`;
}

/** The date of a market date-time, `yyyy-MM-dd`. */
export function dateOf(marketDateTime: string): string {
  return marketDateTime.slice(0, 10);
}

/** Midnight of a market date, as a date-time. */
export function startOfDay(marketDate: string): string {
  return `${dateOf(marketDate)}T00:00:00`;
}

const MARKET_OFFSET_MS = 8 * 3_600_000;

/** The zone-less market time of an instant, with milliseconds. */
export function toMarketTime(instant: Date): string {
  return new Date(instant.getTime() + MARKET_OFFSET_MS).toISOString().slice(0, -1);
}

/** The instant of a market date-time. */
export function toInstant(marketDateTime: string): Date {
  return new Date(`${marketDateTime}${MARKET_OFFSET}`);
}

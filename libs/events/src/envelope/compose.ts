import type { DataOf } from '../types/data.js';
import type { Detection, DetectedEvent } from './event.js';
import { eventId } from './event-id.js';
import type { EventType } from './event-type.js';

/** What distinguishes one fact from every other, and where it stands in its subject's history. */
export interface FactIdentity<T extends EventType> {
  readonly type: T;
  readonly participant: string;
  readonly naturalKey: string;
  readonly version: string;
  readonly subject: string;
  /** A whole number that grows along the subject's history. */
  readonly sequence: bigint;
  /** Zone-less market time, `yyyy-MM-ddTHH:mm:ss`. */
  readonly marketTime: string;
}

/** Puts a fact into its envelope. Pure: the same fact gives the same id, sequence and time, whoever finds it. */
export function compose<T extends EventType>(
  fact: FactIdentity<T>,
  data: DataOf[T],
  { detectedAt, traceparent }: Detection,
): DetectedEvent<T> {
  const { type, participant, naturalKey, version, subject, sequence, marketTime } = fact;
  return Object.freeze({
    specversion: '1.0',
    id: eventId(type, participant, naturalKey, version),
    type,
    source: sourceOf(participant),
    subject,
    time: `${marketTime}${MARKET_OFFSET}`,
    datacontenttype: 'application/json',
    dataschema: dataschemaOf(type),
    participant,
    sequence: sequence.toString().padStart(20, '0'),
    traceparent,
    detectedat: detectedAt.toISOString(),
    data,
  });
}

/** Market time is UTC+8 all year (Australia/Perth knows no daylight saving). */
const MARKET_OFFSET = '+08:00';

export function sourceOf(participant: string): string {
  return `urn:settlement-bus-bridge:${encodeURIComponent(participant)}`;
}

export function dataschemaOf(type: EventType): string {
  return `urn:settlement-bus-bridge:schema:${type}`;
}

/** The date of a market date-time, `yyyy-MM-dd`. */
export function dateOf(marketDateTime: string): string {
  return marketDateTime.slice(0, 10);
}

/** A market date as a date-time at its start. */
export function startOfDay(marketDate: string): string {
  return `${dateOf(marketDate)}T00:00:00`;
}

/** The moment that a market date-time names. */
export function instantOf(marketDateTime: string): Date {
  return new Date(`${marketDateTime}${MARKET_OFFSET}`);
}

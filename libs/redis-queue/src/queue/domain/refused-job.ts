import { isEventType, type EventType } from '@ssb/events';
import { toPrintable } from '@ssb/net';
import type { Authentication } from '@ssb/keys';

export const HEARTBEAT_TYPE = 'settlementbus.bridge.heartbeat.v1' satisfies EventType;

/** Why the HMAC of a job is not accepted. */
export type Refusal = Exclude<Authentication, { ok: true }>['reason'];

/** A job that is not published, because its HMAC is not valid. Its fields are bounded, but not to be trusted. */
export interface RefusedJob {
  readonly jobId: string;
  /** What the job claims to be. */
  readonly eventType: EventType | undefined;
  readonly refusal: Refusal;
  /** One sentence. */
  readonly reason: string;
}

const MAX_ID_LENGTH = 100;

const SENTENCES: Readonly<Record<Refusal, string>> = {
  missing: 'The job has no HMAC.',
  malformed: 'The job or its HMAC is malformed.',
  'unknown-version': 'INTEGRITY_KEYS_FILE has no key of the version with which the HMAC was made.',
  mismatch: 'The HMAC does not match: event, job id or bridge is another one.',
};

export function describeRefusal(refusal: Refusal): string {
  return SENTENCES[refusal];
}

/** Describes a job with any data. */
export function describeRefusedJob(id: string, data: unknown, refusal: Refusal): RefusedJob {
  const type = claimedEvent(data)?.['type'];
  return {
    jobId: toPrintable(id, MAX_ID_LENGTH),
    eventType: isEventType(type) ? type : undefined,
    refusal,
    reason: describeRefusal(refusal),
  };
}

/** The event that a job claims to hold, which may lack any field. The data of a job without an HMAC can be the event itself. */
export function claimedEvent(data: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(data)) return undefined;
  return isRecord(data['event']) ? data['event'] : data;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

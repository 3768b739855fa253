import { createEvent, toMarketTime, type FactIdentity } from '../envelope/create-event.js';
import type { Detection, EventEnvelope } from '../envelope/envelope.js';
import { instant, integer, object, text } from './json-schema.js';

export const MARKET_INTERFACES = ['prudential', 'settlement'] as const;
export type MarketInterface = (typeof MARKET_INTERFACES)[number];

/** How one interface of the operator is polled. Times are RFC 3339 in UTC with milliseconds. */
export interface InterfacePolls {
  readonly intervalMs: number;
  /** When the last successful poll ended; absent before the first one. */
  readonly lastSuccess?: string;
}

/** The poller of a participant runs, and everything between it and the reader of the channel works. */
export interface HeartbeatData {
  /** Channel on which this heartbeat travels. */
  readonly channel: string;
  /** Time to the next heartbeat, milliseconds. */
  readonly intervalMs: number;
  readonly polls: Readonly<Record<MarketInterface, InterfacePolls>>;
  /** Sent by a test of the pipeline: it says nothing about a poller, so it names no successful poll. */
  readonly test?: true;
}

export type HeartbeatFact = HeartbeatData & { readonly participant: string };

/** Creates the heartbeat of one participant and channel at the time of the detection. */
export function createHeartbeatEvent(
  { participant, ...data }: HeartbeatFact,
  detection: Detection,
): EventEnvelope<'settlementbus.bridge.heartbeat.v1', HeartbeatData> {
  const at = detection.detectedAt;
  return createEvent(
    {
      type: 'settlementbus.bridge.heartbeat.v1',
      ...identifyHeartbeat(participant, data, at.getTime()),
      sequence: BigInt(at.getTime()),
      marketTime: toMarketTime(at),
    },
    data,
    detection,
  );
}

/** @param sequence epoch milliseconds */
export function identifyHeartbeat(
  participant: string,
  { channel, test }: Pick<HeartbeatData, 'channel' | 'test'>,
  sequence: number,
): FactIdentity {
  return {
    participant,
    naturalKey: test ? `${channel} test` : channel,
    version: String(sequence),
    subject: heartbeatSubject(participant, channel),
  };
}

/** `<participant>/heartbeat/<channel>`. */
export function heartbeatSubject(participant: string, channel: string): string {
  return `${participant}/heartbeat/${channel}`;
}

/** Whether the event is a heartbeat that a test of the pipeline sent. */
export function isTestHeartbeat({ type, data }: { readonly type: string; readonly data: unknown }): boolean {
  return (
    type === 'settlementbus.bridge.heartbeat.v1' &&
    (data as Partial<HeartbeatData> | undefined)?.test === true
  );
}

const DAY_MS = 86_400_000;
const interfacePolls = object({ intervalMs: integer(1, 7 * DAY_MS), lastSuccess: instant }, ['lastSuccess']);

export const heartbeatSchema = object(
  {
    channel: text(255),
    intervalMs: integer(1, DAY_MS),
    polls: object({ prudential: interfacePolls, settlement: interfacePolls }),
    test: { const: true },
  },
  ['test'],
);

import { DirectMsgHeaders, JetStreamError, type JetStreamManager } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { Requests } from './requests.js';

export interface StoredMessage {
  readonly sequence: number;
  readonly timestampNanos: bigint;
  readonly data: Uint8Array;
}

/** Which message of a stream: the one with this number, or the first on the subject from this number on, or the subject's last. */
export type Query =
  | { readonly seq: number }
  | { readonly seq: number; readonly next_by_subj: string }
  | { readonly last_by_subj: string };

/** Status of an answer to a direct get (NATS ADR-31) when there is no such message. */
const NOT_FOUND = 404;

/** Reads single messages of a stream, without a consumer: nothing is made in the server and nothing is left behind. */
export class StoredMessages {
  constructor(
    private readonly manager: JetStreamManager,
    private readonly requests: Requests,
    /** Only the leader of a stream is asked; otherwise any server that holds it. */
    private readonly leaderOnly: boolean,
  ) {}

  /** Undefined when there is none (any more). */
  get(stream: string, query: Query): Promise<StoredMessage | undefined> {
    return this.leaderOnly ? this.askLeader(stream, query) : this.askAny(stream, query);
  }

  private async askLeader(stream: string, query: Query): Promise<StoredMessage | undefined> {
    const found = await this.manager.streams.getMessage(stream, query);
    if (found === null) return undefined;
    return { sequence: found.seq, timestampNanos: nanosOfTimestamp(found.timestamp), data: found.data };
  }

  /** A page is many of these, so they go by the quicker way. */
  private async askAny(stream: string, query: Query): Promise<StoredMessage | undefined> {
    return direct(await this.requests.ask(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(query)));
  }
}

function direct({ headers, data }: Msg): StoredMessage | undefined {
  if (headers?.code === NOT_FOUND) return undefined;
  if (headers === undefined || headers.code !== 0) {
    throw new JetStreamError(`a direct get was answered with ${headers?.code} ${headers?.description}`);
  }
  const sequence = Number(headers.last(DirectMsgHeaders.Sequence));
  const timestampNanos = nanosOfTimestamp(headers.last(DirectMsgHeaders.TimeStamp));
  return { sequence, timestampNanos, data };
}

const RFC_3339 = /^(.+?)(?:\.(\d{1,9}))?Z$/;

/**
 * Nanoseconds of the epoch from JetStream's timestamp (RFC 3339 in UTC, up to nine digits of a second), exact to the digit.
 * @throws RangeError for any other text
 */
export function nanosOfTimestamp(timestamp: string): bigint {
  const [, seconds, fraction = ''] = RFC_3339.exec(timestamp) ?? [];
  const milliseconds = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`);
  if (Number.isNaN(milliseconds)) throw new RangeError(`${timestamp} is no timestamp of JetStream`);
  return BigInt(milliseconds) * 1_000_000n + BigInt(fraction.padEnd(9, '0'));
}

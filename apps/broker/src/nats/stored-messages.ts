import type { JetStreamManager } from '@nats-io/jetstream';
import { nanosOfTimestamp } from './instant.js';

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

/** Reads single messages of a stream, without a consumer: nothing is made in the server and nothing is left behind. */
export class StoredMessages {
  constructor(
    private readonly manager: JetStreamManager,
    /** Only the leader of a stream is asked; otherwise any server that holds it. */
    private readonly leaderOnly: boolean,
  ) {}

  /** Undefined when there is none (any more). */
  async get(stream: string, query: Query): Promise<StoredMessage | undefined> {
    const { streams, direct } = this.manager;
    const found = this.leaderOnly
      ? await streams.getMessage(stream, query)
      : await direct.getMessage(stream, query);
    if (found === null) return undefined;
    return { sequence: found.seq, timestampNanos: nanosOfTimestamp(found.timestamp), data: found.data };
  }
}

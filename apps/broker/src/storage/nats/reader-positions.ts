import { PubHeaders } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { LogChannel, Position, Reader } from '../message-log.js';
import type { ChannelStreams } from './channel-streams.js';
import { hasCode, WRONG_LAST_SEQUENCE } from './jetstream-api.js';
import { isAfter, parsePosition } from './message-encoding.js';
import type { NatsNames } from './nats-names.js';
import { parseAppendReply, type NatsRequests } from './nats-requests.js';
import type { StoredMessages } from './stored-messages.js';

/** Each failed attempt means that another broker stored a position of the same reader. */
const MAX_ATTEMPTS = 32;

interface StoredPosition {
  readonly position: Position;
  /** Sequence number in the position stream. A write names the sequence that it replaces. */
  readonly revision: number;
}

/** Stores the position of each reader as the last message on the reader's subject, with optimistic locking. */
export class ReaderPositions {
  constructor(
    private readonly requests: NatsRequests,
    private readonly streams: ChannelStreams,
    private readonly stored: StoredMessages,
    private readonly names: NatsNames,
  ) {}

  async get(channel: LogChannel, reader: Reader): Promise<Position | undefined> {
    return (await this.find(channel, reader))?.position;
  }

  /** @throws Error when other writers replace the position in every attempt */
  async move(channel: LogChannel, reader: Reader, position: Position): Promise<void> {
    const target = parsePosition(position);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const current = await this.find(channel, reader);
      if (current && !isAfter(target, parsePosition(current.position))) return;
      if (await this.replace(channel, reader, position, current?.revision ?? 0)) return;
    }
    throw new Error(`other writers replaced the position in each of ${MAX_ATTEMPTS} attempts`);
  }

  private async find(channel: LogChannel, reader: Reader): Promise<StoredPosition | undefined> {
    const { name } = await this.streams.ensurePositionStream(channel);
    const subject = this.names.positionSubject(channel, reader);
    const found = await this.stored.get(name, { last_by_subj: subject });
    if (found === undefined) return undefined;
    return { position: Buffer.from(found.data).toString() as Position, revision: found.sequence };
  }

  /** @returns false after a concurrent write */
  private async replace(
    channel: LogChannel,
    reader: Reader,
    position: Position,
    revision: number,
  ): Promise<boolean> {
    const expected = headers();
    expected.set(PubHeaders.ExpectedLastSubjectSequenceHdr, String(revision));
    const subject = this.names.positionSubject(channel, reader);
    try {
      parseAppendReply(await this.requests.request(subject, position, expected));
      return true;
    } catch (error) {
      if (hasCode(error, WRONG_LAST_SEQUENCE)) return false;
      throw error;
    }
  }
}

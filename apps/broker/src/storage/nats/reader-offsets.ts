import { PubHeaders } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { LogChannel, Offset, Reader } from '../message-log.js';
import type { ChannelStreams } from './channel-streams.js';
import { hasCode, WRONG_LAST_SEQUENCE } from './jetstream-api.js';
import { isAfter, parseOffset } from './message-encoding.js';
import type { NatsNames } from './nats-names.js';
import { parseAppendReply, type NatsRequests } from './nats-requests.js';
import type { StoredMessages } from './stored-messages.js';

/** Each failed attempt means that another broker stored an offset of the same reader. */
const MAX_ATTEMPTS = 32;

interface StoredOffset {
  readonly offset: Offset;
  /** Sequence number in the offset stream. A write names the sequence that it replaces. */
  readonly revision: number;
}

/** Stores the offset of each reader as the last message on the reader's subject, with optimistic locking. */
export class ReaderOffsets {
  constructor(
    private readonly requests: NatsRequests,
    private readonly streams: ChannelStreams,
    private readonly stored: StoredMessages,
    private readonly names: NatsNames,
  ) {}

  async get(channel: LogChannel, reader: Reader): Promise<Offset | undefined> {
    return (await this.find(channel, reader))?.offset;
  }

  /** @throws Error when other writers replace the offset in every attempt */
  async move(channel: LogChannel, reader: Reader, offset: Offset): Promise<void> {
    const target = parseOffset(offset);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const current = await this.find(channel, reader);
      if (current && !isAfter(target, parseOffset(current.offset))) return;
      if (await this.replace(channel, reader, offset, current?.revision ?? 0)) return;
    }
    throw new Error(`other writers replaced the offset in each of ${MAX_ATTEMPTS} attempts`);
  }

  private async find(channel: LogChannel, reader: Reader): Promise<StoredOffset | undefined> {
    const { name } = await this.streams.ensureOffsetStream(channel);
    const subject = this.names.offsetSubject(channel, reader);
    const found = await this.stored.get(name, { last_by_subj: subject });
    if (found === undefined) return undefined;
    return { offset: Buffer.from(found.data).toString() as Offset, revision: found.sequence };
  }

  /** @returns false after a concurrent write */
  private async replace(
    channel: LogChannel,
    reader: Reader,
    offset: Offset,
    revision: number,
  ): Promise<boolean> {
    const expected = headers();
    expected.set(PubHeaders.ExpectedLastSubjectSequenceHdr, String(revision));
    const subject = this.names.offsetSubject(channel, reader);
    try {
      parseAppendReply(await this.requests.request(subject, offset, expected));
      return true;
    } catch (error) {
      if (hasCode(error, WRONG_LAST_SEQUENCE)) return false;
      throw error;
    }
  }
}

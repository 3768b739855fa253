import { PubHeaders } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import type { LogChannel, Position, Reader } from '../message-log.js';
import { hasCode, type ChannelStreams } from './channel-streams.js';
import type { NatsNames } from './nats-names.js';
import { readAppendAnswer, type Requests } from './nats-requests.js';
import { isFurther, placeOf } from './message-encoding.js';
import type { StoredMessages } from './stored-messages.js';

/** Error code of JetStream's API: somebody else wrote to the subject meanwhile. */
const WRONG_LAST_SEQUENCE = 10071;

/** Tries to store one position; each that fails means that another broker has stored one for the same reader. */
const MOST_TRIES = 32;

interface Stored {
  readonly position: Position;
  /** Number in the positions' stream, by which a write tells whether it still knows the newest. */
  readonly revision: number;
}

/** How far each reader has come: the last message on a subject of its own, replaced only by the one who has seen the last. */
export class ReaderPositions {
  constructor(
    private readonly requests: Requests,
    private readonly streams: ChannelStreams,
    private readonly stored: StoredMessages,
    private readonly names: NatsNames,
  ) {}

  async read(channel: LogChannel, reader: Reader): Promise<Position | undefined> {
    return (await this.find(channel, reader))?.position;
  }

  /** @throws Error when others write the same reader's position all the time */
  async move(channel: LogChannel, reader: Reader, position: Position): Promise<void> {
    const to = placeOf(position);
    for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
      const held = await this.find(channel, reader);
      if (held && !isFurther(placeOf(held.position), to)) return;
      if (await this.replace(channel, reader, position, held?.revision ?? 0)) return;
    }
    throw new Error(`a position was replaced by others ${MOST_TRIES} times while it was to be stored`);
  }

  private async find(channel: LogChannel, reader: Reader): Promise<Stored | undefined> {
    const { name } = await this.streams.positionsOf(channel);
    const found = await this.stored.get(name, { last_by_subj: this.names.position(channel, reader) });
    if (found === undefined) return undefined;
    return { position: Buffer.from(found.data).toString() as Position, revision: found.sequence };
  }

  private async replace(
    channel: LogChannel,
    reader: Reader,
    position: Position,
    revision: number,
  ): Promise<boolean> {
    const known = headers();
    known.set(PubHeaders.ExpectedLastSubjectSequenceHdr, String(revision));
    try {
      readAppendAnswer(await this.requests.ask(this.names.position(channel, reader), position, known));
      return true;
    } catch (error) {
      if (hasCode(error, WRONG_LAST_SEQUENCE)) return false;
      throw error;
    }
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager, PubHeaders, type JetStreamManager } from '@nats-io/jetstream';
import { errors, headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
import type { Fqcn } from '../../channels/names.js';
import {
  EngineUnavailableError,
  type Appended,
  type Batch,
  type LogChannel,
  type LogEngine,
  type NewMessage,
  type Page,
  type Position,
  type Reader,
} from '../message-log.js';
import { ChannelStreams, hasCode, STREAM_NOT_FOUND } from './channel-streams.js';
import type { KnownStream, StreamOptions } from './channel-streams.js';
import { channelKey, NatsNames } from './nats-names.js';
import { foundNobody, NatsEngine } from './nats-engine.js';
import { ReaderPositions } from './reader-positions.js';
import { readAppendAnswer, Requests } from './nats-requests.js';
import { placeOf, toBody, toPosition } from './message-encoding.js';
import { firstSince, StoredMessages, type Span } from './stored-messages.js';
import { LOOK_EVERY_MS, WakeUps } from './append-notifications.js';

const NANOS_PER_MS = 1_000_000n;
const BETWEEN_TRIES_MS = 25;

/** A question that nobody answers, as while a cluster chooses its leader, is asked again after this while. */
const LONGEST_QUESTION_MS = 1_000;

export interface NatsLogOptions extends StreamOptions {
  readonly prefix: string;
  readonly patienceMs: number;
  readonly now: () => Date;
}

/**
 * The log on NATS JetStream: a stream on files for each channel, the position of an entry being its number there.
 * An append survives a kill of the server (it is in the system's hands before the answer). JetStream flushes to disk at an interval of its
 * own (`sync_interval`, two minutes by default), so without replicas a loss of power may take that much.
 */
export class NatsMessageLog implements LogEngine {
  readonly name = 'log on NATS';
  private readonly names: NatsNames;
  private readonly requests: Requests;
  private readonly streams: ChannelStreams;
  private readonly stored: StoredMessages;
  private readonly positions: ReaderPositions;
  private readonly wakeUps: WakeUps;
  private signsOfLifeMade = false;

  private constructor(
    private readonly engine: NatsEngine,
    private readonly manager: JetStreamManager,
    private readonly options: NatsLogOptions,
  ) {
    const { prefix, patienceMs, replicas } = options;
    const { connection } = engine;
    this.names = new NatsNames(prefix);
    this.requests = new Requests(connection, patienceMs);
    this.streams = new ChannelStreams(manager, this.names, options);
    const questions = new Requests(connection, Math.min(patienceMs, LONGEST_QUESTION_MS));
    this.stored = new StoredMessages(manager, questions, this.names, replicas > 1);
    this.positions = new ReaderPositions(this.requests, this.streams, this.stored, this.names);
    this.wakeUps = new WakeUps(engine, this.names, replicas > 1 ? LOOK_EVERY_MS : undefined);
    engine.onBack(() => this.streams.forget(undefined));
  }

  /** On a connection that stands already, which it takes over. Resolves when wake-ups flow. */
  static async open(
    connection: NatsConnection,
    options: NatsLogOptions,
    log: Logger,
  ): Promise<NatsMessageLog> {
    const engine = new NatsEngine(connection, options.patienceMs, log);
    const timeout = Math.min(options.patienceMs, LONGEST_QUESTION_MS);
    const manager = await jetstreamManager(connection, { timeout, checkAPI: false });
    const opened = new NatsMessageLog(engine, manager, options);
    await opened.wakeUps.start();
    return opened;
  }

  async ping(): Promise<void> {
    await this.engine.run(() => this.manager.getAccountInfo());
  }

  /** Stores an empty message: a server whose JetStream is off or full, by its own limit or the account's, answers everything else. */
  check(): Promise<void> {
    return this.engine.run(async () => {
      if (!this.signsOfLifeMade) await this.streams.makeSignsOfLife();
      // Until it has stored, the stream counts as not made: it may have gone with the server's data.
      this.signsOfLifeMade = false;
      readAppendAnswer(await this.requests.ask(this.names.signOfLife, ''));
      this.signsOfLifeMade = true;
    });
  }

  async close(): Promise<void> {
    this.wakeUps.stop();
    await this.engine.close();
  }

  /**
   * Sent one after another on one connection, so they are stored in their order; the answers are awaited together. Sent again, all of them,
   * only when nobody took any: one alone would come behind those that followed it.
   */
  async appendAll(
    channel: LogChannel,
    messages: readonly NewMessage[],
  ): Promise<readonly PromiseSettledResult<Appended>[]> {
    try {
      return await this.again(channel, async () => {
        const stream = await this.streams.log(channel);
        const outcomes = await Promise.allSettled(
          messages.map((message) => this.publish(channel, stream, message)),
        );
        const [first] = outcomes.flatMap((each) => (each.status === 'rejected' ? [each] : []));
        if (first && outcomes.every(tookNobody)) throw first.reason;
        return outcomes.map((each) => this.told(each));
      });
    } catch (reason) {
      return messages.map(() => ({ status: 'rejected', reason }));
    }
  }

  readAfter(channel: LogChannel, position: Position | undefined, page: Page): Promise<Batch> {
    return this.again(channel, async () => {
      const stream = await this.streams.existingLog(channel);
      if (!stream) return NOTHING;
      const place = position === undefined ? undefined : placeOf(position);
      // A position in a channel of the same name that was removed says nothing about this one.
      const after = place?.made === stream.made ? place.sequence : undefined;
      const batch = await this.stored.page(this.span(channel, stream, (after ?? 0) + 1), page);
      if (after === undefined) return batch;
      const last = await this.lastMissed(channel, after, batch);
      if (position === undefined || last <= after) return batch;
      return { ...batch, gap: { after: position, upTo: toPosition({ ...stream, sequence: last }) } };
    });
  }

  readFrom(channel: LogChannel, instant: Date, page: Page): Promise<Batch> {
    const { streams, stored, names } = this;
    return this.again(channel, async () => {
      const stream = await streams.existingLog(channel);
      if (!stream) return NOTHING;
      const subject = names.message(channel);
      const [first, last] = await Promise.all([
        stored.get(stream.name, { seq: 1, next_by_subj: subject }),
        stored.get(stream.name, { last_by_subj: subject }),
      ]);
      if (!first || !last) return NOTHING;
      const ends = { first: first.sequence, last: last.sequence };
      const instantNanos = BigInt(instant.getTime()) * NANOS_PER_MS;
      const from = await firstSince(instantNanos, ends, (sequence) =>
        stored.get(stream.name, { seq: sequence }),
      );
      const span = this.span(channel, stream, from);
      const oldestNanos = span.oldestNanos > instantNanos ? span.oldestNanos : instantNanos;
      return this.stored.page({ ...span, oldestNanos }, page);
    });
  }

  position(channel: LogChannel, reader: Reader): Promise<Position | undefined> {
    return this.again(channel, () => this.positions.read(channel, reader));
  }

  movePosition(channel: LogChannel, reader: Reader, position: Position): Promise<void> {
    return this.again(channel, () => this.positions.move(channel, reader, position));
  }

  drop(channel: LogChannel): Promise<void> {
    return this.engine.run(() => this.streams.remove(channel));
  }

  watch(wake: (fqcn: Fqcn | undefined) => void): () => void {
    return this.wakeUps.onAppended(wake);
  }

  /**
   * Does the work; again within the engine's patience when nobody answers or answers come late: a stream that was thought to be there is
   * gone, one that was just made is not known at every server of the cluster yet, or a leader is being chosen. Only an append that went
   * out and was not answered is never repeated here: it may be stored.
   */
  private again<T>(channel: LogChannel, work: () => Promise<T>): Promise<T> {
    const { engine, streams } = this;
    return engine.run(async () => {
      const deadline = performance.now() + engine.patienceMs;
      for (;;) {
        try {
          return await work();
        } catch (error) {
          const passing = foundNobody(error) || error instanceof errors.TimeoutError;
          const gone = hasCode(error, STREAM_NOT_FOUND);
          if (!(passing || gone) || performance.now() > deadline) throw error;
        }
        streams.forget(channel);
        await pause(BETWEEN_TRIES_MS);
      }
    });
  }

  private async publish(channel: LogChannel, stream: KnownStream, message: NewMessage): Promise<Appended> {
    const { engine, requests, names, wakeUps } = this;
    const { sender, correlationId } = message;
    const once = correlationId === undefined ? undefined : onceBy(names.repeatKey(sender, correlationId));
    const answer = await requests
      .ask(names.message(channel), toBody(message), once)
      .catch((error: unknown) => {
        throw error instanceof errors.TimeoutError ? engine.unavailable(error) : error;
      });
    const ack = readAppendAnswer(answer);
    // Sent again, often since the answer to the first was lost, and its wake-up with it.
    if (ack.duplicate) wakeUps.tellAppended(channelKey(channel));
    return { position: toPosition({ ...stream, sequence: ack.seq }), repeated: ack.duplicate };
  }

  private told(outcome: PromiseSettledResult<Appended>): PromiseSettledResult<Appended> {
    if (outcome.status === 'fulfilled' || outcome.reason instanceof EngineUnavailableError) return outcome;
    return { status: 'rejected', reason: this.engine.unavailable(outcome.reason) };
  }

  /** The number of the last entry that went between `after` and what was read; `after` itself when none did. */
  private async lastMissed(channel: LogChannel, after: number, { entries: [first] }: Batch): Promise<number> {
    if (first) return placeOf(first.position).sequence - 1;
    const { wakeUps, streams } = this;
    // The usual case costs nothing: the newest message that was heard of is the one that was read last.
    if (wakeUps.tail(channelKey(channel)) === after) return after;
    return (await streams.lastTaken(channel)) ?? after;
  }

  private span(channel: LogChannel, stream: KnownStream, from: number): Span {
    const oldestMs = Math.max(0, this.options.now().getTime() - channel.retentionMs);
    const tail = this.wakeUps.tail(channelKey(channel));
    return { channel, stream, from, oldestNanos: BigInt(oldestMs) * NANOS_PER_MS, tail };
  }
}

/** JetStream takes a message with the same id once within the stream's duplicate window. */
function onceBy(id: string): MsgHdrs {
  const made = headers();
  made.set(PubHeaders.MsgIdHdr, id);
  return made;
}

/** Nobody was there to take the message: it is certainly not stored. */
function tookNobody(outcome: PromiseSettledResult<Appended>): boolean {
  return outcome.status === 'rejected' && foundNobody(outcome.reason);
}

const NOTHING: Batch = { entries: [], more: false };

import type { Fqcn } from '../channels/names.js';

/** A place in one channel's log. Its form belongs to the engine: hand it back, do not look inside. */
export type Position = string & { readonly __brand: 'Position' };

/** The part of a channel that the log needs. */
export interface LogChannel {
  readonly fqcn: Fqcn;
  /** When the channel was made, milliseconds of the epoch: keeps the logs of channels apart that had one name after each other. */
  readonly made: number;
  /** How long a message is kept, milliseconds. */
  readonly retentionMs: number;
  /** Bytes of payload that a message may have; those from before it was lowered may have more. */
  readonly largestMessage: number;
}

export interface NewMessage {
  readonly topic: string;
  readonly payload: string;
  readonly signature: string;
  /** DID. */
  readonly sender: string;
  readonly correlationId?: string;
}

export interface LogEntry extends NewMessage {
  readonly position: Position;
  /**
   * When it was appended, nanoseconds of the Unix epoch, by the engine's clock. Rises strictly within a channel. When that clock is put
   * back, Redis goes on from the last one, while JetStream falls back with it; the log's order and positions are not touched.
   */
  readonly timestampNanos: bigint;
}

export interface Appended {
  readonly position: Position;
  /** The same sender had appended this correlation id before; nothing new was written. */
  readonly repeated: boolean;
}

/**
 * How much to read at once: reading stops at whichever bound is reached first, but never before one entry. Of entries that do not fit
 * any more one is fetched, and a few more where large ones follow small ones (`readAhead`).
 */
export interface Page {
  readonly limit: number;
  /** Bytes of payload. */
  readonly bytes: number;
}

/** Messages that retention took before a reader had come to them. */
export interface Gap {
  /** The reader's position: the last message that it has seen. */
  readonly after: Position;
  /** The last message that it missed. Reading after this one finds no gap. */
  readonly upTo: Position;
}

export interface Batch {
  readonly entries: readonly LogEntry[];
  /** A bound ended the reading, and there were further entries. */
  readonly more: boolean;
  /** There were entries after the position that are gone; they lay before those of this batch. Also told when nothing is left to read. */
  readonly gap?: Gap;
}

/** Somebody's own place in a channel: one for each (identity, client id). */
export interface Reader {
  /** The identity's address in lower case. */
  readonly address: string;
  readonly clientId: string;
}

/**
 * The engine cannot serve at the moment. The caller may try again. An append that was refused so may have happened, or may happen in the
 * next minutes, when the engine comes back and takes what was on its way; never more than once. The same correlation id sent again gets
 * the position of that one message in each case; without one, a repeat can be a second message.
 */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError';

  constructor(
    /** The engine connection's own word for its state. */
    readonly status: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The durable, ordered log of every channel, shared by all brokers on one engine.
 *
 * No operation blocks waiting for messages. Every one of them rejects with EngineUnavailableError when the engine cannot serve within
 * the engine's patience, and works again without a restart once the engine is back. The patience is for each wait: for the connection to
 * come back, and then for each answer of the engine, of which reading a page may need several.
 */
export interface MessageLog {
  /**
   * Adds messages in their order. Each is added and wakes every watcher in one step: either both happen or neither.
   * Durable: once resolved, the messages survive the end of any broker and of the engine's process (see the engine for power loss).
   * Repeats: the same (channel, sender, correlation id) within the duplicate window gives the first position, even when two brokers
   * are called at the same instant, or within one call. Without a correlation id each call adds a message.
   * Never rejects: each has an outcome of its own, in their order, and a failure is an EngineUnavailableError.
   * Redis takes all of them or none. JetStream takes them one by one: where it fails in between, those behind a refused one may be stored,
   * and the refused one, sent again, comes after them.
   */
  appendAll(
    channel: LogChannel,
    messages: readonly NewMessage[],
  ): Promise<readonly PromiseSettledResult<Appended>[]>;

  /**
   * Entries after a position (undefined: from the beginning), in log order, without those older than the retention. Changes nothing.
   * Says whether retention has overtaken the position; who has none has missed nothing.
   */
  readAfter(channel: LogChannel, position: Position | undefined, page: Page): Promise<Batch>;

  /** Entries appended at or after an instant, in log order, without those older than the retention. Changes nothing. */
  readFrom(channel: LogChannel, instant: Date, page: Page): Promise<Batch>;

  /** The reader's stored position; undefined for one who has settled nothing yet. */
  position(channel: LogChannel, reader: Reader): Promise<Position | undefined>;

  /**
   * Stores how far a reader has come. A position never moves back: an older one is ignored, so repeats and reordering are harmless.
   * Durable as an append is. Kept for the engine's position life beyond any message that it covers, so that a reader who was away for
   * longer than the retention can be told of a gap.
   */
  movePosition(channel: LogChannel, reader: Reader, position: Position): Promise<void>;

  /**
   * Removes a channel's messages and positions for good. Harmless when repeated. An append under way may begin its log anew, which
   * nobody finds: the next channel of the name has a log of its own, without messages, positions or correlation ids of this one. Such
   * a remainder goes when the channel is dropped once more, or with the next channel of the name.
   */
  drop(channel: LogChannel): Promise<void>;

  /**
   * Calls `wake(fqcn)` after each append by any broker, and `wake(undefined)` when appends may have been missed (the engine was away):
   * look at every channel. A wake-up too many is allowed, one too few is not. `wake` must not throw.
   * @returns stops the calls
   */
  watch(wake: (fqcn: Fqcn | undefined) => void): () => void;
}

/** The log and the engine that keeps it. */
export interface LogEngine extends MessageLog {
  /** As readiness names it. */
  readonly name: string;
  /** Asks for an answer; writes nothing, so a full engine gives it too. @throws EngineUnavailableError when the engine is away or stands still */
  ping(): Promise<void>;
  /** Writes a sign of life, which it does not keep. @throws EngineUnavailableError when the engine is away, stands still or is full */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Injection token of the LogEngine. */
export const MESSAGE_LOG = Symbol('MESSAGE_LOG');

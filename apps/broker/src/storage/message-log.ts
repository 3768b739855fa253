import type { Fqcn } from '../channels/names.js';

/** A place in one channel's log. Its form belongs to the engine; other code passes it on unread. */
export type Position = string & { readonly __brand: 'Position' };

/** The part of a channel that the log needs. */
export interface LogChannel {
  readonly fqcn: Fqcn;
  /** Epoch milliseconds; separates the logs of channels that had the same name one after another. */
  readonly createdAt: number;
  /** How long a message is kept, milliseconds. */
  readonly retentionMs: number;
  /** Maximum payload of a new message, bytes. Older messages may be larger, as the limit can be lowered. */
  readonly maxMessageBytes: number;
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
   * Append time by the engine's clock, epoch nanoseconds; rises strictly within a channel.
   * After the clock is set back, Redis continues from the last timestamp, while JetStream's timestamps fall back.
   */
  readonly timestampNanos: bigint;
}

export interface Appended {
  readonly position: Position;
  /** The sender appended this correlation id before, so nothing was written. */
  readonly repeated: boolean;
}

export type AppendOutcome = PromiseSettledResult<Appended>;

/** Reading stops at the first limit that is reached, but never before one entry. */
export interface PageLimits {
  readonly maxEntries: number;
  /** Of payload. */
  readonly maxBytes: number;
}

/** Messages that retention removed before a reader reached them. */
export interface Gap {
  /** The last message that the reader has seen. */
  readonly after: Position;
  /** The last message that it missed. Reading after this position finds no gap. */
  readonly upTo: Position;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** A limit ended the page, and there are further entries. */
  readonly more: boolean;
  /** Entries between the position and this page are gone. Also present when the page is empty. */
  readonly gap?: Gap;
}

/** Owner of a stored position in a channel: one for each identity and client id. */
export interface Reader {
  /** The identity's address in lower case. */
  readonly address: string;
  readonly clientId: string;
}

/**
 * The engine cannot serve at the moment. A refused append may still be stored within minutes.
 * With the same correlation id a retry is safe; without one, it can store a second message.
 */
export class EngineUnavailableError extends Error {
  override readonly name = 'EngineUnavailableError';

  constructor(
    /** The state of the engine's connection. */
    readonly status: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The durable, ordered log of every channel, shared by all brokers on one engine. No operation waits for messages.
 * Operations reject with EngineUnavailableError after the engine's timeout, and work again without a restart.
 */
export interface MessageLog {
  /**
   * Appends messages in their order. Storing a message and notifying the listeners is one step.
   *
   * - Never rejects: each message has an outcome, in order; a failure is an EngineUnavailableError.
   * - Durable: a fulfilled message survives the end of any broker and of the engine's process.
   * - Repeats: a sender's correlation id gets the first position within the duplicate window, at any broker.
   * - Partial failure: Redis stores all messages or none; JetStream may store messages after a refused one.
   */
  appendAll(channel: LogChannel, messages: readonly NewMessage[]): Promise<readonly AppendOutcome[]>;

  /**
   * Entries after a position (undefined: from the beginning) in log order, without those past the retention. Changes nothing.
   * Reports a gap when retention has passed the position.
   */
  readAfter(channel: LogChannel, position: Position | undefined, limits: PageLimits): Promise<LogPage>;

  /** Entries appended at or after an instant, in log order, without those past the retention. Changes nothing. */
  readFrom(channel: LogChannel, instant: Date, limits: PageLimits): Promise<LogPage>;

  /** The reader's stored position; undefined before the first acknowledgement. */
  getPosition(channel: LogChannel, reader: Reader): Promise<Position | undefined>;

  /**
   * Stores the reader's position durably; an older position is ignored, so a repeat is harmless.
   * It outlives its message by the position lifetime, so that a late reader learns of a gap.
   */
  movePosition(channel: LogChannel, reader: Reader, position: Position): Promise<void>;

  /**
   * Removes a channel's messages and positions; a repeat is harmless.
   * A concurrent append may start the log again, but the next channel of the name has a log of its own.
   */
  drop(channel: LogChannel): Promise<void>;

  /**
   * Calls the listener after each append by any broker, and with undefined when appends may have been missed: check every channel.
   * Extra calls are allowed, missing calls are not. The listener must not throw.
   * @returns removes the listener
   */
  onAppended(listener: AppendListener): () => void;
}

export type AppendListener = (fqcn: Fqcn | undefined) => void;

/** The log and the engine that stores it. */
export interface LogEngine extends MessageLog {
  /** Name of the readiness check. */
  readonly name: string;
  /** Writes nothing, so a full engine answers too. @throws EngineUnavailableError */
  ping(): Promise<void>;
  /** Writes a probe that is not kept. @throws EngineUnavailableError also when the engine is full */
  checkWrite(): Promise<void>;
  close(): Promise<void>;
}

/** Injection token of the LogEngine. */
export const MESSAGE_LOG = Symbol('MESSAGE_LOG');

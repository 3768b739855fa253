import type { Fqcn } from '../channels/names.js';

/** An offset in one channel's log. Only the storage engine knows its format. */
export type Offset = string & { readonly __brand: 'Offset' };

/** The part of a channel that the log needs. */
export interface LogChannel {
  readonly fqcn: Fqcn;
  /** Epoch milliseconds. Separates the logs of successive channels with the same name. */
  readonly createdAt: number;
  /** How long a message is kept, milliseconds. */
  readonly retentionMs: number;
  /** Maximum payload of a new message, bytes. Older messages may be larger, because the limit can be lowered. */
  readonly maxMessageBytes: number;
}

export interface NewMessage {
  readonly topic: string;
  readonly payload: string;
  readonly signature: string;
  /** DID. */
  readonly sender: string;
  readonly correlationId?: string;
  /** W3C trace context of the append, at most 55 characters. Not verified, and only for spans. */
  readonly traceparent?: string;
}

export interface LogEntry extends NewMessage {
  readonly offset: Offset;
  /**
   * Append time by the engine's clock, epoch nanoseconds. Strictly increasing within a channel,
   * except that JetStream's timestamps decrease when its clock is set back.
   */
  readonly timestampNanos: bigint;
}

export interface Appended {
  readonly offset: Offset;
  /** The sender appended this correlation id before, so nothing was written. */
  readonly repeated: boolean;
}

export type AppendOutcome = PromiseSettledResult<Appended>;

/** A page ends at the first limit that is reached, but has at least one entry. */
export interface PageLimits {
  readonly maxEntries: number;
  /** Maximum total size of the payloads. */
  readonly maxBytes: number;
}

/** Messages that retention removed before a reader reached them. */
export interface Gap {
  /** The last message that the reader has seen. */
  readonly after: Offset;
  /** The last message that it missed. Reading after this offset finds no gap. */
  readonly upTo: Offset;
}

export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** Whether a limit ended the page before the last entry of the log. */
  readonly more: boolean;
  /** Entries between the offset and this page were removed. Also present when the page is empty. */
  readonly gap?: Gap;
}

/** Owner of a stored offset in a channel: one for each identity and client id. */
export interface Reader {
  /** The identity's address in lower case. */
  readonly address: string;
  readonly clientId: string;
}

/**
 * The engine is unavailable. It may still store a message minutes after the append was rejected.
 * A retry with the same correlation id is safe; without one it can store a second message.
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
 * @throws EngineUnavailableError from every operation, after the engine's timeout. A later call can succeed without a restart.
 */
export interface MessageLog {
  /**
   * Appends messages in their order. A message and its notification are stored together.
   *
   * - Never rejects: each message has an outcome, in order. The reason of a rejected outcome is an EngineUnavailableError.
   * - Durable: a fulfilled message survives the end of any broker and of the engine's process.
   * - Repeats: within the duplicate window, a repeated correlation id of a sender returns the first offset, at any broker.
   * - Partial failure: Redis stores all messages or none; JetStream may store messages after a refused one.
   */
  appendAll(channel: LogChannel, messages: readonly NewMessage[]): Promise<readonly AppendOutcome[]>;

  /**
   * Reads entries after an offset (undefined: from the beginning) in log order, without those past the retention.
   * The page has a gap when retention removed entries after the offset.
   */
  readAfter(channel: LogChannel, offset: Offset | undefined, limits: PageLimits): Promise<LogPage>;

  /** Reads entries appended at or after an instant, in log order, without those past the retention. */
  readFrom(channel: LogChannel, instant: Date, limits: PageLimits): Promise<LogPage>;

  /** The offset after which the next message is appended; of an empty log too. */
  getEnd(channel: LogChannel): Promise<Offset>;

  /** The reader's stored offset; undefined before the first acknowledgement. */
  getOffset(channel: LogChannel, reader: Reader): Promise<Offset | undefined>;

  /**
   * Stores the reader's offset durably; ignores an older offset.
   * An offset outlives its message by the offset lifetime, so that a gap is still reported to a late reader.
   */
  moveOffset(channel: LogChannel, reader: Reader, offset: Offset): Promise<void>;

  /**
   * Removes a channel's messages and offsets; idempotent.
   * A concurrent append may recreate the log, but a later channel with the same name has a separate one.
   */
  drop(channel: LogChannel): Promise<void>;

  /**
   * Calls the listener after each append by any broker. Undefined means that any channel may have new entries.
   * Extra calls are allowed, missing calls are not. The listener must not throw.
   * @returns a function that removes the listener
   */
  onAppended(listener: AppendListener): () => void;
}

export type AppendListener = (fqcn: Fqcn | undefined) => void;

/** The log and the engine that stores it. */
export interface LogEngine extends MessageLog {
  /** Name of the readiness check. */
  readonly name: string;
  /** Writes nothing, so it succeeds while the engine has no storage space left. @throws EngineUnavailableError */
  ping(): Promise<void>;
  /** Writes a probe that is not kept. @throws EngineUnavailableError also when the engine is full */
  checkWrite(): Promise<void>;
  close(): Promise<void>;
}

/** Injection token of the LogEngine. */
export const MESSAGE_LOG = Symbol('MESSAGE_LOG');

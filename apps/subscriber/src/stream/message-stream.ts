/** How messages of the gateway reach the receiver. */
export interface MessageStream {
  start(): void;
  /** Stores the current batch while the stream is still open. No write follows. */
  stop(): Promise<void>;
  /** Called after the lease is lost. Closes the stream at once, because two readers would disconnect each other. */
  abort(): Promise<void>;
  /** Whether messages arrive. */
  readonly connected: boolean;
  /** Number of messages that are received and not yet stored. */
  readonly bufferedCount: number;
  /** Everything that the bus stored before this time was read; undefined where the gateway keeps the position. */
  readonly completeUntil: Date | undefined;
  /** @throws Error with the reason while messages do not arrive */
  assertConnection(): void;
}

import type { GatewayStreamOptions, Message } from '@ssb/bus';
import type { SupersessionOptions } from '../catch-up/supersession.js';
import type { MessageReceiver } from '../receiver/message-receiver.js';
import type { Settings } from '../settings.js';
import type { ReportGap } from './report-gap.js';

/**
 * Passes the messages of the gateway to the receiver. `AcknowledgedStream` is the normal one. `PlainStream` is for gateways without
 * acknowledgement.
 */
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
  /** Everything that the bus stored before this time was read; undefined where the gateway keeps the offset. */
  readonly completeUntil: Date | undefined;
  /** @throws Error with the reason while messages do not arrive */
  assertConnection(): void;
}

/** What every stream needs. */
export interface StreamOptions extends SupersessionOptions {
  readonly settings: Settings;
  /** Address, user and certificates of the gateway. */
  readonly connection: Pick<
    GatewayStreamOptions,
    'url' | 'username' | 'password' | 'protocol' | 'connection'
  >;
  readonly receiver: MessageReceiver;
  /** Called when a connection to the gateway began or ended. */
  readonly onConnection: (connected: boolean) => void;
  /** Called with each batch as it arrives. */
  readonly onMessages: (batch: readonly Message[]) => void;
  /** Called with the status when the gateway refuses a connection that acknowledges. The next attempt waits for the promise. */
  readonly onRefused: (status: number) => Promise<void>;
  readonly reportGap: ReportGap;
}

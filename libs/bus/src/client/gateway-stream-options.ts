import type { ClientConnection } from '@ssb/net';
import type { ErrorDetail } from '../error-body.js';
import type { MissedMessages } from '../gateway/events-frame.js';
import type { MalformedMessageError, Message } from '../gateway/message.js';
import type { Disconnection } from './reconnecting-websocket.js';

/** State of the connection. `reason` is text for a log and contains no payload. */
export type StreamState =
  | { readonly state: 'connected' }
  | ({ readonly state: 'disconnected' } & Disconnection)
  | { readonly state: 'stopped' };

/** An error that leaves the state unchanged. `reason` is text for a log and contains no payload. */
export interface StreamFault {
  readonly reason: string;
  /** The error that the gateway reported; undefined for other faults. */
  readonly err?: ErrorDetail;
}

/** How the gateway delivers messages. */
export type StreamDelivery =
  /** Unacknowledged messages are repeated on the next connection. Not in document 002. */
  | {
      readonly mode: 'acknowledged';
      /** Name under which the offset of each channel is kept. Each subscriber needs its own. */
      readonly clientId: string;
      /**
       * Where a client id that the bus does not know begins: with what is sent from now on, with the oldest message that is kept, or at a
       * time. Default: the oldest message, but a later connection may choose another start. Not all gateways know it.
       */
      readonly from?: 'now' | 'oldest' | Date;
      /** Maximum number of unacknowledged messages. Default 100. */
      readonly window?: number;
      /** Channels to receive. Default: all that the gateway's identity may read. */
      readonly fqcn?: readonly string[];
    }
  /** Each message is sent once. The address has no query, which some gateways refuse. */
  | { readonly mode: 'plain' };

export interface GatewayStreamOptions {
  /** Address of the gateway, http(s) or ws(s), without `/events`. */
  readonly url: string;
  readonly username: string;
  /** A function returns the password of each connection, so that it can be rotated. */
  readonly password: string | (() => string);
  readonly delivery: StreamDelivery;
  /** Sub-protocol, as in the gateway's setting `EVENTS_PROTOCOL`. Default `dsb-messages`. */
  readonly protocol?: string;
  /** Receives messages in the order of each channel; `acknowledge` does nothing with plain delivery. An exception causes a reconnect. */
  readonly onMessages: (batch: Message[], acknowledge: (ids: string[]) => void) => void;
  readonly onState: (state: StreamState) => void;
  /** Called when the gateway reports an error, or a frame cannot be processed. */
  readonly onFault: (fault: StreamFault) => void;
  /** Called when messages were removed before this client received them. Default: `onFault`. */
  readonly onGap?: (missed: MissedMessages) => void;
  /**
   * Called for each message, and with plain delivery for each frame, that does not conform to document 002, which is left out. Default:
   * `onFault` and a reconnect.
   */
  readonly onMalformed?: (error: MalformedMessageError) => void;
  /** Called with the status when the gateway refuses a connection. The next attempt waits for the promise. */
  readonly onRefused?: (status: number) => Promise<void>;
  /** Interval of pings; the stream reconnects after two intervals without a frame. Milliseconds. Default 15 s. */
  readonly livenessMs?: number;
  /** Maximum delay between connection attempts, milliseconds. Default 10 s. */
  readonly maxDelayMs?: number;
  /** Certificates and proxy. */
  readonly connection?: ClientConnection;
}

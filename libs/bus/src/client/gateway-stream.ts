import { connectWebSocket } from '@ssb/net';
import { MAX_FRAME_BYTES } from '../broker/stream-api.js';
import {
  EVENTS_PATH,
  EVENTS_PROTOCOL,
  parseEventsFrame,
  type MissedMessages,
} from '../gateway/events-frame.js';
import { MalformedMessageError } from '../gateway/message.js';
import { basicAuthorization } from './basic-authorization.js';
import type { GatewayStreamOptions, StreamDelivery } from './gateway-stream-options.js';
import { ReconnectingWebSocket, type Handshake, type Send } from './reconnecting-websocket.js';

const LIVENESS_MS = 15_000;

/**
 * Receives messages from `/events` and reconnects until stopped. Acknowledged delivery is at least once; plain delivery loses what is sent
 * during an interruption.
 */
export class GatewayStream {
  private connection: ReconnectingWebSocket | undefined;

  constructor(private readonly options: GatewayStreamOptions) {}

  /** Connects, and reconnects until `stop`. Idempotent. */
  start(): void {
    if (this.connection) return;
    const { onState, onRefused, livenessMs = LIVENESS_MS, maxDelayMs } = this.options;
    this.connection = new ReconnectingWebSocket({
      handshake: (ended) => this.handshake(ended),
      livenessMs,
      maxDelayMs,
      onOpen: () => onState({ state: 'connected' }),
      onText: (text, send) => this.receive(text, send),
      ...(onRefused && { onRefused }),
      onDisconnected: (disconnection) => onState({ state: 'disconnected', ...disconnection }),
    });
    this.connection.start();
  }

  /** Reads no further messages until `resume`. The gateway keeps them, or disconnects a client that does not read. */
  pause(): void {
    this.connection?.pause();
  }

  resume(): void {
    this.connection?.resume();
  }

  /** Opens no more connections. An open one stays open, for acknowledgements. */
  stopRetrying(): void {
    this.connection?.stopRetrying();
  }

  /** Closes the connection. The last callback is `onState` with `stopped`. Idempotent. */
  async stop(): Promise<void> {
    const { connection } = this;
    if (!connection) return;
    this.connection = undefined;
    await connection.stop();
    this.options.onState({ state: 'stopped' });
  }

  /** Rethrows after a fault. A new connection then delivers unacknowledged messages again, in order. */
  private receive(text: string, send: Send): void {
    try {
      const frame = parseEventsFrame(text, { onMalformed: this.options.onMalformed });
      if (frame.kind === 'failed') {
        this.options.onFault({ reason: frame.err.reason, err: frame.err });
      } else if (frame.kind === 'gap') {
        this.reportGap(frame.gap);
      } else if (frame.kind === 'messages' && frame.messages.length > 0) {
        const { delivery, onMessages } = this.options;
        onMessages(frame.messages, (ids) => {
          if (delivery.mode === 'acknowledged' && ids.length > 0) send(JSON.stringify({ ack: ids }));
        });
      }
    } catch (error) {
      const { delivery, onMalformed } = this.options;
      if (delivery.mode === 'plain' && onMalformed && error instanceof MalformedMessageError)
        return onMalformed(error);
      this.options.onFault({ reason: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  private reportGap(missed: MissedMessages): void {
    const { onGap, onFault } = this.options;
    const { fqcn, after, upTo } = missed;
    if (onGap) onGap(missed);
    else onFault({ reason: `messages of ${fqcn} were missed, after ${after} up to ${upTo}` });
  }

  private handshake(ended: AbortSignal): Handshake {
    const { url, delivery, username, password, protocol } = this.options;
    const address = new URL(url.replace(/^http/, 'ws').replace(/\/+$/, '') + EVENTS_PATH);
    if (delivery.mode === 'acknowledged') addQuery(address, delivery);
    return {
      address,
      protocol: protocol ?? EVENTS_PROTOCOL,
      options: {
        headers: { authorization: basicAuthorization(username, password) },
        maxPayload: MAX_FRAME_BYTES,
        ...connectWebSocket(address, this.options.connection ?? {}, ended),
      },
    };
  }
}

function addQuery(
  { searchParams }: URL,
  { clientId, from, window = 100, fqcn = [] }: StreamDelivery & { mode: 'acknowledged' },
): void {
  searchParams.set('clientId', clientId);
  searchParams.set('ack', 'explicit');
  searchParams.set('window', String(window));
  searchParams.set('gaps', 'report');
  if (from !== undefined) searchParams.set('from', from instanceof Date ? from.toISOString() : from);
  for (const channel of fqcn) searchParams.append('fqcn', channel);
}

import { LARGEST_FRAME, ReconnectingWebSocket, STREAM_PATH, STREAM_PROTOCOL, streamFrame } from '@ssb/bus';
import type { StreamFrame, StreamRequest } from '@ssb/bus';
import type { Logger } from '@ssb/platform';
import { parseJson } from '../parse-json.js';
import type { ClientTlsContent } from '../tls/client-tls.js';

export interface BrokerConnectionOptions {
  /** Address of the broker, http(s). */
  readonly url: string;
  /** Certificates for the connection that is opened next. */
  readonly tls: () => ClientTlsContent;
  /** A bearer token that the broker takes; may reject, then the connection is tried again later. */
  readonly token: () => Promise<string>;
  /** The broker did not take this token. */
  readonly refused: (token: string) => Promise<void>;
  readonly livenessMs: number;
  readonly longestPauseMs: number;
  readonly log: Logger;
  readonly onOpen: () => void;
  readonly onFrame: (frame: StreamFrame) => void;
  readonly onDown: () => void;
}

/** One WebSocket to the broker for one identity. */
export class BrokerConnection {
  private readonly connection: ReconnectingWebSocket;
  private token = '';

  constructor(private readonly options: BrokerConnectionOptions) {
    const { url, tls, livenessMs, longestPauseMs: maxDelayMs, log } = options;
    this.connection = new ReconnectingWebSocket({
      handshake: async () => {
        this.token = await options.token();
        return {
          address: `${url.replace(/^http/, 'ws')}${STREAM_PATH}`,
          protocol: STREAM_PROTOCOL,
          options: {
            headers: { authorization: `Bearer ${this.token}` },
            maxPayload: LARGEST_FRAME,
            ...tls(),
          },
        };
      },
      livenessMs,
      maxDelayMs,
      onOpen: () => {
        log.info({ step: 'stream-connected' }, 'broker stream connected');
        options.onOpen();
      },
      onText: (text) => this.receive(text),
      onDisconnected: (disconnection) => {
        options.onDown();
        log.warn({ step: 'stream-down', ...disconnection }, 'broker stream is down');
      },
      onRefused: async (status) => {
        if (status === 401) await options.refused(this.token);
      },
    });
  }

  start(): void {
    this.connection.start();
  }

  /** Ends the delay before the next attempt. */
  hurry(): void {
    this.connection.retryNow();
  }

  stop(): void {
    void this.connection.stop();
  }

  /** Drops the request while there is no connection: a new connection subscribes anew and gets everything again. */
  send(request: StreamRequest): void {
    if (this.connection.open) this.connection.send(JSON.stringify(request));
  }

  private receive(text: string): void {
    const frame = streamFrame.safeParse(parseJson(text)).data;
    if (frame === undefined) this.options.log.warn('the broker sent a frame that is not understood');
    else this.options.onFrame(frame);
  }
}

import {
  MAX_FRAME_BYTES,
  ReconnectingWebSocket,
  STREAM_PATH,
  STREAM_PROTOCOL,
  type ReconnectingWebSocketOptions,
} from '@ssb/bus';
import type { Settings } from '../settings.js';
import type { BrokerTls } from '../tls/client-tls.js';

export interface BrokerSocketEvents extends Pick<
  ReconnectingWebSocketOptions,
  'onOpen' | 'onText' | 'onDisconnected'
> {
  /** The broker refused the bearer token of the handshake. */
  readonly onTokenRefused: (token: string) => Promise<void>;
}

/** The WebSocket of the broker's stream. Each attempt to connect gets a bearer token and the certificates in use. */
export function openBrokerSocket(
  settings: Settings,
  tls: BrokerTls,
  getToken: () => Promise<string>,
  { onTokenRefused, ...events }: BrokerSocketEvents,
): ReconnectingWebSocket {
  let token = '';
  return new ReconnectingWebSocket({
    handshake: async () => {
      token = await getToken();
      return {
        address: `${settings.BROKER_URL.replace(/^http/, 'ws')}${STREAM_PATH}`,
        protocol: STREAM_PROTOCOL,
        options: {
          headers: { authorization: `Bearer ${token}` },
          maxPayload: MAX_FRAME_BYTES,
          ...tls.current,
        },
      };
    },
    livenessMs: settings.BROKER_LIVENESS_MS,
    maxDelayMs: settings.BROKER_MAX_RETRY_DELAY_MS,
    onRefused: async (status) => {
      if (status === 401) await onTokenRefused(token);
    },
    ...events,
  });
}

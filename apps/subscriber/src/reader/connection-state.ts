import type { StreamState } from '@ssb/bus';
import type { DeliveryMode } from './delivery-detector.js';
import type { StreamOptions } from './message-stream.js';

/** State of the gateway's WebSocket, with its log lines. */
export class ConnectionState {
  private state: StreamState = { state: 'stopped' };

  constructor(
    private readonly mode: DeliveryMode,
    private readonly options: Pick<StreamOptions, 'settings' | 'log' | 'onConnection'>,
  ) {}

  get connected(): boolean {
    return this.state.state === 'connected';
  }

  change(state: StreamState): void {
    const { log, settings, onConnection } = this.options;
    const { mode } = this;
    if (state.state === 'connected')
      log.info({ gateway: settings.GATEWAY_URL, mode }, 'gateway stream connected');
    else if (state.state === 'stopped') log.info('gateway stream closed');
    else {
      const { reason, retryInMs } = state;
      log.warn({ state: state.state, reason, retryInMs }, 'gateway stream interrupted');
    }
    this.state = state;
    if (state.state !== 'stopped') onConnection(state.state === 'connected');
  }

  /** @throws Error with the reason when the stream is not connected */
  assertConnected(): void {
    if (this.connected) return;
    const reason = this.state.state === 'disconnected' ? `: ${this.state.reason}` : '';
    throw new Error(`The gateway stream (${this.mode} delivery) is not connected${reason}`);
  }
}

import { once } from 'node:events';
import { basicAuthorization, frameText, type GatewayStream, type StreamState } from '@ssb/bus';
import { WebSocket } from 'ws';
import { startRealBroker, type RealBroker } from './real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './running-gateway.js';

/** A reliable subscriber that keeps what it gets, and acknowledges at once unless told not to. */
export interface Listener {
  readonly stream: GatewayStream;
  readonly payloads: string[];
  readonly states: StreamState[];
  acknowledging: boolean;
}

/** A WebSocket by hand, with every frame it got. */
export interface PlainClient {
  readonly socket: WebSocket;
  readonly frames: unknown[];
}

/** The real broker, an enrolled gateway before it, and its clients. */
export class EventsBench {
  private readonly opened: (GatewayStream | WebSocket)[] = [];

  private constructor(
    readonly broker: RealBroker,
    readonly gateway: RunningGateway,
  ) {}

  static async set(settings: Readonly<Record<string, string>> = {}): Promise<EventsBench> {
    const broker = await startRealBroker();
    const gateway = await startGateway(broker.url, settings);
    await gateway.enrolNew(broker);
    return new EventsBench(broker, gateway);
  }

  listen(clientId: string, { window = 100, acknowledging = true } = {}): Listener {
    const payloads: string[] = [];
    const states: StreamState[] = [];
    const stream = this.gateway.stream({
      clientId,
      window,
      onMessages: (batch, acknowledge) => {
        payloads.push(...batch.map(({ payload }) => payload));
        if (listener.acknowledging) acknowledge(batch.map(({ id }) => id));
      },
      onState: (state) => states.push(state),
    });
    const listener: Listener = { stream, payloads, states, acknowledging };
    this.opened.push(stream);
    stream.start();
    return listener;
  }

  async plain(query = ''): Promise<PlainClient> {
    const socket = this.dial(`/events${query}`, 'dsb-messages');
    const frames: unknown[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(frameText(data))));
    await once(socket, 'open');
    return { socket, frames };
  }

  dial(path: string, protocol: string, authorization = basicAuthorization(USERNAME, PASSWORD)): WebSocket {
    const headers = authorization === '' ? {} : { authorization };
    const socket = new WebSocket(this.gateway.url.replace('http', 'ws') + path, protocol, { headers });
    this.opened.push(socket);
    return socket;
  }

  async send(fqcn: string, ...payloads: string[]): Promise<void> {
    for (const payload of payloads) await this.gateway.client.sendMessage({ fqcn, topic: 'free', payload });
  }

  /** Ends the clients of one test. */
  async clear(): Promise<void> {
    for (const each of this.opened.splice(0)) {
      if (each instanceof WebSocket) each.terminate();
      else await each.stop();
    }
  }

  async stop(): Promise<void> {
    await this.clear();
    await this.gateway.stop();
    await this.broker.stop();
  }
}

import { once } from 'node:events';
import {
  basicAuthorization,
  frameText,
  type GatewayStream,
  type StreamFault,
  type StreamState,
} from '@ssb/bus';
import { WebSocket } from 'ws';
import type { RealBroker } from './real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './running-gateway.js';

/** A subscriber with ack=explicit that records what it receives, and acknowledges it while `acknowledging` is set. */
export interface Subscriber {
  readonly stream: GatewayStream;
  readonly payloads: string[];
  readonly states: StreamState[];
  readonly faults: StreamFault[];
  acknowledging: boolean;
}

/** A plain WebSocket that records every frame. */
export interface RawClient {
  readonly socket: WebSocket;
  readonly frames: unknown[];
}

/** The payloads that a client received, in order. @param fqcn of one channel; default: of all */
export function getPayloads({ frames }: RawClient, fqcn?: string): string[] {
  const messages = frames.flat() as { fqcn?: string; payload?: string }[];
  return messages.flatMap((each) => (fqcn === undefined || each.fqcn === fqcn ? (each.payload ?? []) : []));
}

/** An enrolled gateway and its clients. */
export class EventsFixture {
  private readonly opened: (GatewayStream | WebSocket)[] = [];

  private constructor(readonly gateway: RunningGateway) {}

  static async start(
    broker: RealBroker,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<EventsFixture> {
    const gateway = await startGateway(broker.url, settings);
    await gateway.enrolNewIdentity(broker);
    return new EventsFixture(gateway);
  }

  /** @param options.fqcn channels to receive; default: all */
  subscribe(
    clientId: string,
    {
      window = 100,
      acknowledging = true,
      fqcn = [],
      from = 'oldest',
    }: {
      window?: number;
      acknowledging?: boolean;
      fqcn?: readonly string[];
      from?: 'now' | 'oldest' | Date;
    } = {},
  ): Subscriber {
    const payloads: string[] = [];
    const states: StreamState[] = [];
    const faults: StreamFault[] = [];
    const stream = this.gateway.stream({
      delivery: { mode: 'acknowledged', clientId, window, fqcn, from },
      onMessages: (batch, acknowledge) => {
        payloads.push(...batch.map(({ payload }) => payload));
        if (subscriber.acknowledging) acknowledge(batch.map(({ id }) => id));
      },
      onState: (state) => states.push(state),
      onFault: (fault) => faults.push(fault),
    });
    const subscriber: Subscriber = { stream, payloads, states, faults, acknowledging };
    this.opened.push(stream);
    stream.start();
    return subscriber;
  }

  async connect(query = ''): Promise<RawClient> {
    const socket = this.openSocket(`/events${query}`, 'dsb-messages');
    const frames: unknown[] = [];
    socket.on('message', (data) => frames.push(JSON.parse(frameText(data))));
    await once(socket, 'open');
    return { socket, frames };
  }

  openSocket(
    path: string,
    protocol: string,
    authorization = basicAuthorization(USERNAME, PASSWORD),
  ): WebSocket {
    const headers = authorization === '' ? {} : { authorization };
    const socket = new WebSocket(this.gateway.url.replace('http', 'ws') + path, protocol, { headers });
    this.opened.push(socket);
    return socket;
  }

  async send(fqcn: string, ...payloads: string[]): Promise<void> {
    for (const payload of payloads) await this.gateway.client.sendMessage({ fqcn, topic: 'free', payload });
  }

  /** Disconnects the clients of one test. */
  async disconnectAll(): Promise<void> {
    for (const each of this.opened.splice(0)) {
      if (each instanceof WebSocket) each.terminate();
      else await each.stop();
    }
  }

  async stop(): Promise<void> {
    await this.disconnectAll();
    await this.gateway.stop();
  }
}

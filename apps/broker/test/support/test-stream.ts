import { once } from 'node:events';
import {
  streamFrame,
  STREAM_PATH,
  STREAM_PROTOCOL,
  type BusMessage,
  type StreamFrame,
  type StreamRequest,
} from '@ssb/bus';
import { WebSocket } from 'ws';
import { waitFor } from '@ssb/testing';
import type { Client } from './client.js';

type Frame<K extends StreamFrame['type']> = Extract<StreamFrame, { type: K }>;

/** A gateway's stream that records every frame. */
export class TestStream {
  readonly frames: StreamFrame[] = [];

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.frames.push(streamFrame.parse(JSON.parse(data.toString()))));
  }

  static async open(url: string, token: string): Promise<TestStream> {
    const socket = new WebSocket(url.replace('http', 'ws') + STREAM_PATH, STREAM_PROTOCOL, {
      headers: { authorization: `Bearer ${token}` },
    });
    const stream = new TestStream(socket);
    await once(socket, 'open');
    return stream;
  }

  send(request: StreamRequest): void {
    this.socket.send(JSON.stringify(request));
  }

  /** Subscribes and waits for the response. */
  async subscribe(
    fqcn: string[] | undefined,
    more: { window?: number; clientId?: string; gaps?: boolean; from?: string } = {},
  ): Promise<void> {
    const { window = 100, clientId = 'test', ...rest } = more;
    this.send({ type: 'subscribe', subscription: 's', clientId, ...(fqcn && { fqcn }), window, ...rest });
    await this.next('subscribed');
  }

  of<K extends StreamFrame['type']>(type: K): Frame<K>[] {
    return this.frames.filter((frame): frame is Frame<K> => frame.type === type);
  }

  get messages(): BusMessage[] {
    return this.of('messages').flatMap(({ messages }) => messages);
  }

  get payloads(): string[] {
    return this.messages.map(({ payload }) => payload);
  }

  /** Waits for the n-th frame of a kind, counted from one. */
  async next<K extends StreamFrame['type']>(type: K, count = 1): Promise<Frame<K>> {
    const frames = await waitFor('frames of this type', () => {
      const all = this.of(type);
      return all.length >= count && all;
    });
    const frame = frames[count - 1];
    if (!frame) throw new Error(`no ${type} frame`);
    return frame;
  }

  async received(payloads: readonly string[]): Promise<void> {
    await waitFor('payloads', () => this.payloads.length >= payloads.length);
  }

  acknowledge(...messages: BusMessage[]): void {
    for (const { fqcn, id } of messages) this.send({ type: 'ack', subscription: 's', fqcn, ids: [id] });
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    const closed = once(this.socket, 'close');
    this.socket.close();
    await closed;
  }
}

/** Opens streams, and closes them after each test of the surrounding block. */
export function useStreams(): (client: Client) => Promise<TestStream> {
  let streams: TestStream[] = [];

  afterEach(async () => {
    await Promise.all(streams.map((stream) => stream.close()));
    streams = [];
  });

  return async (client) => {
    const stream = await TestStream.open(client.url, client.token);
    streams.push(stream);
    return stream;
  };
}

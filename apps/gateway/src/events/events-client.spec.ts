import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BusMessage } from '@ssb/bus';
import { createLogger } from '@ssb/platform';
import { WebSocket, WebSocketServer } from 'ws';
import type { SubscriptionHandler } from '../broker/broker-stream.js';
import { readEventsMode } from '../domain/events-query.js';
import { eventually } from '../testing/eventually.js';
import { EventsClient } from './events-client.js';
import { OutgoingBudget } from './outgoing-budget.js';

/** Real WebSockets; the broker's side is by hand, so that what waits for a socket can be as much as is wanted. */
let server: WebSocketServer;

beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
});

afterAll(async () => {
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

/** A client that is served out of a budget, and what delivers to it. */
async function served(outgoing: OutgoingBudget) {
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(socket, 'open')])) as [
    [WebSocket],
    unknown,
  ];
  const verdict = readEventsMode(new URLSearchParams('clientId=a'));
  if (!verdict.ok) throw new Error(verdict.reason);
  const handlers: SubscriptionHandler[] = [];
  const acknowledged: string[] = [];
  new EventsClient(accepted, verdict.mode, {
    send: () => Promise.reject(new Error('nothing is sent here')),
    subscribe: (handler) => {
      handlers.push(handler);
      return { acknowledge: (_fqcn, ids) => void acknowledged.push(...ids), end: () => undefined };
    },
    delivered: () => undefined,
    missed: () => undefined,
    outgoing,
    log: createLogger({ name: 'test', level: 'silent', format: 'json' }),
  });
  const rest = { fqcn: 'c', topic: 't', signature: '', sender: '', timestampNanos: '1' };
  const deliver = (id: string, payload: string): void =>
    handlers[0]?.messages([{ ...rest, id, payload } satisfies BusMessage]);
  return { socket, deliver, acknowledged };
}

it('is cut off when more bytes wait for it than for all may wait; what it did not take is not acknowledged', async () => {
  const outgoing = new OutgoingBudget(2_000);
  const [modest, greedy] = [await served(outgoing), await served(outgoing)];
  const closed = once(greedy.socket, 'close');
  const got = once(modest.socket, 'message');
  modest.deliver('1', 'small');
  greedy.deliver('2', 'x'.repeat(2_000));
  expect((await closed)[0]).toBe(1006);
  expect(String((await got)[0])).toContain('small');
  // There is room again for the other.
  const more = once(modest.socket, 'message');
  modest.deliver('3', 'x'.repeat(1_500));
  expect(String((await more)[0])).toContain('"id":"3"');
  await eventually('it counts as received', () => modest.acknowledged.includes('1'));
  expect(greedy.acknowledged).toEqual([]);
});

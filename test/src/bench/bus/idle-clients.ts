import { once } from 'node:events';
import { EVENTS_PATH, EVENTS_PROTOCOL } from '@ssb/bus';
import { GATEWAY_USER } from '@ssb/tools';
import { WebSocket } from 'ws';
import type { BusGateway } from '../../harness/running-bus.js';
import { memoryOf, type Memory } from '../process-usage.js';

const AT_ONCE = 50;

export interface IdleClients {
  readonly gateway: string;
  readonly clients: number;
  readonly before: Memory;
  readonly with: Memory;
}

/** The gateway's memory with so many WebSocket clients that are connected and silent, and without them before. */
export async function idleClients(gateway: BusGateway, count: number): Promise<IdleClients> {
  const before = memory(gateway);
  const sockets: WebSocket[] = [];
  try {
    while (sockets.length < count) {
      const group = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, (_, at) =>
        connect(gateway, `idle-${sockets.length + at}`),
      );
      sockets.push(...group);
      await Promise.all(group.map((socket) => once(socket, 'open')));
    }
    return { gateway: gateway.name, clients: count, before, with: memory(gateway) };
  } finally {
    for (const socket of sockets) socket.terminate();
  }
}

function connect({ url, password }: BusGateway, clientId: string): WebSocket {
  const address = `${url.replace('http', 'ws')}${EVENTS_PATH}?clientId=${clientId}`;
  return new WebSocket(address, EVENTS_PROTOCOL, { auth: `${GATEWAY_USER}:${password}` });
}

function memory({ name, process }: BusGateway): Memory {
  const [found] = memoryOf([{ name, pid: process.pid }]);
  if (found === undefined) throw new RangeError(`${name} does not run`);
  return found;
}

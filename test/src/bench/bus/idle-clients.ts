import { once } from 'node:events';
import { EVENTS_PATH, EVENTS_PROTOCOL } from '@ssb/bus';
import { GATEWAY_USER } from '@ssb/tools';
import { WebSocket } from 'ws';
import type { BusGateway } from '../../harness/running-bus.js';
import { type MemoryUsage, readMemoryUsage } from '../process-usage.js';

const CONNECT_BATCH_SIZE = 50;

export interface IdleClients {
  readonly gateway: string;
  readonly clients: number;
  readonly before: MemoryUsage;
  readonly with: MemoryUsage;
}

/** Memory of the gateway before and with `count` idle WebSocket clients. */
export async function measureIdleClients(gateway: BusGateway, count: number): Promise<IdleClients> {
  const before = readMemory(gateway);
  const sockets: WebSocket[] = [];
  try {
    while (sockets.length < count) {
      const batch = Array.from({ length: Math.min(CONNECT_BATCH_SIZE, count - sockets.length) }, (_, index) =>
        connect(gateway, `idle-${sockets.length + index}`),
      );
      sockets.push(...batch);
      await Promise.all(batch.map((socket) => once(socket, 'open')));
    }
    return { gateway: gateway.name, clients: count, before, with: readMemory(gateway) };
  } finally {
    for (const socket of sockets) socket.terminate();
  }
}

function connect({ url, password }: BusGateway, clientId: string): WebSocket {
  const address = `${url.replace('http', 'ws')}${EVENTS_PATH}?clientId=${clientId}`;
  return new WebSocket(address, EVENTS_PROTOCOL, { auth: `${GATEWAY_USER}:${password}` });
}

function readMemory({ name, process }: BusGateway): MemoryUsage {
  const [memory] = readMemoryUsage([{ name, pid: process.pid }]);
  if (memory === undefined) throw new RangeError(`${name} does not run`);
  return memory;
}

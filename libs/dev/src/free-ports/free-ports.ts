import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** All ports are below those of outgoing connections on Linux (32768 and up), which could take one before its server listens. */
const MIN_PORT = 20_000;
const BLOCKS = 750;
/** The first port is the claim, the others are given out. */
const BLOCK_SIZE = 16;
const MAX_PORTS = BLOCK_SIZE - 1;

/** Every block of ports is claimed, or has a listener. */
export class NoFreePortsError extends Error {
  override readonly name = 'NoFreePortsError';

  constructor() {
    super(`No block of free ports was found between ${MIN_PORT} and ${MIN_PORT + BLOCKS * BLOCK_SIZE - 1}.`);
  }
}

/** Ports of the claimed block that were not given out yet. */
let unused: Promise<readonly number[]> = Promise.resolve([]);

/** One port of `freePorts`. */
export function freePort(): Promise<number> {
  const available = unused.then((ports) => (ports.length > 0 ? ports : freePorts(MAX_PORTS)));
  unused = available.then(
    (ports) => ports.slice(1),
    () => [],
  );
  return available.then(([port = 0]) => port);
}

/**
 * Unused ports of loopback. Their servers listen later, and again after a crash, so this process claims the whole block until it ends:
 * it listens on the block's first port.
 * @param count 1 to 15
 * @throws NoFreePortsError
 */
export async function freePorts(count: number): Promise<number[]> {
  if (count > MAX_PORTS)
    throw new RangeError(`freePorts gives at most ${MAX_PORTS} ports, but ${count} were requested.`);
  const from = Math.floor(Math.random() * BLOCKS);
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const claim = MIN_PORT + ((from + tried) % BLOCKS) * BLOCK_SIZE;
    const ports = Array.from({ length: count }, (_, index) => claim + 1 + index);
    if (await claimBlock(claim, ports)) return ports;
  }
  throw new NoFreePortsError();
}

/** @returns whether this process has the claim and the ports have no listener, such as the servers of a killed starter */
async function claimBlock(claim: number, ports: readonly number[]): Promise<boolean> {
  const server = await tryListen(claim);
  if (server === undefined) return false;
  server.unref();
  for (const port of ports) {
    const probe = await tryListen(port);
    if (probe === undefined) {
      server.close();
      return false;
    }
    probe.close();
    await once(probe, 'close');
  }
  return true;
}

/** A server on a port of loopback that closes every connection; undefined when the port is taken. */
export async function tryListen(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

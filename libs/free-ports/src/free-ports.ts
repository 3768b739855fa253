import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** Below the ports that Linux gives to outgoing connections (32768 and up), which could take one before its server listens. */
const MIN_PORT = 20_000;
const BLOCKS = 750;
/** One port for the claim, the others to give. */
const BLOCK_SIZE = 16;
const PORTS_OF_BLOCK = BLOCK_SIZE - 1;

/** Every block of ports is claimed, or something listens in it. */
export class NoFreePortsError extends Error {
  override readonly name = 'NoFreePortsError';

  constructor() {
    super(`No block of free ports was found between ${MIN_PORT} and ${MIN_PORT + BLOCKS * BLOCK_SIZE - 1}.`);
  }
}

/** Ports of the claimed block that were not given yet. */
let rest: Promise<readonly number[]> = Promise.resolve([]);

/** One port, as `freePorts` gives them. */
export function freePort(): Promise<number> {
  const taken = rest.then((ports) => (ports.length > 0 ? ports : freePorts(PORTS_OF_BLOCK)));
  rest = taken.then(
    (ports) => ports.slice(1),
    () => [],
  );
  return taken.then(([port = 0]) => port);
}

/**
 * Ports of loopback that nothing uses at the moment. Their servers listen only later, and again after a crash, so the whole block is
 * claimed until this process ends: this process listens on the block's first port.
 * @param count at most 15
 * @throws NoFreePortsError
 */
export async function freePorts(count: number): Promise<number[]> {
  if (count > PORTS_OF_BLOCK)
    throw new RangeError(`At most ${PORTS_OF_BLOCK} ports, but ${count} are asked for.`);
  const from = Math.floor(Math.random() * BLOCKS);
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const claim = MIN_PORT + ((from + tried) % BLOCKS) * BLOCK_SIZE;
    const ports = Array.from({ length: count }, (_, index) => claim + 1 + index);
    if (await claimBlock(claim, ports)) return ports;
  }
  throw new NoFreePortsError();
}

/** @returns whether the claim is ours and nothing listens on the ports, as the servers of a killed starter do for a moment */
async function claimBlock(claim: number, ports: readonly number[]): Promise<boolean> {
  const server = await listensOn(claim);
  if (server === undefined) return false;
  server.unref();
  for (const port of ports) {
    const own = await listensOn(port);
    if (own === undefined) {
      server.close();
      return false;
    }
    own.close();
    await once(own, 'close');
  }
  return true;
}

/** A server on a port of loopback that closes every connection; undefined when the port is taken. */
export async function listensOn(port: number): Promise<Server | undefined> {
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

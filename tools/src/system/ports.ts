import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { STANDARD_PORTS, type Ports } from './layout.js';

/** A port that we need is taken. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(readonly taken: readonly string[]) {
    super(
      `In use already: ${taken.join(', ')}. Stop what listens there (an earlier npm start?), then start again; ` +
        'npm run demo uses free ports and runs beside anything.',
    );
  }
}

/** @throws PortInUseError naming every port that cannot be listened on */
export async function checkPorts(ports: Ports): Promise<void> {
  const taken: string[] = [];
  for (const [name, port] of Object.entries(ports))
    if (!(await isFree(port))) taken.push(`port ${port} (${name})`);
  if (taken.length > 0) throw new PortInUseError(taken);
}

async function isFree(port: number): Promise<boolean> {
  const server = await listensOn(port);
  if (server === undefined) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Below the ports that Linux gives to outgoing connections (32768 and up), which could take one before its app listens. */
const MIN_PORT = 20_000;
const BLOCKS = 750;
/** One port for the claim, the others for the apps, and some to spare. */
const BLOCK_SIZE = 16;

/** Every block of ports is claimed, or something listens in it. */
export class NoFreePortsError extends Error {
  override readonly name = 'NoFreePortsError';

  constructor() {
    super(`No block of free ports was found between ${MIN_PORT} and ${MIN_PORT + BLOCKS * BLOCK_SIZE - 1}.`);
  }
}

/**
 * Ports that nothing uses at the moment, for a system beside others. Its apps listen only seconds later, and again after a crash, so the
 * whole block is claimed until this process ends: this process listens on the block's first port.
 * @throws NoFreePortsError
 */
export async function freePorts(): Promise<Ports> {
  const names = Object.keys(STANDARD_PORTS) as (keyof Ports)[];
  const from = Math.floor(Math.random() * BLOCKS);
  for (let tried = 0; tried < BLOCKS; tried += 1) {
    const claim = MIN_PORT + ((from + tried) % BLOCKS) * BLOCK_SIZE;
    const ports = names.map((name, index) => [name, claim + 1 + index] as const);
    if (
      await claimBlock(
        claim,
        ports.map(([, port]) => port),
      )
    )
      return Object.fromEntries(ports) as Ports;
  }
  throw new NoFreePortsError();
}

/** @returns whether the claim is ours and nothing listens on the ports, as the apps of a killed starter do for a moment */
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

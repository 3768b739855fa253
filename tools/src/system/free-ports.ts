import { once } from 'node:events';
import { listensOn } from './listens-on.js';
import { STANDARD_PORTS, type Ports } from './layout.js';

/** Below the ports that Linux gives to outgoing connections (32768 and up), which could take one before its app listens. */
const LOWEST = 20_000;
const BLOCKS = 750;
/** One port for the claim, the others for the apps, and some to spare. */
const BLOCK_SIZE = 16;

/** Every block of ports is claimed, or something listens in it. */
export class NoFreePortsError extends Error {
  override readonly name = 'NoFreePortsError';

  constructor() {
    super(`No block of free ports was found between ${LOWEST} and ${LOWEST + BLOCKS * BLOCK_SIZE - 1}.`);
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
    const claim = LOWEST + ((from + tried) % BLOCKS) * BLOCK_SIZE;
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

import { once } from 'node:events';
import { freePorts, tryListen } from '@ssb/free-ports';
import { STANDARD_PORTS, type Ports } from './processes.js';

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
  const server = await tryListen(port);
  if (server === undefined) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** Free ports for a system beside others, until this process ends. */
export async function freeSystemPorts(): Promise<Ports> {
  const names = Object.keys(STANDARD_PORTS) as (keyof Ports)[];
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as unknown as Ports;
}

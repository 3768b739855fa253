import { once } from 'node:events';
import type { Ports } from './layout.js';
import { listensOn } from './listens-on.js';

/** A port that we need is taken by somebody else. */
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

import { freePorts, tryListen } from '@ssb/dev/free-ports';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const REPOSITORY_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The processes of a whole system, in the order in which they start. */
export const PROCESSES = [
  'token',
  'reporting',
  'broker',
  'gateway-publisher',
  'gateway-subscriber',
  'subscriber',
  'bus-publisher',
  'poller',
  'api',
  'simulator',
] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** Folder under `apps/` of each process. */
export const APP_BY_PROCESS: Readonly<Record<ProcessName, string>> = {
  token: 'token',
  reporting: 'reporting',
  broker: 'broker',
  'gateway-publisher': 'gateway',
  'gateway-subscriber': 'gateway',
  subscriber: 'subscriber',
  'bus-publisher': 'bus-publisher',
  poller: 'poller',
  api: 'api',
  simulator: 'simulator',
};

/** The processes that serve an interface, and so have a management port. */
export type InterfaceProcess = Extract<
  ProcessName,
  'token' | 'reporting' | 'broker' | 'gateway-publisher' | 'gateway-subscriber' | 'api'
>;

/** TCP ports on loopback. `operator` is the operator API of reporting, `token-admin` the admin API of the token service. */
export type Ports = Readonly<
  Record<ProcessName | 'operator' | 'token-admin' | `${InterfaceProcess}-management`, number>
>;

export const STANDARD_PORTS: Ports = {
  token: 4001,
  reporting: 4002,
  broker: 4003,
  operator: 4004,
  simulator: 4005,
  'token-admin': 4006,
  'gateway-publisher': 4011,
  'gateway-subscriber': 4012,
  poller: 4021,
  'bus-publisher': 4022,
  subscriber: 4023,
  api: 4030,
  'token-management': 5001,
  'reporting-management': 5002,
  'broker-management': 5003,
  'gateway-publisher-management': 5011,
  'gateway-subscriber-management': 5012,
  'api-management': 5030,
};

/** Another process listens on a port of the system. */
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

/** Free ports for a system beside others, reserved until this process ends. */
export async function reserveSystemPorts(): Promise<Ports> {
  const names = Object.keys(STANDARD_PORTS) as (keyof Ports)[];
  // One call reserves at most 15 ports.
  const half = Math.ceil(names.length / 2);
  const ports = [...(await freePorts(half)), ...(await freePorts(names.length - half))];
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as unknown as Ports;
}

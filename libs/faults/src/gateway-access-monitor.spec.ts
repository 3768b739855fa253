import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { waitFor } from '@ssb/testing/in-process';
import { GatewayAccessMonitor } from './gateway-access-monitor.js';

const OLD = 'old.channels.a.apps.b.iam.c';
const NEW = 'new.channels.a.apps.b.iam.c';

let server: Server;
let monitor: GatewayAccessMonitor;
let channels: readonly string[];
let requests: string[];
let faults: string[];
/** The gateway responds once it has resolved. */
let mayRespond: Promise<void>;

/** A gateway that lists the new channel. */
beforeEach(async () => {
  [requests, faults, channels, mayRespond] = [[], [], [OLD], Promise.resolve()];
  server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const body = path.includes('health') ? { status: 'ok' } : path.includes('channel') ? [{ fqcn: NEW }] : {};
    void mayRespond.then(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  monitor = new GatewayAccessMonitor({
    gateway: { baseUrl: `http://127.0.0.1:${port}`, username: 'user', password: () => 'password' },
    required: () => ({ channels, permission: 'publish' }),
    intervalMs: 3_600_000,
    faults: {
      raise: ({ channel = '' }) => faults.push(`raised ${channel}`),
      clear: ({ channel }) => channel !== undefined && faults.push(`cleared ${channel}`),
      forget: ({ channel }) => faults.push(`forgotten ${channel}`),
    },
  });
});
afterEach(async () => {
  await monitor.stop();
  await new Promise((resolve) => server.close(resolve));
});

it('a check that runs while the channels change is ignored, and repeated at once', async () => {
  let respond: () => void = () => undefined;
  mayRespond = new Promise((resolve) => (respond = resolve));
  monitor.start();
  await waitFor('the check', () => requests.length === 1);
  channels = [NEW];
  monitor.requirementsChanged();
  respond();
  await waitFor('the check of the new channel', () => faults.includes(`cleared ${NEW}`));
  expect(faults).toEqual([`forgotten ${OLD}`, `cleared ${NEW}`]);
  expect(() => monitor.assertAccess()).not.toThrow();
});

it('the problem of a channel that is not needed any more ends', async () => {
  monitor.start();
  await waitFor('the problem', () => faults.includes(`raised ${OLD}`));
  expect(() => monitor.assertAccess()).toThrow(`does not list the channel ${OLD}`);
  channels = [NEW];
  monitor.requirementsChanged();
  await waitFor('the check of the new channel', () => faults.includes(`cleared ${NEW}`));
  expect(faults).toEqual([`raised ${OLD}`, `forgotten ${OLD}`, `cleared ${NEW}`]);
  expect(() => monitor.assertAccess()).not.toThrow();
});

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FaultReporter } from '@ssb/faults';
import { createLogger } from '@ssb/platform';
import { waitFor } from '@ssb/testing/in-process';
import { SubscriberWatch } from './subscriber-watch.js';

const log = createLogger({ name: 'poller', level: 'silent', format: 'json' });

let server: Server;
let url: string;
let respond: (request: IncomingMessage) => { status: number; body: string };
let reports: string[];
let watch: SubscriberWatch;

const heartbeatAt = (at: Date | null) => ({
  status: 200,
  body: JSON.stringify({ newest: at, heartbeats: [] }),
});

beforeEach(async () => {
  server = createServer((request, response) => {
    const { status, body } = respond(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  reports = [];
  const faults: Pick<FaultReporter, 'raise' | 'clear'> = {
    raise: ({ reason, detail }) => reports.push(`${reason}: ${detail}`),
    clear: ({ reason }) => reports.push(`end of ${reason}`),
  };
  watch = new SubscriberWatch({
    settings: {
      SUBSCRIBER_URL: `${url}/prefix/`,
      SUBSCRIBER_TOKEN_FILE: undefined,
      HEARTBEAT_INTERVAL_MS: 60_000,
    },
    connection: {},
    faults,
    log,
    intervalMs: 20,
    limits: { responseMs: 100 },
  });
});
afterEach(async () => {
  await watch.stop();
  server.closeAllConnections();
  server.close();
});

it('a subscriber that stops to respond is reported, and its next heartbeat ends that', async () => {
  const paths: (string | undefined)[] = [];
  respond = ({ url: path }) => {
    paths.push(path);
    return heartbeatAt(new Date());
  };
  watch.start();
  await waitFor('a heartbeat', () => reports.includes('end of subscriber-silent'));
  expect(paths[0]).toBe('/prefix/heartbeats');
  respond = () => ({ status: 503, body: '{}' });
  reports.length = 0;
  // A request before the change may still report its end.
  const report = await waitFor('the report', () => reports.find((text) => !text.startsWith('end of')));
  expect(report).toMatch(/^subscriber-silent: The subscriber has not responded since \S+: status 503\.$/);
  respond = () => heartbeatAt(new Date());
  reports.length = 0;
  await waitFor('the end', () => reports.includes('end of subscriber-silent'));
});

it.each(['not JSON', '{}', '{"newest":"yesterday"}'])(
  'the response %s is not that of a subscriber',
  async (body) => {
    respond = () => ({ status: 200, body });
    watch.start();
    await waitFor('the report', () => reports.length > 0);
    expect(reports[0]).toMatch(/^subscriber-silent: The subscriber has not responded since/);
  },
);

it('a subscriber that does not respond in time is reported as such', async () => {
  server.removeAllListeners('request');
  watch.start();
  await waitFor('the report', () => reports.length > 0);
  expect(reports[0]).toMatch(
    /^subscriber-silent: The subscriber has not responded since \S+: (timeout|UND_ERR_HEADERS_TIMEOUT)\.$/,
  );
});

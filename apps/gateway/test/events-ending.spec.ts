import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basicAuthorization, CLOSE_REFUSED, frameText } from '@ssb/bus';
import { WebSocket } from 'ws';
import { waitFor } from '@ssb/testing';
import { startRealBroker, type RealBroker } from './support/real-broker.js';
import { PASSWORD, startGateway, USERNAME, type RunningGateway } from './support/running-gateway.js';
import { FORWARD, startBrokerProxy, type BrokerProxy } from './support/broker-proxy.js';

/** Gateway, WebSocket, broker and Redis are real. A proxy delays messages on their way to the broker. */
let broker: RealBroker;
let proxy: BrokerProxy;
let gateway: RunningGateway;
let stopped: boolean;
let folder: string;
let fqcn: string;

beforeAll(async () => {
  broker = await startRealBroker();
  proxy = await startBrokerProxy(broker.url);
  folder = mkdtempSync(join(tmpdir(), 'gateway-ending-'));
});

beforeEach(async () => {
  writeUsers('open', 'gone');
  gateway = await startGateway(proxy.url, {
    USERS_FILE: join(folder, 'users.yaml'),
    TLS_RELOAD_INTERVAL_MS: '50',
    BROKER_TIMEOUT_MS: '5000',
  });
  stopped = false;
  await gateway.enrolNewIdentity(broker);
  fqcn = await broker.createChannel();
  proxy.requests.length = 0;
});

afterEach(async () => {
  proxy.intercept = FORWARD;
  if (!stopped) await stop();
});

afterAll(async () => {
  await proxy?.stop();
  await broker?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function stop(): Promise<void> {
  stopped = true;
  await gateway.stop();
}

function writeUsers(...names: string[]): void {
  const users = names.map((name) => `  - { name: ${name}, password: "of ${name}", rights: [messages] }\n`);
  writeFileSync(join(folder, 'users.yaml'), `users:${users.length > 0 ? '\n' : ' []'}${users.join('')}`);
}

async function connect(name: string, password: string): Promise<WebSocket> {
  const headers = { authorization: basicAuthorization(name, password) };
  const address = `${gateway.url.replace('http', 'ws')}/events?fqcn=none`;
  const socket = new WebSocket(address, 'dsb-messages', { headers });
  await once(socket, 'open');
  return socket;
}

const toFrame = (...payloads: string[]): string =>
  JSON.stringify(payloads.map((payload) => ({ fqcn, topic: 'free', payload, transactionId: payload })));

/** Payloads that the gateway sent to the broker. */
function getSent(): Set<string | undefined> {
  const bodies = proxy.requests.map(({ body }) => JSON.stringify(body) ?? '');
  const found = bodies.flatMap((body) => [...body.matchAll(/"payload":"(\d+)"/g)]);
  return new Set(found.map(([, payload]) => payload));
}

it('sends nothing more of a removed user, whether its socket is still open or not', async () => {
  let release = (): void => undefined;
  const held = new Promise<'forward'>((resolve) => (release = () => resolve('forward')));
  proxy.intercept = ({ path }) => (path.startsWith('/message') ? held : Promise.resolve('forward'));
  const [open, gone] = [await connect('open', 'of open'), await connect('gone', 'of gone')];
  open.send(toFrame('101', '102', '103'));
  gone.send(toFrame('201', '202', '203'));
  await waitFor('the first of each is being sent', () => getSent().has('101') && getSent().has('201'));
  gone.close();
  await once(gone, 'close');
  const closed = once(open, 'close');
  writeUsers('another');
  expect((await closed)[0]).toBe(CLOSE_REFUSED);
  release();
  await gateway.client.sendMessage({ fqcn, topic: 'free', payload: '301' });
  await stop();
  expect(getSent()).toEqual(new Set(['101', '201', '301']));
});

it('stops without sending all waiting messages, and reports those that were not sent', async () => {
  proxy.intercept = async ({ path }) =>
    path.startsWith('/message') ? new Promise(() => undefined) : 'forward';
  const socket = await connect(USERNAME, PASSWORD);
  const frames: { transactionId: string; err: { code: string; reason: string } }[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(frameText(data)) as (typeof frames)[number]));
  const ids = Array.from({ length: 20 }, (_, n) => String(100 + n));
  socket.send(toFrame(...ids));
  await waitFor('the first is being sent', () => getSent().size > 0);
  const closed = once(socket, 'close');
  await stop();
  expect((await closed)[0]).toBe(1001);
  expect(frames.map(({ transactionId }) => transactionId)).toEqual(ids);
  expect(new Set(frames.map(({ err }) => err.code))).toEqual(new Set(['BUS::REQUEST_FAILED']));
  expect(frames.at(-1)?.err.reason).toBe('The gateway is stopping.');
  expect(getSent().has('119')).toBe(false);
});

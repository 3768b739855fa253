import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { frameText, MAX_FRAME_BYTES, type StreamRequest } from '@ssb/bus';
import { generatePrivateKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { request } from 'undici';
import { MAX_IN_FLIGHT_PER_CHANNEL } from '../src/messages/batch-scheduler.js';
import { call, type CallResponse } from './support/http-call.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';
import { afterLogin, respondJson, startStubBroker, type StubBroker } from './support/stub-broker.js';

/** A faulty broker, or another server in its place. */
let broker: StubBroker;
let gateway: RunningGateway;

beforeAll(async () => {
  broker = await startStubBroker();
  gateway = await startGateway(broker.url, { BROKER_LIVENESS_MS: '60000' });
  broker.respond = afterLogin((_request, response) => respondJson(response, 404, {}));
  await gateway.client.setIdentity(generatePrivateKey().toHex());
});

afterAll(async () => {
  await gateway?.stop();
  await broker?.stop();
});

describe('the stream', () => {
  it('is closed by a frame above the limit, connects again, and accepts the largest page', async () => {
    const first = await waitFor('connected', () => broker.streams[0]);
    const closed = once(first, 'close');
    // RFC 6455 §5.2: a final frame of text with a length of 64 bits. Its payload need not follow.
    const head = Buffer.from([0x81, 127, ...new Array<number>(8).fill(0)]);
    head.writeBigUInt64BE(BigInt(MAX_FRAME_BYTES + 1), 2);
    (first as unknown as { readonly _socket: Socket })._socket.write(head);
    // RFC 6455 §7.4.1: too big to process.
    expect((await closed)[0]).toBe(1009);
    const second = await waitFor('connected again', () => broker.streams[1]);
    const claim = { type: 'claim', role: 'a role of this test', state: 'APPROVED' };
    // 8 MiB of payload, whose bytes may take two each in JSON.
    second.send(JSON.stringify(claim).padEnd(16 * 1_048_576, ' '));
    await waitFor('the frame is accepted', () => gateway.logged().includes(claim.role));
  });

  it('requests a subscription once when its claim is approved before the broker responds', async () => {
    const socket = broker.streams.at(-1);
    const requests: string[] = [];
    socket?.on('message', (data) => requests.push((JSON.parse(frameText(data)) as StreamRequest).type));
    const stream = gateway.stream({
      delivery: { mode: 'acknowledged', clientId: 'once' },
      onMessages: () => undefined,
    });
    stream.start();
    await waitFor('the request', () => requests.includes('subscribe'));
    const claim = { type: 'claim', role: 'the role of this subscription', state: 'APPROVED' };
    socket?.send(JSON.stringify(claim));
    await waitFor('the claim is known', () => gateway.logged().includes(claim.role));
    await stream.stop();
    await waitFor('the end', () => requests.includes('unsubscribe'));
    expect(requests).toEqual(['subscribe', 'unsubscribe']);
  });
});

it('a message keeps every digit of its nanoseconds', async () => {
  const message = { id: '1', fqcn: 'a', topic: 't', payload: 'p', signature: 's', sender: 'd' };
  // A double cannot represent either.
  const times = ['1763600702123456789', '9007199254740993'];
  const messages = times.map((timestampNanos) => ({ ...message, timestampNanos }));
  broker.respond = afterLogin((_request, response) => respondJson(response, 200, messages));
  const { text } = await call(gateway, 'GET', '/api/v1/message?fqcn=a');
  expect([...text.matchAll(/"timestampNanos":(\d+)[,}]/g)].map(([, digits]) => digits)).toEqual(times);
});

it('a message gets a response when the gateway stops while it is in flight or waits', async () => {
  let release = (): void => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const waiting = [1, 2, 3, 4, 5, 6];
  broker.paths.length = 0;
  broker.respond = afterLogin(({ url }, response) => {
    if (url === '/message') void gate.then(() => respondJson(response, 201, { id: 'alone' }));
    else if (url === '/messages')
      respondJson(
        response,
        200,
        waiting.map((number) => ({ id: `of a batch ${number}` })),
      );
    else respondJson(response, 404, {});
  });
  const send = () => call(gateway, 'POST', '/api/v1/message', { fqcn: 'a', payload: '1' });
  const sent: Promise<CallResponse>[] = [];
  for (let number = 1; number <= MAX_IN_FLIGHT_PER_CHANNEL; number += 1) {
    sent.push(send());
    await waitFor(
      'it is in flight',
      () => broker.paths.filter((path) => path === '/message').length === number,
    );
  }
  sent.push(...waiting.map(send));
  await waitFor('six wait', async () => {
    const { body } = await request(`${gateway.managementUrl}/metrics`);
    return /^settlement_bus_gateway_messages_waiting 6$/m.test(await body.text());
  });
  const restarted = gateway.restart();
  await waitFor('it accepts no new connection', () =>
    fetch(gateway.url, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    ),
  );
  release();
  const responses = await Promise.all(sent);
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  await restarted;
});

/** Document 002, "Errors": the gateway responds in time with its own error object. */
describe('a broker that', () => {
  let impatient: RunningGateway;

  beforeAll(async () => {
    impatient = await startGateway(broker.url, { BROKER_TIMEOUT_MS: '200' });
    await impatient.client.setIdentity(generatePrivateKey().toHex());
  });

  beforeEach(() => broker.disconnectAll());

  afterAll(() => impatient?.stop());

  const operations = [
    ['GET', '/api/health', 502, 'BUS::REQUEST_FAILED'],
    ['POST', '/api/v1/message', 502, 'BUS::REQUEST_FAILED'],
    ['GET', '/api/v1/message?fqcn=a', 502, 'BUS::REQUEST_FAILED'],
    ['GET', '/api/v1/channels', 502, 'BUS::REQUEST_FAILED'],
    ['POST', '/api/v1/config/enrol', 500, 'ID::FETCH_CLAIMS_FAILED'],
  ] as const;

  it.each<[string, RequestListener]>([
    ['never responds', () => undefined],
    ['responds only to the login', afterLogin(() => undefined)],
    ['closes the connection', (request) => request.socket.destroy()],
    ['stops during a response', afterLogin((_request, response) => response.writeHead(200).write('{'))],
    ['responds with HTML', (_request, response) => response.end('<html>')],
    ['responds with HTML after the login', afterLogin((_request, response) => response.end('<html>'))],
    ['fails with HTML', (_request, response) => response.writeHead(500).end('<html>')],
    ['responds to everything with 404', afterLogin((_request, response) => response.writeHead(404).end())],
    ['responds with other JSON', afterLogin((_request, response) => respondJson(response, 200, { a: 1 }))],
    ['redirects', afterLogin((_request, response) => response.writeHead(302, { location: '/' }).end())],
  ])('%s fails every operation with its own error', async (_name, behaviour) => {
    broker.respond = behaviour;
    await Promise.all(
      operations.map(async ([method, path, status, code]) => {
        const body = path === '/api/v1/message' ? { fqcn: 'a', payload: 'b' } : undefined;
        const response = await call(impatient, method, path, body);
        const err = { code, reason: expect.stringMatching(/\w/) };
        expect([path, response]).toMatchObject([path, { status, body: { err } }]);
        expect(response.text).not.toContain('<html>');
      }),
    );
  });
});

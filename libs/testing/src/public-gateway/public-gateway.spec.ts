import { randomUUID } from 'node:crypto';
import { verifyMessage, Wallet } from 'ethers';
import { WebSocket } from 'ws';
import { waitFor } from '../wait-for.js';
import { startPublicGateway, type PublicGateway, type PublicGatewayOptions } from './public-gateway.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const OTHER = 'operations.channels.bridge.apps.participant.iam.market';
const MISSING = 'missing.channels.bridge.apps.participant.iam.market';
const AUTHORIZATION = `Basic ${Buffer.from('bridge:password').toString('base64')}`;
const OTHER_DID = `did:ethr:0x${'2'.repeat(40)}`;

let gateway: PublicGateway;

async function start(options: PublicGatewayOptions = {}): Promise<void> {
  await gateway?.stop();
  gateway = await startPublicGateway(options);
  gateway.addChannel(CHANNEL, ['margins']);
  gateway.addChannel(OTHER, ['margins']);
}

beforeEach(() => start());
afterEach(() => gateway.stop());

interface TextResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

async function request(path: string, init: RequestInit = {}): Promise<TextResponse> {
  const headers = { authorization: AUTHORIZATION, ...(init.headers as Record<string, string>) };
  const response = await fetch(`${gateway.url}${path}`, { ...init, headers });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const post = (body: object): Promise<TextResponse> =>
  request('/api/v1/message', { method: 'POST', body: JSON.stringify(body) });
const message = (changes: object = {}) => ({ fqcn: CHANNEL, topic: 'margins', payload: '{}', ...changes });
const errorOf = ({ status, text }: TextResponse) => ({ status, ...JSON.parse(text).err });
const read = async (query: string): Promise<{ id: string }[]> => {
  const { status, text } = await request(`/api/v1/message?fqcn=${CHANNEL}${query}`);
  expect(status).toBe(200);
  return JSON.parse(text);
};
const idsOf = async (query: string): Promise<string[]> => (await read(query)).map(({ id }) => id);
const publish = (count: number, fqcn = CHANNEL) => {
  for (let sent = 0; sent < count; sent += 1) gateway.append(fqcn, { topic: 'margins', payload: `${sent}` });
};

describe('REST', () => {
  it('refuses a wrong password with an empty body', async () => {
    const response = await request('/api/v1/channels', { headers: { authorization: 'Basic wrong' } });
    expect(response).toMatchObject({ status: 401, text: '' });
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="Authorization Required"');
  });

  it('has a health check and documents without a password', async () => {
    const headers = { authorization: '' };
    expect(await request('/api/health', { headers })).toMatchObject({ status: 200, text: '' });
    expect((await request('/api/v1/docs/rest.yaml', { headers })).text).not.toContain('clientId');
    expect((await request('/api/v1/docs/ws.yaml', { headers })).text).not.toMatch(/query|ack/);
  });

  it('describes its identity, and its enrolment with "approved" only', async () => {
    const identity = JSON.parse((await request('/api/v1/config/identity')).text);
    expect(identity).toEqual({
      address: gateway.did.slice('did:ethr:'.length),
      publicKey: expect.stringMatching(/^0x04/),
      balance: 'OK',
    });
    gateway.roleState = 'AWAITING_APPROVAL';
    const enrolment = await request('/api/v1/config/enrol', { method: 'POST' });
    expect(JSON.parse(enrolment.text)).toEqual({
      did: gateway.did,
      state: { approved: false, waiting: true, roles: { user: 'AWAITING_APPROVAL' } },
    });
  });

  it('lists the channels of its identity with schemas that are objects', async () => {
    gateway.addChannel(MISSING, [], { publishers: [OTHER_DID], subscribers: [OTHER_DID] });
    const topics = [{ namespace: 'margins', schema: {} }];
    expect(JSON.parse((await request('/api/v1/channels')).text)).toEqual([
      { fqcn: CHANNEL, topics, publishers: [], subscribers: [] },
      { fqcn: OTHER, topics, publishers: [], subscribers: [] },
    ]);
  });
});

describe('POST message', () => {
  it('returns another id than its deliveries have', async () => {
    expect(await post(message())).toMatchObject({ status: 200, text: '{"id":"msg-#1"}' });
    expect(await idsOf('')).toEqual(['1']);
  });

  it('returns a repeated transaction id as the first id', async () => {
    const transactionId = randomUUID();
    const first = await post(message({ transactionId }));
    expect((await post(message({ transactionId }))).text).toBe(first.text);
    expect(gateway.messages(CHANNEL)).toHaveLength(1);
  });

  it('refuses a repeated transaction id as newer brokers do', async () => {
    await start({ duplicates: 'refused' });
    const transactionId = randomUUID();
    await post(message({ transactionId }));
    expect(errorOf(await post(message({ transactionId })))).toEqual({
      status: 400,
      code: 'DSB::INVALID_PAYLOAD',
      reason: ['Duplicate transaction id.'],
      additionalInformation: null,
    });
  });

  it.each([
    ['a channel that does not exist', { fqcn: MISSING }, 404, 'DSB::CHANNEL_NOT_FOUND', expect.any(Array)],
    [
      'a channel name of another form',
      { fqcn: `${'x'.repeat(17)}${CHANNEL.slice(10)}` },
      502,
      'DSB::REQUEST_FAILED',
    ],
    ['a topic that does not exist', { topic: 'unknown' }, 404, 'DSB::CHANNEL_NOT_FOUND', expect.any(Array)],
    ['a topic that is missing', { topic: undefined }, 404, 'DSB::CHANNEL_NOT_FOUND', expect.any(Array)],
    ['a topic name of another form', { topic: 'un known' }, 502, 'DSB::REQUEST_FAILED'],
    [
      'a message whose escaped payload is too large',
      { payload: '"'.repeat(2 ** 19) },
      400,
      'DSB::INVALID_PAYLOAD',
      [expect.stringContaining('message size exceeds maximum allowed')],
    ],
    [
      'a UUID of another version',
      { transactionId: '0190d7a0-0000-7000-8000-000000000000' },
      400,
      'DSB::INVALID_PAYLOAD',
      expect.any(Array),
    ],
    ['an unknown field', { clientId: 'c' }, 400, 'BAD_REQUEST'],
  ])('refuses %s', async (_, changes, status, code, reason: unknown = expect.any(String)) => {
    expect(errorOf(await post(message(changes)))).toMatchObject({ status, code, reason });
    expect(gateway.messages(CHANNEL)).toEqual([]);
  });

  it('refuses a channel of others, and everything without enrolment', async () => {
    gateway.addChannel(MISSING, ['margins'], { publishers: [OTHER_DID] });
    expect(errorOf(await post(message({ fqcn: MISSING })))).toMatchObject({
      status: 401,
      code: 'DSB::CHANNEL_UNAUTHORIZED',
    });
    gateway.roleState = 'NO_CLAIM';
    expect(errorOf(await post(message()))).toMatchObject({ status: 403, code: 'DSB::FORBIDDEN_RESOURCE' });
  });
});

describe('GET message', () => {
  it('returns messages without their channel, with rounded nanoseconds, signed by EIP-191', async () => {
    gateway.now = () => 1_763_600_702_123_456_789n;
    const wallet = Wallet.createRandom();
    gateway.append(CHANNEL, { topic: 'margins', payload: 'text', signer: wallet });
    const { text } = await request(`/api/v1/message?fqcn=${CHANNEL}`);
    expect(text).toContain('"timestampNanos":1763600702123456800');
    const [only] = JSON.parse(text);
    expect(only).toMatchObject({
      id: '1',
      topic: 'margins',
      payload: 'text',
      sender: `did:ethr:${wallet.address}`,
    });
    expect(only).not.toHaveProperty('fqcn');
    expect(verifyMessage('text', only.signature)).toBe(wallet.address);
  });

  it('continues for the same client and "from", and starts again for another of either', async () => {
    let milliseconds = Date.parse('2026-03-02T00:00:00Z');
    gateway.now = () => BigInt(milliseconds++) * 1_000_000n;
    publish(4);
    const since = (ms: number): string => `&amount=2&from=2026-03-02T00:00:00.00${ms}Z&clientId=`;
    expect(await idsOf(`${since(1)}a`)).toEqual(['2', '3']);
    expect(await idsOf(`${since(1)}a`)).toEqual(['4']);
    expect(await idsOf(`${since(1)}a`)).toEqual([]);
    expect(await idsOf(`${since(2)}a`)).toEqual(['3', '4']);
    expect(await idsOf(`${since(1)}b`)).toEqual(['2', '3']);
    expect(await idsOf('')).toEqual(['1']);
    expect(gateway.consumers.map(({ clientId, from }) => clientId + from.slice(-4))).toEqual([
      'a001Z',
      'a002Z',
      'b001Z',
      'default',
    ]);
  });

  it.each(['&ack=explicit', '&amount=0', '&amount=x', '&from=2026-03-02', '&from=2026-03-02T00:00:00'])(
    'refuses %s',
    async (query) => {
      expect((await request(`/api/v1/message?fqcn=${CHANNEL}${query}`)).status).toBe(400);
    },
  );
});

describe('the WebSocket', () => {
  let sockets: WebSocket[];
  beforeEach(() => (sockets = []));
  afterEach(() => sockets.forEach((socket) => socket.terminate()));

  interface Client {
    readonly socket: WebSocket;
    readonly frames: string[];
    readonly closed: number[];
  }

  async function connect(): Promise<Client> {
    const socket = new WebSocket(`${gateway.url}/events`, 'dsb-messages', {
      headers: { authorization: AUTHORIZATION },
    });
    const frames: string[] = [];
    const closed: number[] = [];
    socket.on('message', (data: Buffer) => frames.push(data.toString('utf8')));
    socket.on('close', (code) => closed.push(code));
    sockets.push(socket);
    await waitFor('the connection', () => socket.readyState === WebSocket.OPEN);
    return { socket, frames, closed };
  }

  async function refusal(path: string, protocol: string, authorization = AUTHORIZATION): Promise<unknown[]> {
    const socket = new WebSocket(gateway.url + path, protocol, { headers: { authorization } });
    const seen = await new Promise<unknown[]>((resolve) =>
      socket.on('unexpected-response', (_, { statusCode, headers }) =>
        resolve([statusCode, headers['x-websocket-reject-reason']]),
      ),
    );
    socket.on('error', () => undefined).terminate();
    return seen;
  }

  it.each<[string, string, string | undefined, unknown[]]>([
    ['/events?clientId=c', 'dsb-messages', undefined, [404, undefined]],
    ['/events/', 'dsb-messages', undefined, [404, undefined]],
    ['/events', 'another', undefined, [400, 'Protocol Not Supported']],
    ['/events', 'dsb-messages', 'Basic wrong', [401, undefined]],
  ])(
    'refuses %s with the sub-protocol %s and the password %s',
    async (path, protocol, authorization, expected) => {
      expect(await refusal(path, protocol, authorization)).toEqual(expected);
      expect(gateway.requests).toContainEqual(expect.objectContaining({ status: expected[0] }));
    },
  );

  it('pushes one channel a frame, and only the first that has messages', async () => {
    await start({ maxPerPush: 2 });
    gateway.stopPush();
    const { frames } = await connect();
    publish(3);
    publish(1, OTHER);
    gateway.startPush();
    await waitFor('the messages', () => frames.length === 3);
    const pushed = frames.map((frame) => JSON.parse(frame) as { id: string; fqcn: string }[]);
    expect(pushed.map((batch) => batch.map(({ id, fqcn }) => `${fqcn.split('.')[0]} ${id}`))).toEqual([
      ['prudential 1', 'prudential 2'],
      ['prudential 3'],
      ['operations 1'],
    ]);
  });

  it('loses what is pushed while no client is connected', async () => {
    gateway.stopPush();
    publish(1);
    gateway.startPush();
    await waitFor('the push', () => gateway.pushed(CHANNEL) === 1);
    const { frames } = await connect();
    publish(1);
    await waitFor('the message', () => frames.length > 0);
    expect(JSON.parse(frames[0] ?? '')).toMatchObject([{ id: '2' }]);
    expect(await idsOf('&amount=10')).toEqual(['1', '2']);
  });

  it('sends the message of a frame, and responds only to a failure', async () => {
    const { socket, frames } = await connect();
    const transactionId = randomUUID();
    gateway.stopPush();
    socket.send(JSON.stringify(message()));
    socket.send(JSON.stringify(message({ fqcn: MISSING, transactionId })));
    await waitFor('the response', () => frames.length > 0);
    expect(frames.map((frame) => JSON.parse(frame))).toEqual([
      { transactionId, err: expect.objectContaining({ code: 'DSB::CHANNEL_NOT_FOUND' }) },
    ]);
    expect(gateway.messages(CHANNEL)).toHaveLength(1);
    expect(gateway.violations).toEqual([]);
  });

  it.each(['{"ack":["1"]}', 'no JSON', '[]', '{"fqcn":"c"}'])('closes after the frame %s', async (frame) => {
    const { socket, closed } = await connect();
    socket.send(frame);
    await waitFor('the end', () => closed.length > 0);
    expect(closed).toEqual([1002]);
    expect(gateway.violations).toEqual([frame]);
  });
});

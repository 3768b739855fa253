import { randomUUID } from 'node:crypto';
import { verifyMessage, Wallet } from 'ethers';
import { WebSocket } from 'ws';
import { waitFor } from '../wait-for.js';
import { startPublicGateway, type PublicGateway, type PublicGatewayOptions } from './public-gateway.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
const OTHER = 'operations.channels.bridge.apps.participant.iam.market';
const MISSING = 'missing.channels.bridge.apps.participant.iam.market';
const AUTHORIZATION = `Basic ${Buffer.from('bridge:password').toString('base64')}`;

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
  }

  async function connect(): Promise<Client> {
    const socket = new WebSocket(`${gateway.url}/events`, 'dsb-messages', {
      headers: { authorization: AUTHORIZATION },
    });
    const frames: string[] = [];
    socket.on('message', (data: Buffer) => frames.push(data.toString('utf8')));
    sockets.push(socket);
    await waitFor('the connection', () => socket.readyState === WebSocket.OPEN);
    return { socket, frames };
  }

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
});

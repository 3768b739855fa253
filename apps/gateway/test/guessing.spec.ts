import { setMaxListeners } from 'node:events';
import { basicAuthorization } from '@ssb/bus';
import { freePort } from '@ssb/dev/free-ports';
import { waitFor } from '@ssb/testing';
import { request } from 'undici';
import { WebSocket } from 'ws';
import { HASH_OF_PLEASELETMEIN } from './support/password-hashes.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';

/** Guesses at the password of a user, while the user works; without a broker. */
const RIGHT = 'pleaseletmein';

/** More than may wait for one user from one address. */
const CONNECTIONS = 40;

/** 400 is the operation's answer to an allowed user: there is nothing to verify. */
const ALLOWED = 400;

let nowhere: string;
let gateway: RunningGateway;
const running: RunningGateway[] = [];
let guesses: Guesses | undefined;

beforeAll(async () => {
  nowhere = `http://127.0.0.1:${await freePort()}`;
});

afterEach(async () => {
  guesses?.end();
  for (const each of running.splice(0)) await each.stop();
  await guesses?.ended;
  guesses = undefined;
});

async function start(overrides: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await startGateway(nowhere, {
    BASIC_AUTH_USERNAME: 'one',
    BASIC_AUTH_PASSWORD: '',
    BASIC_AUTH_PASSWORD_HASH: HASH_OF_PLEASELETMEIN,
    ...overrides,
  });
  running.push(gateway);
}

interface Answer {
  readonly status: number;
  readonly retryAfter: unknown;
  readonly body: unknown;
}

interface PostOptions {
  readonly forwardedFor?: string;
  readonly signal?: AbortSignal;
}

async function post(
  name: string,
  password: string,
  { forwardedFor, signal }: PostOptions = {},
): Promise<Answer> {
  const { statusCode, headers, body } = await request(`${gateway.url}/api/v1/verifysignature`, {
    method: 'POST',
    headers: {
      authorization: basicAuthorization(name, password),
      'content-type': 'application/json',
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    },
    body: '{}',
    ...(signal && { signal }),
  });
  return { status: statusCode, retryAfter: headers['retry-after'], body: await body.json() };
}

/** Requests a WebSocket upgrade of `/events`. @returns the response status; 101 when it is accepted */
function upgrade(password: string, forwardedFor?: string): Promise<number> {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/events`, 'dsb-messages', {
    headers: {
      authorization: basicAuthorization('one', password),
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    },
  });
  return new Promise((resolve) => {
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    socket.on('error', () => undefined);
  });
}

interface Guesses {
  readonly statuses: number[];
  readonly answers: Answer[];
  readonly ended: Promise<unknown>;
  end(): void;
}

/** Sends wrong passwords of a user over many connections, each without a pause and a number of times. */
function guess(name: string, repetitions = 1): Guesses {
  const statuses: number[] = [];
  const answers: Answer[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  const loop = async (connection: number): Promise<void> => {
    for (let n = 0; !signal.aborted; n += 1) {
      const answer = await post(name, `guess ${connection} ${Math.floor(n / repetitions)}`, { signal }).catch(
        () => undefined,
      );
      if (answer === undefined) continue;
      statuses.push(answer.status);
      answers.push(answer);
    }
  };
  setMaxListeners(0, signal);
  const ended = Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => loop(connection)));
  guesses = { statuses, answers, ended, end: () => stop.abort() };
  return guesses;
}

async function countHashes(): Promise<number> {
  const text = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  return Number(/^settlement_bus_gateway_password_hashes_total (\d+)$/m.exec(text)?.[1]);
}

async function countRefused(): Promise<number> {
  const text = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  return Number(/^settlement_bus_gateway_logins_refused_total\{reason="wrong"\} (\d+)$/m.exec(text)?.[1]);
}

describe('a user whose password others guess from the same address', () => {
  it('is never delayed once the password was verified, and the guesses cost no hash', async () => {
    await start();
    expect((await post('one', RIGHT)).status).toBe(ALLOWED);
    const { statuses } = guess('one');
    await waitFor('guesses that are not checked', () => statuses.includes(429));
    const answered: string[] = [];
    const late = post('one', 'a guess of the test').then(() => answered.push('guess'));
    await post('one', RIGHT).then(() => answered.push('user'));
    // The guess came first and still waits.
    expect(answered).toEqual(['user']);
    for (let n = 0; n < 10; n += 1) expect((await post('one', RIGHT)).status).toBe(ALLOWED);
    expect(await upgrade(RIGHT)).toBe(101);
    expect(await countHashes()).toBe(1);
    // The shutdown answers it.
    for (const each of running.splice(0)) await each.stop();
    await late;
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    for (const secret of ['guess 0 0', RIGHT]) expect(gateway.logged()).not.toContain(secret);
  });
});

describe('guesses', () => {
  it('are logged five times for a network, and then once a minute', async () => {
    await start();
    for (let n = 0; n < 8; n += 1) void post(`unknown ${n}`, 'wrong').catch(() => undefined);
    await waitFor('the last guess', async () => (await countRefused()) === 8);
    expect(gateway.logged().split('user authentication failed').length - 1).toBe(5);
  });

  it('at an unknown user have the same answers, and do not delay other users', async () => {
    await start();
    const { statuses, answers } = guess('unknown');
    await waitFor('guesses that are not checked', () => statuses.includes(429));
    expect((await post('one', RIGHT)).status).toBe(ALLOWED);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(answers.find(({ status }) => status === 429)).toMatchObject({
      retryAfter: '1',
      body: { err: { code: 'REQ::TOO_MANY_REQUESTS' } },
    });
  });
});

describe('the address of a client', () => {
  const getLogged = (): unknown[] =>
    gateway
      .logged()
      .split('\n')
      .filter((line) => line.includes('user authentication failed'))
      .map((line) => (JSON.parse(line) as { address: unknown }).address);

  it.each([
    ['is taken from a trusted proxy', '10.0.0.0/8, 127.0.0.1', ['192.0.2.7', '192.0.2.8']],
    ['is not taken from a proxy that is not trusted', '10.0.0.0/8', ['127.0.0.1', '127.0.0.1']],
  ])('%s, for requests and WebSockets', async (_what, trusted, expected) => {
    await start({ TRUSTED_PROXIES: trusted });
    expect((await post('one', 'wrong', { forwardedFor: '192.0.2.9, 192.0.2.7, 10.1.1.1' })).status).toBe(401);
    expect(await upgrade('wrong too', '192.0.2.8')).toBe(401);
    expect(getLogged()).toEqual(expected);
  });

  it('needs addresses or networks of proxies', async () => {
    await expect(startGateway(nowhere, { TRUSTED_PROXIES: 'proxy.example' })).rejects.toThrow(
      /^TRUSTED_PROXIES is "proxy.example", but it takes networks such as/,
    );
  });
});

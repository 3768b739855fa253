import { setMaxListeners } from 'node:events';
import { basicAuthorization } from '@ssb/bus';
import { waitFor } from '@ssb/testing';
import { request } from 'undici';
import { cheapHash } from './support/password-hashes.js';
import { startGateway, type RunningGateway } from './support/running-gateway.js';
import { upgradeAs } from './support/user-socket.js';

/** Guesses at the password of a user, while the user works; without a broker. */
const RIGHT = 'the right password';

/** More than may wait for one user from one address. */
const CONNECTIONS = 20;

/** 400 is the operation's response to an allowed user: there is nothing to verify. */
const ALLOWED = 400;

let gateway: RunningGateway;

afterEach(() => gateway.stop());

async function start(overrides: Readonly<Record<string, string>> = {}): Promise<void> {
  gateway = await startGateway('http://127.0.0.1:9', {
    BASIC_AUTH_USERNAME: 'one',
    BASIC_AUTH_PASSWORD: '',
    BASIC_AUTH_PASSWORD_HASH: cheapHash(RIGHT),
    ...overrides,
  });
}

interface CallResponse {
  readonly status: number;
  readonly retryAfter: unknown;
  readonly body: unknown;
}

interface PostOptions {
  readonly forwardedFor?: string;
  readonly signal?: AbortSignal;
}

async function post(name: string, password: string, options: PostOptions = {}): Promise<CallResponse> {
  const { forwardedFor, signal } = options;
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

/** Sends different wrong passwords of a user over many connections, each without a pause. */
function guess(name: string) {
  const responses: CallResponse[] = [];
  const stop = new AbortController();
  const { signal } = stop;
  setMaxListeners(0, signal);
  const loop = async (connection: number): Promise<void> => {
    for (let n = 0; !signal.aborted; n += 1) {
      const response = await post(name, `guess ${connection} ${n}`, { signal }).catch(() => undefined);
      if (response) responses.push(response);
    }
  };
  const ended = Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => loop(connection)));
  const end = async () => {
    stop.abort();
    await ended;
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401, 429]));
  };
  return { responses, end };
}

const countMetric = async (name: string): Promise<number> => {
  const text = await (await fetch(`${gateway.managementUrl}/metrics`)).text();
  const line = text.split('\n').find((each) => each.startsWith(`settlement_bus_gateway_${name} `));
  return Number(line?.split(' ')[1]);
};

it('guesses from the same address never delay a user whose password was verified, cost no hash and are bounded', async () => {
  await start();
  expect((await post('one', RIGHT)).status).toBe(ALLOWED);
  for (const name of ['one', 'unknown']) {
    const guesses = guess(name);
    const refused = await waitFor('a guess that is not checked', () =>
      guesses.responses.find(({ status }) => status === 429),
    );
    expect(refused).toMatchObject({ retryAfter: '1', body: { err: { code: 'REQ::TOO_MANY_REQUESTS' } } });
    const late: Promise<unknown>[] = [];
    // A guess is refused after a second, which a busy machine may take for the user too.
    await waitFor('the user before a guess that came first', async () => {
      const ended: string[] = [];
      late.push(post('one', `guess ${late.length} of the test`).then(() => ended.push('guess')));
      await post('one', RIGHT).then(() => ended.push('user'));
      return ended[0] === 'user';
    });
    expect(await upgradeAs(gateway, 'one', RIGHT)).toBe(101);
    await guesses.end();
    await Promise.all(late);
  }
  expect(await countMetric('password_hashes_total')).toBe(1);
  for (const secret of ['guess 0 0', RIGHT]) expect(gateway.logged()).not.toContain(secret);
});

it('guesses are logged five times for a network, and then once a minute', async () => {
  await start();
  for (let n = 0; n < 8; n += 1) void post(`unknown ${n}`, 'wrong').catch(() => undefined);
  await waitFor(
    'the last guess',
    async () => (await countMetric('logins_refused_total{reason="wrong"}')) === 8,
  );
  expect(gateway.logged().split('user authentication failed').length - 1).toBe(5);
});

it.each([
  ['is taken from a trusted proxy', '10.0.0.0/8, 127.0.0.1', ['192.0.2.7', '192.0.2.8']],
  ['is not taken from a proxy that is not trusted', '10.0.0.0/8', ['127.0.0.1', '127.0.0.1']],
])('the address of a client %s, for requests and WebSockets', async (_what, trusted, expected) => {
  await start({ TRUSTED_PROXIES: trusted });
  expect((await post('one', 'wrong', { forwardedFor: '192.0.2.9, 192.0.2.7, 10.1.1.1' })).status).toBe(401);
  expect(await upgradeAs(gateway, 'one', 'wrong too', { 'x-forwarded-for': '192.0.2.8' })).toBe(401);
  const lines = gateway.logged().split('\n');
  const failed = lines.filter((line) => line.includes('user authentication failed'));
  expect(failed.map((line) => (JSON.parse(line) as { address: unknown }).address)).toEqual(expected);
});

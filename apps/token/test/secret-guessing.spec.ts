import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '@ssb/testing';
import { CLIENT_ID, CLIENT_SECRET, HELD, type RunningApp, startTokenApp } from './support/running-app.js';

/** More than may wait for one client from one address. */
const CONNECTIONS = 40;
/** Between two guesses of a connection. The waiting guesses keep the queue full, and more would only use the processor. */
const GUESS_INTERVAL_MS = 100;

let app: RunningApp;
let stop = new AbortController();
let loops: Promise<void>[] = [];

beforeAll(async () => {
  app = await startTokenApp({ TRUSTED_PROXIES: '127.0.0.1' });
});

afterEach(async () => {
  stop.abort();
  await Promise.all(loops);
});

afterAll(() => app?.stop());

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

function requestToken(
  id: string,
  secret: string,
  address = '192.0.2.1',
  signal: AbortSignal | null = null,
): Promise<Response> {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  const headers = { ...basic(id, secret), 'x-forwarded-for': address };
  return fetch(`${app.url}/oauth/v1/token`, { method: 'POST', body, headers, signal });
}

/** Sends wrong secrets of a client over many connections until the end of the test. @returns the first response to one that was not checked */
async function guess(id: string): Promise<Response> {
  const responses: Response[] = [];
  stop = new AbortController();
  const { signal } = stop;
  setMaxListeners(0, signal);
  const send = async (secret: string): Promise<void> => {
    const response = await requestToken(id, secret, undefined, signal);
    responses.push(response.clone());
    await response.text();
  };
  const loop = async (connection: number): Promise<void> => {
    for (let n = 0; !signal.aborted; n += 1) {
      await send(`guess ${connection} ${n}`).catch(() => undefined);
      await delay(GUESS_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  loops = Array.from({ length: CONNECTIONS }, (_, connection) => loop(connection));
  return waitFor('a guess that is not checked', () => responses.find(({ status }) => status === 429));
}

async function countHashes(): Promise<number> {
  const text = await (await fetch(`${app.managementUrl}/metrics`)).text();
  return Number(/^settlement_bridge_token_secret_hashes_total (\d+)$/m.exec(text)?.[1]);
}

describe('a client whose secret others guess', () => {
  it('is never delayed once the secret was verified, and the guesses cost no hash', async () => {
    expect((await requestToken(CLIENT_ID, CLIENT_SECRET)).status).toBe(200);
    const before = await countHashes();
    await guess(CLIENT_ID);
    const guesses: Promise<unknown>[] = [];
    // A guess is refused after a second, which a busy machine may take for the client too.
    await waitFor('the client before a guess that came first', async () => {
      const ended: string[] = [];
      const guessed = requestToken(CLIENT_ID, `guess ${guesses.length} of the test`, undefined, stop.signal)
        .then(() => ended.push('guess'))
        .catch(() => undefined);
      guesses.push(guessed);
      await requestToken(CLIENT_ID, CLIENT_SECRET).then(() => ended.push('client'));
      return ended[0] === 'client';
    });
    for (let n = 0; n < 10; n += 1) {
      expect((await requestToken(CLIENT_ID, CLIENT_SECRET)).status).toBe(200);
    }
    expect(await countHashes()).toBe(before);
    stop.abort();
    await Promise.all(guesses);
  });

  it('is not locked out before the secret was verified at another address behind a trusted proxy', async () => {
    const clientId = 'unverified';
    await app.addAccount({ clientId, secret: CLIENT_SECRET, scopes: HELD });
    const startedAt = performance.now();
    const before = await countHashes();
    await guess(clientId);
    expect((await requestToken(clientId, CLIENT_SECRET, '192.0.2.2')).status).toBe(200);
    // Ten hashes at once, and then two in a second.
    const hashes = (await countHashes()) - before;
    const seconds = (performance.now() - startedAt) / 1_000;
    expect(hashes).toBeLessThanOrEqual(10 + 2 * seconds + 1);
  });
});

it('an attempt that is not checked gets 429 and Retry-After, for an unknown client too', async () => {
  const response = await guess('unknown');
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' });
});

import { CLIENT_ID, CLIENT_SECRET, HELD, type RunningApp, startTokenApp } from './support/running-app.js';

let app: RunningApp;

beforeAll(async () => {
  app = await startTokenApp();
});

afterAll(() => app?.stop());

const GOOD = { grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET };
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});

function requestToken(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${app.url}/oauth/v1/token`, { method: 'POST', body: new URLSearchParams(form), headers });
}

/** The order matters: the last test throttles the address. */
describe('guessing secrets', () => {
  it('is throttled for a client, parallel guesses and the right secret included', async () => {
    const guess = () => requestToken({ ...GOOD, client_id: 'victim', client_secret: 'x' });
    const guesses = Array.from({ length: 20 }, guess);
    const statuses = (await Promise.all(guesses)).map((response) => response.status);
    const checked = statuses.filter((status) => status === 401).length;
    // Five failures are free; checks that were in flight when the pause began are added.
    expect(checked).toBeGreaterThanOrEqual(6);
    expect(checked).toBeLessThanOrEqual(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20 - checked);
    // Each failure doubles the pause. Guess until the pause is longer than a request takes on a busy machine.
    for (let seconds = 0; seconds < 3;) seconds = Number((await guess()).headers.get('retry-after'));
    const paused = await requestToken({ ...GOOD, client_id: 'victim' });
    expect(Number(paused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await paused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await requestToken(GOOD)).status).toBe(200);
  });

  it('is throttled with HTTP Basic too', async () => {
    const guess = () => requestToken({ grant_type: 'client_credentials' }, basic('another victim', 'x'));
    let status = (await guess()).status;
    for (let more = 0; status === 401 && more < 10; more += 1) status = (await guess()).status;
    expect(status).toBe(429);
  });

  it('with many client ids throttles unverified clients at the address, but no verified client', async () => {
    await app.addAccount({ clientId: 'unverified', secret: CLIENT_SECRET, scopes: HELD });
    expect((await requestToken(GOOD)).status).toBe(200);
    let seconds = 0;
    // Fifty failures are free for an address. Guess until the pause is longer than a request takes on a busy machine.
    for (let n = 0; seconds < 3; n += 1) {
      const guess = await requestToken({ ...GOOD, client_id: `client ${n}`, client_secret: 'guess' });
      seconds = Number(guess.headers.get('retry-after'));
    }
    expect((await requestToken({ ...GOOD, client_id: 'unverified' })).status).toBe(429);
    expect((await requestToken(GOOD)).status).toBe(200);
    // Guesses in that pause do not reveal the verified secret, as they throttle its client as usual.
    let status = 200;
    while (status === 200) {
      for (let n = 0; n < 8; n += 1) await requestToken({ ...GOOD, client_secret: 'guess' });
      status = (await requestToken(GOOD)).status;
    }
    expect(status).toBe(429);
  });
});

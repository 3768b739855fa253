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

function ask(form: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${app.url}/oauth/v1/token`, { method: 'POST', body: new URLSearchParams(form), headers });
}

/** In this order: the last one pauses the address. */
describe('guessing', () => {
  it('is slowed, also when it is done in parallel, and the right secret waits with it', async () => {
    const guess = () => ask({ ...GOOD, client_id: 'victim', client_secret: 'x' });
    const guesses = Array.from({ length: 20 }, guess);
    const statuses = (await Promise.all(guesses)).map((response) => response.status);
    const looked = statuses.filter((status) => status === 401).length;
    // Five are free; what was already being looked at when the pause began comes on top.
    expect(looked).toBeGreaterThanOrEqual(6);
    expect(looked).toBeLessThanOrEqual(7);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20 - looked);
    // Each failure doubles the pause: until it is one that a busy machine does not let pass before it asks again.
    for (let seconds = 0; seconds < 3;) seconds = Number((await guess()).headers.get('retry-after'));
    const paused = await ask({ ...GOOD, client_id: 'victim' });
    expect(Number(paused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(await paused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await ask(GOOD)).status).toBe(200);
  });

  it('is slowed by HTTP Basic in the same way', async () => {
    const guess = () => ask({ grant_type: 'client_credentials' }, basic('another victim', 'x'));
    let status = (await guess()).status;
    for (let more = 0; status === 401 && more < 10; more += 1) status = (await guess()).status;
    expect(status).toBe(429);
  });

  it('under many names slows strangers at the address, and nobody whose secret is known', async () => {
    await app.addAccount({ clientId: 'stranger', secret: CLIENT_SECRET, scopes: HELD });
    expect((await ask(GOOD)).status).toBe(200);
    let seconds = 0;
    // Fifty are free for an address; then until the pause is one that a busy machine does not let pass.
    for (let n = 0; seconds < 3; n += 1) {
      const guess = await ask({ ...GOOD, client_id: `name ${n}`, client_secret: 'guess' });
      seconds = Number(guess.headers.get('retry-after'));
    }
    expect((await ask({ ...GOOD, client_id: 'stranger' })).status).toBe(429);
    expect((await ask(GOOD)).status).toBe(200);
    // Nor do guesses tell the known secret in that pause: they cost its client what they always do.
    let status = 200;
    while (status === 200) {
      for (let n = 0; n < 8; n += 1) await ask({ ...GOOD, client_secret: 'guess' });
      status = (await ask(GOOD)).status;
    }
    expect(status).toBe(429);
  });
});

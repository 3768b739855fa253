import { get, post, request } from './api-client.js';

const originalFetch = globalThis.fetch;

afterEach(() => {
  globalThis.fetch = originalFetch;
});

const respond = (response: () => Response): void => {
  globalThis.fetch = () => Promise.resolve().then(response);
};
const loseResponse = (): Response => {
  throw new TypeError('fetch failed');
};
const acknowledge = () => post('/v1/problems/{id}/acknowledge', { parts: { id: '1' } });

const SILENT = 'The server does not respond. Check your connection.';
const MAY_BE_DONE = 'It may have been carried out: look before you repeat it.';

it('says that an action whose response is lost may have been carried out', async () => {
  respond(loseResponse);
  await expect(acknowledge()).rejects.toMatchObject({ detail: `${SILENT} ${MAY_BE_DONE}` });
  await expect(get('/v1/problems')).rejects.toMatchObject({ detail: SILENT });
  const signIn = request('/sign-in/token', { method: 'POST' }, (response) => response.text());
  await expect(signIn).rejects.toMatchObject({ detail: SILENT });
});

it('says the same when a proxy responds in place of the API', async () => {
  respond(() => new Response('<h1>504 Gateway Timeout</h1>', { status: 504 }));
  await expect(acknowledge()).rejects.toMatchObject({ status: 504, detail: MAY_BE_DONE });
  await expect(get('/v1/problems')).rejects.toMatchObject({ status: 504, detail: '' });
});

it('shows the reason of the API', async () => {
  const problem = { title: 'Service Unavailable', detail: 'The database does not respond.' };
  respond(() => new Response(JSON.stringify(problem), { status: 503 }));
  await expect(acknowledge()).rejects.toMatchObject(problem);
});

import { Browser } from './support/browser.js';
import { RunningApi } from './support/running-api.js';

let api: RunningApi;
let browser: Browser;

beforeAll(async () => {
  api = await RunningApi.start();
  browser = new Browser(api);
  await browser.signIn();
});
afterAll(() => api.close());

it.each<[string, string, Record<string, string>, number, string]>([
  ['a listing', '/v1/invoices', {}, 200, 'accept, cookie, authorization'],
  ['an export', '/v1/invoices', { accept: 'text/csv' }, 200, 'accept, cookie, authorization'],
  ['a response of a person', '/v1/caller', {}, 200, 'cookie, authorization'],
  ['an error', '/v1/invoices?since=never', {}, 422, 'cookie, authorization'],
  ['an unknown address', '/v1/unknown', {}, 404, 'cookie, authorization'],
  ['a request without credentials', '/v1/caller', { cookie: '' }, 401, 'cookie, authorization'],
])('%s is kept for its caller only', async (_what, path, headers, status, vary) => {
  const response = await browser.send(path, { headers });
  await response.body?.cancel();
  expect([response.status, response.headers.get('cache-control'), response.headers.get('vary')]).toEqual([
    status,
    'private, no-cache',
    vary,
  ]);
});

it('a listing that is the same is not sent again', async () => {
  const { headers } = await browser.send('/v1/invoices');
  const again = await browser.send('/v1/invoices', {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  expect([again.status, again.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
});

it.each([
  ['GET', '/sign-in'],
  ['GET', '/sign-in/options'],
  ['GET', '/sign-in/callback'],
  ['POST', '/sign-in/token'],
  ['POST', '/sign-in/link'],
  ['POST', '/sign-out'],
])('%s %s is never kept', async (method, path) => {
  const response = await new Browser(api).send(path, { method });
  expect(response.headers.get('cache-control')).toBe('no-store');
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { brotliCompressSync } from 'node:zlib';
import { RunningApi } from './support/running-api.js';

const HTML = '<!doctype html><title>Bridge</title>';
const SCRIPT = 'console.log("bridge");';
const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

let api: RunningApi;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), HTML);
  await writeFile(join(folder, 'assets', 'index-1a2b.js'), SCRIPT);
  await writeFile(join(folder, 'assets', 'index-1a2b.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'secret.txt'), 'secret');
  api = await RunningApi.start({ CONSOLE_URL: 'https://bridge.example' }, folder);
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const get = (path: string, headers: Record<string, string> = BROWSER, method = 'GET'): Promise<Response> =>
  fetch(api.urls.api + path, { method, headers });

/** Without the decoding and the corrections of fetch. */
async function getRaw(
  path: string,
  headers: Record<string, string>,
): Promise<IncomingMessage & { body: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(api.urls.api, { path, headers }, resolve).on('error', reject).end();
  });
  return Object.assign(response, { body: await text(response.setEncoding('latin1')) });
}

describe('a page of the console', () => {
  it.each(['/', '/problems/3f2a9c?since=7d', '/sign-in-failed?reason=denied', '/v1-is-not-the-api'])(
    'is the same document for every address: %s',
    async (path) => {
      const response = await get(path);
      expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
        200,
        'text/html; charset=utf-8',
        HTML,
      ]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('has a HEAD, and is not sent again while it is the same', async () => {
    const head = await get('/', BROWSER, 'HEAD');
    expect([head.status, await head.text()]).toEqual([200, '']);
    const again = await get('/', { ...BROWSER, 'if-none-match': head.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  it.each([
    ['an unknown address of the API', '/v1/unknown', BROWSER],
    ['an unknown file', '/assets/unknown.js', BROWSER],
    ['an unknown address of a program', '/problems', { accept: '*/*' }],
    ['a file beside the page', '/secret.txt', { accept: '*/*' }],
    ['a file outside of the assets', '/assets/%2e%2e/secret.txt', { accept: '*/*' }],
  ])('is not sent for %s', async (_what, path, headers) => {
    const response = await getRaw(path, headers);
    expect([response.statusCode, response.headers['content-type']]).toEqual([
      path.includes('%2e') ? 403 : 404,
      'application/problem+json; charset=utf-8',
    ]);
    expect(response.body).not.toContain('secret');
  });

  it('takes only GET and HEAD', async () => {
    expect((await get('/problems', BROWSER, 'POST')).status).toBe(404);
    const response = await get('/assets/index-1a2b.js', BROWSER, 'DELETE');
    expect([response.status, response.headers.get('allow')]).toEqual([405, expect.stringContaining('GET')]);
  });
});

describe('an asset', () => {
  it.each([
    ['br', 'br', brotliCompressSync(SCRIPT).toString('latin1')],
    ['identity', undefined, SCRIPT],
  ])('is kept for ever, and sent as the build has compressed it: %s', async (accepted, encoding, body) => {
    const response = await getRaw('/assets/index-1a2b.js', { 'accept-encoding': accepted });
    expect([response.statusCode, response.headers['content-encoding'], response.body]).toEqual([
      200,
      encoding,
      body,
    ]);
    expect(response.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': expect.stringMatching(/^(?:text|application)\/javascript; charset=utf-8$/),
      vary: expect.stringContaining('accept-encoding'),
    });
  });
});

describe('the headers for browsers', () => {
  it.each([
    ['a page', '/'],
    ['an asset', '/assets/index-1a2b.js'],
    ['an unknown asset', '/assets/none.js'],
    ['a listing without credentials', '/v1/events'],
    ['the OpenAPI document', '/openapi.json'],
    ['a redirect', '/sign-in'],
    ['an address that cannot be decoded', '/v1/events/%ff'],
    ['an address of a program that is unknown', '/unknown'],
  ])('are on %s', async (_what, path) => {
    const { headers } = await getRaw(path, path === '/unknown' ? {} : BROWSER);
    expect(headers).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
    });
  });
});

it('without the built console, the page says how to build it, and the API works', async () => {
  const other = await RunningApi.start({}, join(folder, 'not-built'));
  try {
    const page = await fetch(`${other.urls.api}/`, { headers: BROWSER });
    expect([page.status, page.headers.get('content-type'), await page.text()]).toEqual([
      404,
      'text/plain; charset=utf-8',
      expect.stringContaining('npm run build'),
    ]);
    expect(page.headers.get('strict-transport-security')).toBeNull();
    expect((await other.get('/v1/events')).status).toBe(200);
    expect((await other.get('/assets/index.js')).status).toBe(404);
  } finally {
    await other.close();
  }
});

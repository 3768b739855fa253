import { createAccessToken } from '@ssb/keys';
import { waitFor } from '@ssb/testing';
import { REQUIRED_MIGRATION } from '../src/database/archive-readiness.js';
import { RunningApi, type ApiResponse } from './support/running-api.js';

let api: RunningApi;

beforeAll(async () => {
  api = await RunningApi.start();
});
afterAll(() => api.close());

const listWith = (token?: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
  api.send('GET', '/v1/events', { headers, ...(token !== undefined && { token }) });

const DAY_MS = 86_400_000;

describe('a token', () => {
  it('is accepted until it is revoked, while the app runs', async () => {
    const token = await api.addToken({ name: 'grafana', role: 'viewer', participants: ['WPGENCO'] });
    await waitFor('the new token', async () => (await listWith(token)).status === 200);
    await api.revokeToken(token);
    await waitFor('the end of the token', async () => (await listWith(token)).status === 401);
  });

  it('gets the same response whatever is wrong with it', async () => {
    const expired = await api.addToken({
      name: 'old',
      role: 'viewer',
      participants: 'all',
      expiresAt: new Date(Date.now() - 1),
    });
    const later = await api.addToken({ name: 'later', role: 'viewer', participants: 'all' });
    await waitFor('the new tokens', async () => (await listWith(later)).status === 200);
    const { text: unknown } = createAccessToken(
      { name: 'x', role: 'viewer', participants: 'all', expiresAt: new Date(Date.now() + DAY_MS) },
      new Date(),
    );
    const wrongSecret = `${api.viewer.slice(0, -43)}${unknown.slice(-43)}`;
    const expected = await listWith('something');
    expect(expected).toMatchObject({ status: 401, type: 'application/problem+json; charset=utf-8' });
    expect(expected.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    for (const token of [expired, unknown, wrongSecret, 'a.b.c', `${api.viewer}x`]) {
      const response = await listWith(token);
      expect([response.status, response.body]).toEqual([401, expected.body]);
    }
    const basic = await listWith(undefined, { authorization: `Basic ${api.viewer}` });
    const missing = await listWith();
    expect([basic.body, missing.body]).toEqual([expected.body, expected.body]);
    expect(missing.headers.get('www-authenticate')).toBe('Bearer');
  });
});

it('shows what credentials grant', async () => {
  const token = await api.addToken({ name: 'grafana', role: 'viewer', participants: ['WPGENCO', 'BETA'] });
  await waitFor('the new token', async () => (await listWith(token)).status === 200);
  const read = async (text: string): Promise<unknown> =>
    JSON.parse((await api.send('GET', '/v1/caller', { token: text })).body);
  expect(await read(token)).toEqual({
    name: 'grafana',
    role: 'viewer',
    allParticipants: false,
    participants: ['BETA', 'WPGENCO'],
    expiresAt: expect.any(String),
    credentials: 'token',
  });
  const operator = await read(api.operator);
  expect(operator).toMatchObject({ role: 'operator', allParticipants: true });
  expect(operator).not.toHaveProperty('participants');
});

describe('readiness', () => {
  const ready = async () => {
    const response = await fetch(`${api.urls.management}/health/ready`);
    return [response.status, await response.text()];
  };

  it('needs the tables of this release', async () => {
    expect(await ready()).toEqual([200, expect.any(String)]);
    const [row] = await api.tables.admin.query('DELETE FROM migration WHERE id = $1 RETURNING checksum', [
      REQUIRED_MIGRATION,
    ]);
    expect(await ready()).toEqual([503, expect.stringContaining('are of an earlier release')]);
    await api.tables.admin.query('INSERT INTO migration (id, checksum) VALUES ($1, $2)', [
      REQUIRED_MIGRATION,
      String(row?.['checksum']),
    ]);
  });
});

describe('the OpenAPI document', () => {
  it('is named at an unknown address', async () => {
    const { status, json } = await api.get('/v1/event');
    expect([status, json()['detail']]).toEqual([404, expect.stringContaining('/openapi.json')]);
  });

  const read = (headers: Record<string, string>): Promise<ApiResponse> =>
    api.send('GET', '/openapi.json', { headers });

  it.each([
    ['gzip', 'gzip'],
    ['gzip;q=0, br', 'br'],
    ['identity', null],
  ])('is served to everyone; Accept-Encoding: %s', async (accepted, encoding) => {
    const { status, headers, json } = await read({ 'accept-encoding': accepted });
    expect([status, headers.get('content-encoding'), json()['openapi']]).toEqual([200, encoding, '3.1.0']);
    const again = await read({ 'accept-encoding': accepted, 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, again.body]).toEqual([304, '']);
  });
});

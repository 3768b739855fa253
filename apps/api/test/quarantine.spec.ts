import type { SqlValue } from '@ssb/postgres';
import type { QuarantineDetail, QuarantineRow } from '../src/quarantine/quarantine-dto.js';
import { carryOutNext } from './support/played-subscriber.js';
import { RunningApi } from './support/running-api.js';

let api: RunningApi;

const quarantine = async (
  messageId: string,
  columns: Readonly<Record<string, SqlValue>> = {},
): Promise<void> => {
  const payload = Buffer.from('{"id":"ünïcode"}');
  const given: Readonly<Record<string, SqlValue>> = {
    channel: 'a.channels.b',
    message_id: messageId,
    sender: 'did:ethr:0x1111111111111111111111111111111111111111',
    signature: '0xab',
    appended_at_nanos: '1772417731050000000',
    reason: 'signer-mismatch',
    detail: 'another key signed it',
    payload,
    payload_bytes: payload.length,
    quarantined_at: '2026-03-02T00:00:00Z',
    ...columns,
  };
  const names = Object.keys(given);
  await api.tables.admin.query(
    `INSERT INTO quarantine (${names.join(', ')}) VALUES (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(given),
  );
};

/** Of a payload in a response. */
const MAX_SHOWN_BYTES = 65_536;

beforeAll(async () => {
  api = await RunningApi.start();
  await quarantine('m1');
  await quarantine('m2', { reason: 'schema', topic: 'margin', trusted: true });
  await quarantine('m3', { released_at: '2026-03-03T00:00:00Z' });
  await quarantine('m4', { channel: 'a.channels.c', payload: Buffer.from([0xff, 0]), payload_bytes: 2 });
  // One byte more than is shown, and the last character has two.
  const long = Buffer.from(`${'x'.repeat(MAX_SHOWN_BYTES - 1)}ü`);
  await quarantine('m5', { payload: long, payload_bytes: long.length, appended_at_nanos: '9'.repeat(40) });
});
afterAll(() => api.close());

const page = async (query = ''): Promise<{ items: QuarantineRow[]; next?: string }> =>
  (await api.get(`/v1/quarantine?${query}`)).json();
const list = async (query?: string): Promise<string[]> =>
  (await page(query)).items.map(({ messageId }) => messageId);
const show = async (messageId: string): Promise<QuarantineDetail> => {
  const { items } = await page('state=open&state=released');
  const id = items.find((each) => each.messageId === messageId)?.id;
  return (await api.get(`/v1/quarantine/${id}`)).json();
};

describe('GET /v1/quarantine', () => {
  it('lists open messages, the newest first, in pages', async () => {
    expect(await list()).toEqual(['m5', 'm4', 'm2', 'm1']);
    const { items, next } = await page('limit=3');
    expect(items.map(({ messageId }) => messageId)).toEqual(['m5', 'm4', 'm2']);
    expect(await list(`limit=3&cursor=${next}`)).toEqual(['m1']);
  });

  it.each([
    ['state=released', ['m3']],
    ['reason=schema', ['m2']],
    ['channel=a.channels.c', ['m4']],
    ['reason=schema&channel=a.channels.c', []],
  ])('with %s', async (query, expected) => {
    expect(await list(query)).toEqual(expected);
  });

  it.each(['state=gone', 'reason=%00', 'cursor=a', 'channel='])('refuses %s', async (query) => {
    expect((await api.get(`/v1/quarantine?${query}`)).status).toBe(422);
  });

  it('needs access to all participants', async () => {
    expect((await api.get('/v1/quarantine', { token: api.limited })).status).toBe(403);
    expect((await api.get('/v1/quarantine/1', { token: api.limited })).status).toBe(403);
  });
});

describe('GET /v1/quarantine/{id}', () => {
  it('shows the verdict and the payload', async () => {
    expect(await show('m2')).toEqual({
      id: expect.any(String),
      state: 'open',
      reason: 'schema',
      detail: 'another key signed it',
      channel: 'a.channels.b',
      messageId: 'm2',
      topic: 'margin',
      sender: 'did:ethr:0x1111111111111111111111111111111111111111',
      trusted: true,
      payloadBytes: 18,
      appendedAt: '2026-03-02T02:15:31.050Z',
      quarantinedAt: '2026-03-02T00:00:00.000Z',
      signature: '0xab',
      payload: '{"id":"ünïcode"}',
      encoding: 'utf8',
      payloadTruncated: false,
    });
  });

  it('shows a payload that is not text as base64', async () => {
    expect(await show('m4')).toMatchObject({ encoding: 'base64', payload: '/wA=', payloadTruncated: false });
  });

  it('shows the beginning of a long payload, and no time that RFC 3339 cannot write', async () => {
    const shown = await show('m5');
    expect(shown).toMatchObject({
      encoding: 'utf8',
      payload: 'x'.repeat(MAX_SHOWN_BYTES - 1),
      payloadBytes: MAX_SHOWN_BYTES + 1,
      payloadTruncated: true,
    });
    expect(shown).not.toHaveProperty('appendedAt');
  });

  it.each(['0', 'a', '-1', '999999999999999999'])('responds to %s with 404', async (id) => {
    expect((await api.get(`/v1/quarantine/${id}`)).status).toBe(404);
  });
});

describe('POST /v1/quarantine/recheck', () => {
  it('is a request, whose result has the counts', async () => {
    const added = api.post('/v1/quarantine/recheck?wait=30', { comment: 'The origin is configured.' });
    const result = { evaluated: 4, released: 1, stillQuarantined: 3 };
    expect(await carryOutNext(api.tables, 'done', result)).toMatchObject({
      kind: 'recheck-quarantine',
      parameters: {},
      author: 'olivia',
    });
    expect(await added.then(({ status, json }) => [status, json()])).toMatchObject([
      200,
      { state: 'done', result },
    ]);
  });

  it('is only for operators of all participants', async () => {
    for (const token of [api.viewer, api.limited])
      expect((await api.post('/v1/quarantine/recheck', {}, { token })).status).toBe(403);
  });
});

import { Actor } from '../support/actor.js';
import { type Client, makeChannel, user } from '../support/client.js';
import { broker } from './shared-brokers.js';

describe('reading', () => {
  let client: Client;
  let fqcn: string;
  let ids: string[];

  beforeAll(async () => {
    client = await user(broker.url, new Actor());
    fqcn = await makeChannel(broker.url);
    ids = [];
    for (const payload of ['a', 'b', 'c']) ids.push((await client.post(fqcn, payload)).body.id);
  });

  describe('reading with move=false', () => {
    const read = async (query: Readonly<Record<string, string>>) =>
      (await client.read(fqcn, query)).body.map(({ payload }) => payload);
    const acknowledge = (body: object) => client.call('POST', '/message/acknowledgement', { fqcn, ...body });

    it('returns the same messages until they are acknowledged, for each client by itself', async () => {
      const [clientId, another] = ['one', 'another'];
      expect(await read({ clientId, move: 'false', amount: '2' })).toEqual(['a', 'b']);
      expect(await read({ clientId, move: 'false', amount: '2' })).toEqual(['a', 'b']);
      expect((await acknowledge({ clientId, upTo: ids[1] })).status).toBe(204);
      expect(await read({ clientId, move: 'false' })).toEqual(['c']);
      expect(await read({ clientId: another, move: 'false' })).toEqual(['a', 'b', 'c']);
      expect((await acknowledge({ clientId, upTo: ids[0] })).status).toBe(204);
      expect(await read({ clientId, move: 'true' })).toEqual(['c']);
      expect(await read({ clientId })).toEqual([]);
    });

    it('returns messages from an instant in any form of it, and moves no offset', async () => {
      const later = new Date(Date.now() + 60_000).toISOString();
      const all = ['a', 'b', 'c'];
      for (const from of ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00'])
        expect(await read({ from })).toEqual(all);
      // A client may send the plus sign of +00:00 as it is, which is a space in a query.
      for (const from of [later, later.replace('Z', ' 00:00'), later.replace('Z', '')])
        expect(await read({ from })).toEqual([]);
      expect(await read({ clientId: 'by instant' })).toEqual(all);
    });

    it('refuses an acknowledgement of an unknown message, or of a channel that the caller may not read', async () => {
      const elsewhere = await client.post(await makeChannel(broker.url), 'x');
      for (const upTo of [elsewhere.body.id, 'x', ids[0]?.slice(0, -1), `9${'9'.repeat(20)}-${ids[0]}`]) {
        const { status, body } = await acknowledge({ upTo });
        expect([status, body.err.code]).toEqual([400, 'BUS::INVALID_REQUEST']);
      }
      const closed = await makeChannel(broker.url, { subscribers: [new Actor().did] });
      const refused = await acknowledge({ fqcn: closed, upTo: ids[0] });
      expect([refused.status, refused.body.err.code]).toEqual([401, 'BUS::CHANNEL_UNAUTHORIZED']);
      expect(await read({ move: 'false' })).toEqual(['a', 'b', 'c']);
    });

    it('returns 100 messages without an amount', async () => {
      const busy = await makeChannel(broker.url);
      const message = { fqcn: busy, payload: 'a', signature: client.actor.sign('a') };
      await client.call(
        'POST',
        '/messages',
        Array.from({ length: 101 }, () => message),
      );
      expect((await client.read(busy)).body).toHaveLength(100);
      expect((await client.read(busy)).body).toHaveLength(1);
    });

    it('reports whether there are further messages, also with from', async () => {
      const large = await makeChannel(broker.url);
      // A response has at most 8 MiB of payload.
      const payload = 'x'.repeat(1_000_000);
      const signature = client.actor.sign(payload);
      const batch = Array.from({ length: 9 }, () => ({ fqcn: large, payload, signature }));
      await client.call('POST', '/messages', batch);
      const respond = async (query: Readonly<Record<string, string>>) => {
        const parameters = new URLSearchParams({ fqcn: large, ...query }).toString();
        const headers = { authorization: `Bearer ${client.token}` };
        const response = await fetch(`${broker.url}/message?${parameters}`, { headers });
        return [((await response.json()) as unknown[]).length, response.headers.get('bus-more')];
      };
      const from = '2026-01-01T00:00:00Z';
      expect(await respond({ from, amount: '2' })).toEqual([2, '?1']);
      expect(await respond({ amount: '10' })).toEqual([8, '?1']);
      expect(await respond({ amount: '1' })).toEqual([1, null]);
      expect(await respond({})).toEqual([0, null]);
    });
  });
});

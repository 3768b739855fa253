import { waitFor } from '@ssb/testing';
import { Actor } from '../support/actor.js';
import { makeChannel, user, type Client } from '../support/client.js';
import type { TestBroker } from '../support/test-broker.js';
import { useStreams } from '../support/test-stream.js';

/** Where a client id begins, for each engine of the log. */
export function describeStreamStart(engine: string, find: () => TestBroker): void {
  describe(`the start of a client id, with the log on ${engine}`, () => {
    const open = useStreams();
    let client: Client;

    beforeEach(async () => {
      client = await user(find().url, new Actor());
    });

    /** Receives messages as far as `last`, and acknowledges nothing. */
    async function receive(fqcn: string[] | undefined, last: string, from?: string): Promise<string[]> {
      const stream = await open(client);
      await stream.subscribe(fqcn, { ...(from !== undefined && { from }) });
      await waitFor(last, () => stream.payloads.includes(last));
      await stream.close();
      return stream.payloads;
    }

    it('is now: it receives nothing older, and everything later, of an empty channel too', async () => {
      const [full, empty] = await Promise.all([makeChannel(find().url), makeChannel(find().url)]);
      await client.post(full, 'old');
      const stream = await open(client);
      await stream.subscribe([full, empty], { from: 'now' });
      for (const fqcn of [full, empty]) await client.post(fqcn, 'new');
      await stream.received(['new', 'new']);
      expect(stream.payloads).toEqual(['new', 'new']);
    });

    it('is kept: nothing sent while the client was away is left out, even if it had received nothing', async () => {
      const [full, empty] = await Promise.all([makeChannel(find().url), makeChannel(find().url)]);
      await client.post(full, 'old');
      const stream = await open(client);
      await stream.subscribe([full, empty], { from: 'now' });
      await stream.close();
      for (const fqcn of [full, empty]) await client.post(fqcn, `of ${fqcn}`);
      expect(await receive([full], `of ${full}`, 'now')).toEqual([`of ${full}`]);
      expect(await receive([empty], `of ${empty}`, 'now')).toEqual([`of ${empty}`]);
    });

    it('is kept: a query without a start does not repeat what is older', async () => {
      const fqcn = await makeChannel(find().url);
      await client.post(fqcn, 'old');
      const stream = await open(client);
      await stream.subscribe([await makeChannel(find().url)], { from: 'now' });
      await stream.close();
      await client.post(fqcn, 'new');
      expect(await receive([fqcn], 'new')).toEqual(['new']);
    });

    it('is kept as the oldest message: a later now leaves nothing out', async () => {
      const fqcn = await makeChannel(find().url);
      const stream = await open(client);
      await stream.subscribe([fqcn], { from: 'oldest' });
      await stream.close();
      await client.post(fqcn, 'meanwhile');
      expect(await receive([fqcn], 'meanwhile', 'now')).toEqual(['meanwhile']);
    });

    it('holds for channels that are created while the client is away', async () => {
      const stream = await open(client);
      await stream.subscribe([await makeChannel(find().url)], { from: 'now' });
      await stream.close();
      const later = await makeChannel(find().url);
      await client.post(later, 'first');
      expect(await receive([later], 'first', 'now')).toEqual(['first']);
    });

    it('is a time: it receives the messages since then', async () => {
      const fqcn = await makeChannel(find().url);
      const { body } = await client.post(fqcn, 'before');
      const [before] = (await client.read(fqcn, { clientId: 'times' })).body;
      expect(before?.id).toBe(body.id);
      const since = Number(BigInt(before?.timestampNanos ?? 0) / 1_000_000n) + 1;
      await waitFor('a later millisecond', () => Date.now() > since);
      await client.post(fqcn, 'after');
      const from = new Date(since).toISOString();
      expect(await receive([fqcn], 'after', from)).toEqual(['after']);
      const stream = await open(client);
      await stream.subscribe([fqcn], { from });
      await stream.received(['after']);
      stream.acknowledge(...stream.messages);
      await client.post(fqcn, 'last');
      await stream.received(['after', 'last']);
      expect(stream.payloads).toEqual(['after', 'last']);
    });

    it.each(['now', '2100-01-01T00:00:00Z'])(
      'has no effect on a client id that acknowledged a message: %s',
      async (from) => {
        const [known, other] = await Promise.all([makeChannel(find().url), makeChannel(find().url)]);
        await client.post(known, 'a');
        const stream = await open(client);
        await stream.subscribe([known, other]);
        await stream.received(['a']);
        stream.acknowledge(...stream.messages);
        await stream.close();
        for (const fqcn of [known, other]) await client.post(fqcn, `of ${fqcn}`);
        const again = await open(client);
        await again.subscribe([known, other], { from });
        await again.received(['', '']);
        expect(new Set(again.payloads)).toEqual(new Set([`of ${known}`, `of ${other}`]));
      },
    );
  });
}

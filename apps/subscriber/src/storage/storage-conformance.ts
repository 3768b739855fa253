import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { QUARANTINED_PAYLOAD_BYTES, type Archive } from './archive.port.js';
import { acceptedEntry, rejectedEntry } from './entries.fixture.js';
import type { AlertOutbox, Settlement } from './outbox.port.js';

export interface StorageUnderTest {
  readonly archive: Archive;
  readonly outbox: AlertOutbox;
  /** Empties every table. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const NOW = new Date('2026-03-02T00:00:02.000Z');
const LATER = new Date(NOW.getTime() + 60_000);
const EVERYTHING = { limit: 1_000 };

/** What every implementation of the two ports keeps; each test starts with empty tables. */
export function storageConformance(name: string, open: () => Promise<StorageUnderTest>): void {
  describe(`${name} keeps the contract of archive and outbox`, () => {
    let storage: StorageUnderTest;
    beforeAll(async () => {
      storage = await open();
    });
    beforeEach(() => storage.clear());
    afterAll(() => storage.close());

    it('archives an event to the byte, with what proves it', async () => {
      const text =
        '{"id":"e1", "amount":"12345678901234567890123.12345678","name":"Ünïcode \\u0000 \u{1F50C}"}';
      const entry = acceptedEntry({ id: 'e1', text });
      expect(await storage.archive.record([entry], NOW)).toEqual(['archived']);
      const [event] = await storage.archive.archived(EVERYTHING);
      expect(event).toMatchObject({
        eventId: 'e1',
        text,
        messageId: 'message-of-e1',
        sender: entry.message.sender,
        signer: entry.signer,
        signature: entry.message.signature,
        takenAtNanos: 1_700_000_000_123_456_789n,
        archivedAt: NOW,
        time: '2026-03-02T08:00:00+08:00',
      });
    });

    it('drops an event id that it has, whatever message brings it', async () => {
      await storage.archive.record([acceptedEntry({ id: 'e1', sinks: ['a'] })], NOW);
      const again = acceptedEntry({ id: 'e1', messageId: 'another', sinks: ['a'] });
      expect(await storage.archive.record([again], NOW)).toEqual(['repeat']);
      expect(await storage.archive.archived(EVERYTHING)).toHaveLength(1);
      expect(await storage.outbox.depth()).toEqual(new Map([['a', 1]]));
    });

    it('drops a repeat within one group and keeps the first', async () => {
      const group = [
        acceptedEntry({ id: 'e1', messageId: 'm1' }),
        acceptedEntry({ id: 'e2', messageId: 'm2' }),
        acceptedEntry({ id: 'e1', messageId: 'm3' }),
      ];
      expect(await storage.archive.record(group, NOW)).toEqual(['archived', 'archived', 'repeat']);
      const listed = await storage.archive.archived(EVERYTHING);
      expect(listed.map(({ messageId }) => messageId)).toEqual(['m1', 'm2']);
    });

    it('puts away what was not believed, once', async () => {
      const bad = rejectedEntry({ id: 'm9', reason: 'schema', detail: '/data/total is missing' });
      expect(await storage.archive.record([bad, acceptedEntry({ id: 'e1' }), { ...bad }], NOW)).toEqual([
        'quarantined',
        'archived',
        'repeat',
      ]);
      expect(await storage.archive.record([bad], NOW)).toEqual(['repeat']);
      const [kept, ...more] = await storage.archive.quarantined(EVERYTHING);
      expect(more).toEqual([]);
      expect(kept).toMatchObject({
        messageId: 'm9',
        reason: 'schema',
        detail: '/data/total is missing',
        takenAtNanos: 1_700_000_000_123_456_789n,
        quarantinedAt: NOW,
      });
      expect(kept?.payload.toString()).toBe(bad.message.payload);
    });

    it('counts a proved event that came at the wrong time as a repeat once the inbox has it', async () => {
      const stale = rejectedEntry({ id: 'm2', reason: 'stale', unlessSeen: 'e1' });
      expect(await storage.archive.record([acceptedEntry({ id: 'e1' }), stale], NOW)).toEqual([
        'archived',
        'repeat',
      ]);
      const stranger = rejectedEntry({ id: 'm3', reason: 'stale', unlessSeen: 'e2' });
      expect(await storage.archive.record([stranger, { ...stale }], NOW)).toEqual(['quarantined', 'repeat']);
    });

    it('takes what no text column holds, and keeps a bounded part of a huge payload', async () => {
      const payload = `\u0000\uD800${'x'.repeat(200_000)}`;
      const hostile = rejectedEntry({
        id: 'a\u0000b',
        payload,
        signature: 'y'.repeat(100_000),
        sender: '\uDC00',
      });
      expect(await storage.archive.record([hostile], NOW)).toEqual(['quarantined']);
      const [kept] = await storage.archive.quarantined(EVERYTHING);
      expect(kept?.payload).toHaveLength(QUARANTINED_PAYLOAD_BYTES);
      expect(kept?.payload[0]).toBe(0);
      expect(kept?.payloadBytes).toBe(Buffer.byteLength(payload));
      expect(kept?.signature.length).toBeLessThan(1_000);
    });

    it('writes all of a group or nothing', async () => {
      const broken = acceptedEntry({ id: 'broken', subject: 'no \u0000 can be stored' });
      const group = [acceptedEntry({ id: 'e1', sinks: ['a'] }), rejectedEntry({}), broken];
      await expect(storage.archive.record(group, NOW)).rejects.toThrow();
      expect(await storage.archive.archived(EVERYTHING)).toEqual([]);
      expect(await storage.archive.quarantined(EVERYTHING)).toEqual([]);
      expect(await storage.outbox.depth()).toEqual(new Map());
      expect(await storage.archive.record([acceptedEntry({ id: 'e1' })], NOW)).toEqual(['archived']);
    });

    it('lists page by page', async () => {
      await storage.archive.record(
        ['e1', 'e2', 'e3'].map((id) => acceptedEntry({ id })),
        NOW,
      );
      const first = await storage.archive.archived({ limit: 2 });
      const rest = await storage.archive.archived({ limit: 2, after: first[1]?.position });
      expect([...first, ...rest].map(({ eventId }) => eventId)).toEqual(['e1', 'e2', 'e3']);
    });

    it('commits one alert a sink together with the event', async () => {
      const text = '{"amount":"12345678901234567890123.12345678"}';
      await storage.archive.record([acceptedEntry({ id: 'e1', sinks: ['a', 'b'], alert: true, text })], NOW);
      const [alert, ...more] = await due('b');
      expect(more).toEqual([]);
      expect(alert).toMatchObject({
        eventId: 'e1',
        sink: 'b',
        alert: true,
        attempts: 0,
        text,
        archivedAt: NOW,
      });
      expect(await storage.outbox.depth()).toEqual(
        new Map([
          ['a', 1],
          ['b', 1],
        ]),
      );
    });

    it('gives a subject in order of sequence, whatever order it arrived in', async () => {
      await storage.archive.record(
        [
          acceptedEntry({ id: 'third', subject: 's', sequence: 30, sinks: ['a'] }),
          acceptedEntry({ id: 'first', subject: 's', sequence: 9, sinks: ['a'] }),
          acceptedEntry({ id: 'second', subject: 's', sequence: 10, sinks: ['a'] }),
        ],
        NOW,
      );
      expect((await due('a')).map(({ eventId }) => eventId)).toEqual(['first', 'second', 'third']);
      expect((await due('a', { perSubject: 2 })).map(({ eventId }) => eventId)).toEqual(['first', 'second']);
    });

    it('holds a subject back whose first alert has to wait, and no other subject', async () => {
      await storage.archive.record(
        [
          acceptedEntry({ id: 's1', subject: 's', sequence: 1, sinks: ['a', 'b'] }),
          acceptedEntry({ id: 's2', subject: 's', sequence: 2, sinks: ['a', 'b'] }),
          acceptedEntry({ id: 't1', subject: 't', sequence: 1, sinks: ['a', 'b'] }),
        ],
        NOW,
      );
      await storage.outbox.settle([failed('s1', 'a', LATER)]);
      expect((await due('a')).map(({ eventId }) => eventId)).toEqual(['t1']);
      expect((await due('b')).map(({ eventId }) => eventId)).toEqual(['s1', 's2', 't1']);
      expect(await storage.outbox.nextAttemptAt('a', NOW)).toEqual(LATER);
      expect(await storage.outbox.nextAttemptAt('b', NOW)).toBeUndefined();
      const after = await due('a', { now: LATER });
      expect(after.map(({ eventId, attempts }) => [eventId, attempts])).toEqual([
        ['s1', 1],
        ['s2', 0],
        ['t1', 0],
      ]);
    });

    it('gives those that wait longest first, and none that is in hand', async () => {
      await storage.archive.record(
        ['z', 'm', 'a'].map((id) => acceptedEntry({ id, subject: id, sinks: ['a'] })),
        NOW,
      );
      expect((await due('a', { subjects: 2 })).map(({ eventId }) => eventId)).toEqual(['z', 'm']);
      expect((await due('a', { exceptSubjects: ['z'] })).map(({ eventId }) => eventId)).toEqual(['m', 'a']);
    });

    it('never gives again what was delivered', async () => {
      await storage.archive.record([acceptedEntry({ id: 'e1', sinks: ['a'] })], NOW);
      await storage.outbox.settle([delivered('e1', 'a')]);
      await storage.outbox.settle([failed('e1', 'a', NOW)]);
      expect(await due('a', { now: LATER })).toEqual([]);
      expect(await storage.outbox.depth()).toEqual(new Map());
    });

    function due(
      sink: string,
      change: { now?: Date; subjects?: number; perSubject?: number; exceptSubjects?: string[] } = {},
    ) {
      return storage.outbox.due({
        sink,
        now: NOW,
        exceptSubjects: [],
        subjects: 10,
        perSubject: 10,
        ...change,
      });
    }
  });
}

function delivered(eventId: string, sink: string): Settlement {
  return { eventId, sink, attempts: 1, outcome: 'delivered, status 204', at: NOW, nextAttemptAt: undefined };
}

function failed(eventId: string, sink: string, nextAttemptAt: Date): Settlement {
  return { eventId, sink, attempts: 1, outcome: 'answered with status 503', at: NOW, nextAttemptAt };
}

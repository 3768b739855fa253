import { type DetectedEvent, toUuidV4, validateEvent, verifyProof } from '@ssb/events';
import { RESERVED_CONCURRENCY } from '@ssb/redis-queue';
import { didOfKey } from '@ssb/identity';
import { waitFor } from '@ssb/testing';
import { createHmac } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCEPT } from './support/fake-gateway.js';
import {
  breach,
  CHANNEL,
  deadLetters,
  folder,
  gateway,
  isQueueEmpty,
  KEY,
  lines,
  published,
  queue,
  refusal,
  sentFacts,
  setUpPublisherTests,
  start,
  writeConfig,
} from './support/running-publisher.js';

setUpPublisherTests();

interface Key {
  readonly secret: string;
}

function readKeys(file: string): Key[] {
  return (JSON.parse(readFileSync(file, 'utf8')) as { keys: Key[] }).keys;
}

/** The transaction id of an event, computed from the only key of a file. */
function keyedId({ id }: DetectedEvent, name: string): string {
  const [key] = readKeys(join(folder, name));
  return toUuidV4(
    createHmac('sha256', key?.secret ?? '')
      .update(id)
      .digest(),
  );
}

describe('publishing', () => {
  it('sends the event signed, with a valid proof, under an id that only the bridge can compute, and logs no secret', async () => {
    await start();
    const event = breach(1, '123456789012345.67890123');
    await queue.enqueue([event]);
    await waitFor('1 published messages', () => published().length === 1);
    const [message] = gateway.received;
    expect(message).toMatchObject({ fqcn: CHANNEL, topic: 'margin.breached.v1' });
    expect(message?.transactionId).toBe(keyedId(event, 'transaction-ids.keys'));
    expect(message?.transactionId).not.toBe(event.id);
    const signed = JSON.parse(message?.payload ?? '{}');
    expect(signed).toMatchObject({ ...event, channel: CHANNEL, topic: 'margin.breached.v1' });
    expect(validateEvent(signed).ok).toBe(true);
    expect(verifyProof(signed, [didOfKey(KEY)])).toMatchObject({ ok: true });
    expect(gateway.authorization).toBe(`Basic ${Buffer.from('bridge:password').toString('base64')}`);
    expect(published()[0]).toMatchObject({
      eventId: event.id,
      eventType: event.type,
      subject: 'WPGENCO/prudential',
      messageId: 'message-1',
    });
    await waitFor('an empty queue', isQueueEmpty);
    const text = JSON.stringify(lines);
    for (const secret of ['123456789012345', KEY.toHex().slice(2), 'password'])
      expect(text).not.toContain(secret);
  });

  it('repeats the attempt when the gateway is unreachable, does not respond in time, or a proxy responds', async () => {
    await gateway.stop();
    await start({ GATEWAY_TIMEOUT_MS: '500' });
    await queue.enqueue([breach(1)]);
    await waitFor('the failed attempt', () => lines.some((line) => line['outcome'] === 'retry'));
    let open = (): void => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    gateway.reply = async (count, fqcn) => {
      if (fqcn !== CHANNEL) return ACCEPT;
      if (count === 1) await held;
      return count === 2 ? { status: 503, body: 'come back later' } : ACCEPT;
    };
    await gateway.start();
    await waitFor('1 published messages', () => published().length === 1);
    const ids = new Set(sentFacts().map(({ transactionId }) => transactionId));
    expect([sentFacts().length >= 3, ids.size, await deadLetters.count()]).toEqual([true, 1, 0]);
    open();
    await waitFor('an empty queue', isQueueEmpty);
  });

  it('uses one transaction id for all attempts of an event, before and after a rotation', async () => {
    const file = join(folder, 'rotated.keys');
    copyFileSync(join(folder, 'transaction-ids.keys'), file);
    gateway.reply = () => refusal(502, 'BUS::REQUEST_FAILED');
    await start({ TRANSACTION_ID_KEYS_FILE: file, KEYS_RELOAD_INTERVAL_MS: '50' });
    const event = breach(1);
    await queue.enqueue([event]);
    await waitFor('the failed attempt', () => lines.some((line) => line['outcome'] === 'retry'));
    const [key] = readKeys(file);
    const next = { version: 2, activeFrom: new Date().toISOString(), secret: 'n'.repeat(43) };
    writeFileSync(file, JSON.stringify({ keys: [key, next] }));
    await waitFor('the new keys', () => lines.some(({ msg }) => msg === 'keys reloaded'));
    gateway.reply = () => ACCEPT;
    await waitFor('1 published messages', () => published().length === 1);
    const ids = new Set(gateway.received.map(({ transactionId }) => transactionId));
    expect([...ids]).toEqual([keyedId(event, 'transaction-ids.keys')]);
  });
});

describe('dead letters', () => {
  it('contain an event without a route, one that its schema refuses and one that cannot be signed, which are not sent', async () => {
    await start();
    const valid = breach(1);
    const invalid = { ...breach(2), sequence: '7' };
    const unrouted = { ...breach(3), type: 'settlementbus.invoice.issued.v1' } as DetectedEvent;
    const unsignable = { ...breach(4), subject: 'WPGENCO/\ud83d' };
    await queue.enqueue([invalid, unrouted, unsignable, valid]);
    await waitFor(
      'the dead letters and the other event',
      async () => (await deadLetters.count()) === 3 && published().length === 1,
    );
    const letters = await deadLetters.list();
    const reasons = new Map(letters.map(({ event, reason }) => [event.id, reason]));
    expect(reasons.get(unrouted.id)).toBe('CONFIG_FILE has no route for settlementbus.invoice.issued.v1');
    expect(reasons.get(invalid.id)).toContain('/sequence');
    expect(reasons.get(unsignable.id)).toContain('UTF-8');
    expect(letters.map(({ event }) => event)).toContainEqual(unsignable);
    expect(sentFacts().map(({ payload }) => JSON.parse(payload).id)).toEqual([valid.id]);
  });

  it('do not contain an event that is ignored, nor keep one that is ignored since; neither raises an alert', async () => {
    const unrouted = (minute: number): DetectedEvent => ({
      ...breach(minute),
      type: 'settlementbus.invoice.issued.v1',
    });
    await deadLetters.add(unrouted(1), 'no route');
    const { url } = await start({ CONFIG_FILE: writeConfig({ ignore: 'settlementbus.invoice.*' }) });
    await deadLetters.retry(unrouted(1).id, { findProblem: () => undefined });
    await queue.enqueue([unrouted(2)]);
    const counted =
      'settlement_bridge_publisher_attempts_total{type="settlementbus.invoice.issued.v1",outcome="dropped"} 2';
    await waitFor('both', async () => (await (await fetch(`${url}/metrics`)).text()).includes(counted));
    await waitFor('an empty queue', isQueueEmpty);
    expect(await deadLetters.count()).toBe(0);
    expect(lines.filter(({ msg }) => msg === 'event ignored')).toHaveLength(2);
    expect(lines.filter(({ msg }) => msg === 'fault reported')).toEqual([]);
    expect(gateway.received).toEqual([]);
  });
});

describe('the app', () => {
  it('reports a clock that differs from the gateway, and the correction', async () => {
    gateway.clockAheadMs = -120_000;
    const { url } = await start();
    const fetchText = async (path: string): Promise<string> => (await fetch(url + path)).text();
    for (const [source, seconds] of [
      ['gateway', 120],
      ['redis', 0],
    ] as const)
      await waitFor(`the clock of ${source}`, async () => {
        const value = new RegExp(`^settlement_bridge_clock_offset_seconds{source="${source}"} (.+)$`, 'm');
        const offset = value.exec(await fetchText('/metrics'))?.[1];
        return Math.abs(Number(offset) - seconds) < 5;
      });
    expect(JSON.parse(await fetchText('/health'))).toMatchObject({
      status: 'degraded',
      faults: [
        { reason: 'clock-offset', participant: '*', detail: expect.stringMatching(/s ahead of gateway;/) },
      ],
    });
    gateway.clockAheadMs = 0;
    // The response to any request shows the gateway's clock.
    await fetchText('/health/ready');
    await waitFor('the end of the fault', () => lines.some(({ msg }) => msg === 'fault ended'));
  });

  it('completes the events in flight at a shutdown and leaves the others on the queue', async () => {
    let open = (): void => undefined;
    const held = new Promise<void>((resolve) => (open = resolve));
    gateway.reply = async () => {
      await held;
      return ACCEPT;
    };
    const app = await start({ CONCURRENCY: '2' });
    const places = 2 + RESERVED_CONCURRENCY;
    const ofSubject = (at: number): DetectedEvent => ({
      ...breach(at + 1),
      subject: `WPGENCO/prudential/${at}`,
    });
    await queue.enqueue(Array.from({ length: places + 1 }, (_, at) => ofSubject(at)));
    await waitFor('a message in each place', () => gateway.received.length === places);
    const closed = app.close();
    open();
    await closed;
    expect(published()).toHaveLength(places);
    expect((await queue.depth()).waiting).toBe(1);
  });

  it('does not start with another secret than that of its key', async () => {
    const wrong = join(folder, 'wrong-secret');
    writeFileSync(wrong, 'another secret of thirty-two bytes or more');
    await expect(start({ ORIGIN_KEY_SECRET_FILE: wrong })).rejects.toThrow(/another secret/);
  });
});

describe('a dead letter', () => {
  it('for a channel that did not exist is published once the gateway lists the channel', async () => {
    const { channels } = gateway;
    gateway.channels = channels.filter(({ fqcn }) => fqcn !== CHANNEL);
    gateway.reply = () => refusal(404, 'BUS::CHANNEL_NOT_FOUND');
    await start({ GATEWAY_CHECK_INTERVAL_MS: '200' });
    const event = breach(1);
    await queue.enqueue([event]);
    const hasLetter = async (): Promise<boolean> => (await deadLetters.get(event.id)) !== undefined;
    await waitFor('the dead letter', hasLetter);
    await waitFor('an empty queue', isQueueEmpty);
    expect(await deadLetters.get(event.id)).toMatchObject({ cause: 'channel-missing' });
    gateway.reply = () => ACCEPT;
    gateway.channels = channels;
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await deadLetters.add(event, 'no channel', event.id, anHourAgo, 'channel-missing');
    await waitFor('the published event', () => published().length === 1);
    await waitFor('the removed dead letter', async () => !(await hasLetter()));
    const retried = () => lines.find(({ msg }) => msg === 'dead letter retried');
    expect(await waitFor('the log line', retried)).toMatchObject({ eventId: event.id });
  });
});

import type { DetectedEvent, SignedEvent } from '@ssb/events';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import {
  heartbeatMessage,
  marginEvent,
  marketTime,
  originDid,
  signedMessage,
} from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const otherOrigin = generatePrivateKey();

const fixture = SubscriberFixture.use();

/** The origin of WPGENCO and that of OTHER, each trusted for one participant. */
const trusting = (wpgenco: string, other: string) => ({
  trust: [
    { origins: [wpgenco], participants: ['WPGENCO'] },
    { origins: [other], participants: ['OTHER'] },
  ],
});

it('quarantines what an origin announces about a participant that it is not trusted for, until the configuration is corrected', async () => {
  const fact = { calculatedAt: marketTime(2) };
  const signedAt = new Date();
  const message = await signedMessage({ fact, signedAt });
  const heartbeat = await heartbeatMessage();
  const other = await signedMessage({ fact: { ...fact, participant: 'OTHER' }, signedAt });
  const swapped = fixture.environment(trusting(didOfKey(otherOrigin), originDid));
  const subscriber = await fixture.start(swapped);
  await fixture.deliver(message, heartbeat, other);
  await fixture.waitForDeliveries(1);
  const listOpen = async () =>
    (await fixture.queries.listQuarantined())
      .filter(({ releasedAt }) => releasedAt === undefined)
      .map(({ messageId, reason }) => [messageId, reason]);
  const reason = 'participant-not-allowed';
  expect(await listOpen()).toEqual([
    [message.id, reason],
    [heartbeat.id, reason],
  ]);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual([other.payload]);
  expect(await fixture.storage.database.query('SELECT participant FROM heartbeat')).toEqual([]);
  expect(await subscriber.metrics()).toMatch(/quarantined_total\{reason="participant-not-allowed"\} 2/);
  const archived = await fixture.queries.listArchived();
  expect(archived.map(({ text }) => JSON.parse(text) as unknown)).toContainEqual(
    expect.objectContaining({
      // Of no participant, because nothing shows that the fact is about this one.
      participant: '*',
      data: expect.objectContaining({
        reason: 'message-quarantined',
        detail: expect.stringMatching(`^${reason}: .* about WPGENCO `),
      }),
    }),
  );

  await fixture.start(fixture.environment(trusting(originDid, didOfKey(otherOrigin))));
  await fixture.waitForDeliveries(2);
  expect(fixture.deliveries[1]).toEqual({ body: message.payload, marks: 'late' });
  expect(await listOpen()).toEqual([]);
  expect(await fixture.storage.database.query('SELECT participant FROM heartbeat')).toEqual([
    { participant: 'WPGENCO' },
  ]);
});

it('an origin cannot suppress an event about another participant with its id or its subject', async () => {
  const options = { fact: { calculatedAt: marketTime(1) }, signedAt: new Date() };
  const genuine = await signedMessage(options);
  const { id, subject } = JSON.parse(genuine.payload) as SignedEvent;
  const own = marginEvent({ participant: 'OTHER' });
  const forge = (change: Partial<DetectedEvent>) =>
    signedMessage({ ...options, origin: otherOrigin, detected: { ...own, ...change } });
  const forged = [await forge({ id }), await forge({ subject, sequence: '9'.repeat(20) })];
  await fixture.start(fixture.environment(trusting(originDid, didOfKey(otherOrigin))));
  await fixture.deliver(...forged, genuine);
  await fixture.waitForDeliveries(1);
  expect(fixture.deliveries.map(({ body }) => body)).toEqual([genuine.payload]);
  const quarantined = await fixture.queries.listQuarantined();
  expect(quarantined.map(({ messageId, reason }) => [messageId, reason])).toEqual(
    forged.map((message) => [message.id, 'schema']),
  );
});

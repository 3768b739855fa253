import type { Message } from '@ssb/bus';
import { didOfKey, generatePrivateKey } from '@ssb/identity';
import { loadOperatorConfig } from '@ssb/config';
import { waitFor } from '@ssb/testing';
import { verdictFingerprint } from '../src/receiver/domain/verdict-fingerprint.js';
import type { RunningSubscriber } from './support/running-subscriber.js';
import { marketTime, originDid, signedMessage } from '@ssb/testing/signed-messages';
import { SubscriberFixture } from './support/subscriber-fixture.js';

const COUNT = 5;

describe('messages that a wrong configuration quarantined', () => {
  const fixture = SubscriberFixture.use();
  let messages: Message[];
  let wrong: RunningSubscriber;

  beforeEach(async () => {
    const calculations = Array.from({ length: COUNT }, (_, at) => marketTime(COUNT - at));
    const signedAt = new Date();
    messages = await Promise.all(
      calculations.map((calculatedAt) => signedMessage({ fact: { calculatedAt }, signedAt })),
    );
    wrong = await fixture.start(environmentOf([didOfKey(generatePrivateKey())]));
    await fixture.deliver(...messages);
  });

  /** Without a configured `alertsSince`, so that the first start decides it. */
  const environmentOf = (origins = [originDid]) => fixture.environment({ origins, alertsSince: undefined });

  const reasons = async () =>
    (await fixture.queries.listQuarantined()).map(({ reason, releasedAt }) =>
      releasedAt === undefined ? reason : 'released',
    );

  async function expectAllAlerted(): Promise<void> {
    await fixture.waitForDeliveries(COUNT);
    expect(fixture.deliveries).toEqual(messages.map(({ payload }) => ({ body: payload, marks: 'late' })));
    expect(await reasons()).toEqual(Array(COUNT).fill('released'));
    const [alert, ...archived] = await fixture.queries.listArchived();
    expect(JSON.parse(alert?.text ?? '')).toMatchObject({
      local: true,
      data: { reason: 'message-quarantined', count: COUNT },
    });
    expect(archived.map(({ text, marks }) => [text, marks])).toEqual(
      messages.map(({ payload }) => [payload, ['late']]),
    );
  }

  it('are archived and alerted after a restart with the right one, once', async () => {
    expect(await reasons()).toEqual(Array(COUNT).fill('origin-not-allowed'));
    expect(wrong.lines.filter(({ msg }) => msg === 'event archived')).toMatchObject([
      { eventType: 'settlementbus.bridge.alert.raised.v1', origin: 'local' },
    ]);
    const environment = environmentOf();
    const subscriber = await fixture.start(environment);
    await expectAllAlerted();
    await waitFor('the result', () =>
      subscriber.lines.some(
        ({ msg, evaluated, released }) =>
          msg === 'quarantine rechecked' && evaluated === COUNT && released === COUNT,
      ),
    );
    expect(await subscriber.metrics()).toMatch(/^settlement_bridge_subscriber_quarantine_released_total 5$/m);
    const again = await fixture.start(environment);
    await fixture.deliver({ ...(messages[0] as Message), id: 'posted-again' });
    expect(again.lines.filter(({ msg }) => msg === 'quarantine rechecked')).toEqual([]);
    expect(fixture.deliveries).toHaveLength(COUNT);
  });

  it('are evaluated when a person requests it, also at the next start, and stay quarantined while the configuration is wrong', async () => {
    await fixture.requestRecheck();
    expect(await endOfRequest()).toMatchObject({
      outcome: 'done',
      result: { evaluated: COUNT, released: 0, stillQuarantined: COUNT },
    });
    expect(fixture.deliveries).toEqual([]);

    const environment = environmentOf();
    // As if the start with this configuration had evaluated them already.
    const config = loadOperatorConfig(environment.variables['CONFIG_FILE'] ?? '', {});
    await fixture.stopSubscriber();
    await fixture.storage.server.query('UPDATE subscriber.quarantine_status SET evaluated_with = $1', [
      verdictFingerprint(config, 'eip191'),
    ]);
    await fixture.requestRecheck();
    await fixture.start(environment);
    await expectAllAlerted();
  });

  it('are reported and stay quarantined, when the database refuses them permanently', async () => {
    const { server } = fixture.storage;
    await fixture.stopSubscriber();
    await fixture.requestRecheck();
    // As if an earlier reader had evaluated some messages.
    await server.query(
      `UPDATE subscriber.request SET progress = '{"changed": 100, "total": 200, "released": 7}'`,
    );
    await server.query(
      'ALTER TABLE subscriber.archive ADD CONSTRAINT refused CHECK (origin = sender) NOT VALID',
    );
    const subscriber = await fixture.start(environmentOf());
    expect(await endOfRequest()).toEqual({
      outcome: 'failed',
      progress: { changed: 100 + COUNT, total: 100 + COUNT, released: 7 },
      result: {
        evaluated: 100 + COUNT,
        released: 7,
        stillQuarantined: COUNT,
        reason:
          'The recheck failed: the database refuses messages that pass: SQLSTATE 23514. Correct the cause, then request it again.',
      },
    });
    expect(subscriber.lines).toContainEqual(
      expect.objectContaining({ msg: 'quarantine release refused', messages: COUNT }),
    );
    expect(await reasons()).toEqual(Array(COUNT).fill('origin-not-allowed'));
    await server.query('ALTER TABLE subscriber.archive DROP CONSTRAINT refused');
  });

  const endOfRequest = (): Promise<Record<string, unknown>> =>
    waitFor('the end of the request', async () => {
      const [row] = await fixture.storage.database.query<Record<string, unknown>>(
        'SELECT outcome, result, progress FROM request WHERE finished_at IS NOT NULL',
      );
      return row;
    });
});

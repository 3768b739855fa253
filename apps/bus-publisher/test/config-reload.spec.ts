import { writeFileSync } from 'node:fs';
import { createAlertClearedEvent, createHeartbeatEvent } from '@ssb/events';
import { waitFor } from '@ssb/testing';
import {
  breach,
  CHANNEL,
  deadLetters,
  gateway,
  lines,
  published,
  queue,
  sentAlerts,
  sentFacts,
  setUpPublisherTests,
  start,
  writeConfig,
} from './support/running-publisher.js';

setUpPublisherTests();

const OTHER = 'other.channels.bridge.apps.participant.iam.market';
const RELOAD = { CONFIG_RELOAD_INTERVAL_MS: '20' };

const reloaded = (): Promise<unknown> =>
  waitFor('the reload', () => lines.find(({ msg }) => msg === 'configuration reloaded'));

it('a changed route is used for the next event, and its channel is checked', async () => {
  const file = writeConfig({});
  const { url } = await start({ ...RELOAD, CONFIG_FILE: file });
  await queue.enqueue([breach(1)]);
  await waitFor('the first event', () => published().length === 1);
  writeConfig({ channel: OTHER }, file);
  await reloaded();
  await queue.enqueue([breach(2)]);
  await waitFor('the second event', () => published().length === 2);
  expect(published().map(({ channel }) => channel)).toEqual([CHANNEL, OTHER]);
  // The gateway of the test does not know the channel.
  await waitFor('the fault', () =>
    lines.some(({ msg, channel }) => msg === 'fault reported' && channel === OTHER),
  );
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('settlement_bridge_config_reloads_total{outcome="applied"} 1');
});

it('the fault of a channel that left the file while no publisher ran ends at the next start', async () => {
  const first = await start({ CONFIG_FILE: writeConfig({ channel: OTHER }) });
  await waitFor('the fault', () => lines.some(({ msg }) => msg === 'operational alert queued'));
  await first.close();
  await start({ CONFIG_FILE: writeConfig({}) });
  await waitFor('the alert of its end', () => sentAlerts().some(({ type }) => type.includes('cleared')));
  expect(sentAlerts().at(-1)).toMatchObject({ data: { reason: 'channel-not-permitted', channel: OTHER } });
});

it('an event of a participant and a heartbeat on a channel that the file has a moment later are published', async () => {
  gateway.channels = [...gateway.channels, { ...gateway.channels[0], fqcn: OTHER }];
  const file = writeConfig({});
  await start({ ...RELOAD, CONFIG_FILE: file });
  await queue.enqueue([{ ...breach(1), participant: 'NEW' }]);
  const detection = { detectedAt: new Date(), traceparent: breach(1).traceparent };
  const [intervalMs, participant] = [60_000, 'WPGENCO'];
  const polls = { prudential: { intervalMs }, settlement: { intervalMs } };
  await queue.enqueueHeartbeat(
    createHeartbeatEvent({ participant, channel: OTHER, intervalMs, polls }, detection),
  );
  for (const message of ['event publication failed', 'heartbeat publication failed'])
    await waitFor(message, () => lines.some(({ msg }) => msg === message));
  writeConfig({ channel: OTHER, participants: ['WPGENCO', 'NEW'] }, file);
  await waitFor('both', () => gateway.received.filter(({ fqcn }) => fqcn === OTHER).length === 2);
  expect(await deadLetters.count()).toBe(0);
  expect(lines.filter(({ msg }) => msg === 'fault reported')).toEqual([]);
});

it('a file with errors is refused and reported, until it is right again', async () => {
  const file = writeConfig({});
  const { url } = await start({ ...RELOAD, CONFIG_FILE: file });
  writeFileSync(file, 'participants: []\n');
  await waitFor('the alert', () => sentAlerts().length === 1);
  expect(sentAlerts()[0]).toMatchObject({
    type: 'settlementbus.bridge.alert.raised.v1',
    participant: '*',
    data: { reason: 'configuration-refused', detail: expect.stringContaining('participants must have') },
  });
  await queue.enqueue([breach(1)]);
  await waitFor('an event with the previous configuration', () => sentFacts().length === 1);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('settlement_bridge_config_reloads_total{outcome="refused"} 1');
  writeConfig({}, file);
  await waitFor('the end of the alert', () => sentAlerts().length === 2);
  expect(sentAlerts()[1]).toMatchObject({ type: 'settlementbus.bridge.alert.cleared.v1' });
});

it('the end of an alert about a participant that the file does not name any more is published', async () => {
  await start(RELOAD);
  const detection = { detectedAt: new Date(), traceparent: breach(1).traceparent };
  const topic = { app: 'poller', reason: 'token-refused', participant: 'FORMER' } as const;
  const report = { ...topic, count: 1, since: new Date(), sequence: 1 };
  await queue.enqueue([createAlertClearedEvent(report, detection)]);
  await waitFor('the event', () => sentAlerts().length === 1);
  expect(sentAlerts()[0]).toMatchObject({
    type: 'settlementbus.bridge.alert.cleared.v1',
    participant: 'FORMER',
  });
});

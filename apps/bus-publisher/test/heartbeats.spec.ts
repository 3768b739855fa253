import { createHeartbeatEvent, validateEvent, type DetectedEvent } from '@ssb/events';
import { startOtlpCollector, waitFor } from '@ssb/testing';
import { startTracing } from '@ssb/platform';
import { ACCEPT } from './support/fake-gateway.js';
import {
  CHANNEL,
  deadLetters,
  gateway,
  isQueueEmpty,
  lines,
  OPERATIONS_CHANNEL,
  queue,
  refusal,
  sentAlerts,
  setUpPublisherTests,
  start,
} from './support/running-publisher.js';

setUpPublisherTests();

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function heartbeat(
  channel: string,
  ageMs = 0,
  marks: { readonly test?: true } = {},
): DetectedEvent<'settlementbus.bridge.heartbeat.v1'> {
  const intervalMs = 60_000;
  return createHeartbeatEvent(
    {
      participant: 'WPGENCO',
      channel,
      intervalMs,
      polls: { prudential: { intervalMs }, settlement: { intervalMs } },
      ...marks,
    },
    { detectedAt: new Date(Date.now() - ageMs), traceparent: TRACEPARENT },
  );
}

describe('a heartbeat', () => {
  const TYPE = 'settlementbus.bridge.heartbeat.v1';
  const TOPIC = 'bridge.heartbeat.v1';
  const received = () => gateway.received.filter(({ topic }) => topic === TOPIC);
  const dropped = async (url: string): Promise<number> => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const name = `settlement_bridge_publisher_attempts_total{type="${TYPE}",outcome="dropped"} `;
    return Number(metrics.split(name)[1]?.split('\n')[0] ?? 0);
  };

  it('goes to the channel in its data, and the next one follows', async () => {
    await start();
    for (const channel of [CHANNEL, OPERATIONS_CHANNEL]) await queue.enqueueHeartbeat(heartbeat(channel));
    await waitFor('both heartbeats', () => received().length === 2);
    expect(new Set(received().map(({ fqcn }) => fqcn))).toEqual(new Set([CHANNEL, OPERATIONS_CHANNEL]));
    expect(validateEvent(JSON.parse(received()[0]?.payload ?? '{}')).ok).toBe(true);
    await waitFor('an empty queue', isQueueEmpty);
    await queue.enqueueHeartbeat(heartbeat(CHANNEL));
    await waitFor('the next heartbeat', () => received().length === 3);
    expect(lines.filter(({ step, eventType }) => step === 'published' && eventType === TYPE)).toEqual([]);
  });

  it('older than three intervals is dropped', async () => {
    const { url } = await start();
    await queue.enqueueHeartbeat(heartbeat(CHANNEL, 181_000));
    await waitFor('the dropped heartbeat', async () => (await dropped(url)) === 1);
    await waitFor('an empty queue', isQueueEmpty);
    expect(received()).toEqual([]);
    expect(await deadLetters.count()).toBe(0);
  });

  it('that can never be published is a fault of its channel until one is published, and no dead letter', async () => {
    let exists = false;
    const { channels } = gateway;
    gateway.channels = channels.filter(({ fqcn }) => fqcn !== CHANNEL);
    gateway.reply = () =>
      !exists && gateway.received.at(-1)?.topic === TOPIC ? refusal(404, 'BUS::CHANNEL_NOT_FOUND') : ACCEPT;
    const { url } = await start();
    const faults = async (): Promise<unknown[]> =>
      ((await (await fetch(`${url}/health`)).json()) as { faults: unknown[] }).faults;
    for (const count of [1, 2]) {
      await queue.enqueueHeartbeat(heartbeat(CHANNEL));
      await waitFor('the dropped heartbeat', async () => (await dropped(url)) === count);
      await waitFor('an empty queue', isQueueEmpty);
    }
    expect(await faults()).toMatchObject([
      { reason: 'channel-not-permitted', participant: '*', channel: CHANNEL },
    ]);
    expect(await deadLetters.count()).toBe(0);
    expect(
      lines.filter(({ msg, reason }) => msg === 'fault reported' && reason === 'channel-not-permitted'),
    ).toHaveLength(1);
    expect(lines.filter(({ eventType, level }) => eventType === TYPE && level !== 'debug')).toEqual([]);
    exists = true;
    gateway.channels = channels;
    await queue.enqueueHeartbeat(heartbeat(CHANNEL));
    await waitFor('the end of the fault', async () => (await faults()).length === 0);
  });

  it('that is refused itself raises an alert of its participant unless it is a test, and is not dead-lettered', async () => {
    const collector = await startOtlpCollector();
    const tracing = await startTracing(collector.tracing);
    gateway.reply = () =>
      gateway.received.at(-1)?.topic === TOPIC ? refusal(422, 'BUS::MESSAGE_REJECTED') : ACCEPT;
    const { url } = await start();
    const test = heartbeat(CHANNEL, 0, { test: true });
    await queue.enqueue([test]);
    const result = await waitFor('the dropped test', async () => (await queue.progress(test.id)).result);
    expect([result, await dropped(url)]).toMatchObject([{ outcome: 'dropped' }, 1]);
    const event = heartbeat(CHANNEL);
    await queue.enqueueHeartbeat(event);
    await waitFor('the alert', () => sentAlerts().length === 1);
    expect(sentAlerts()[0]).toMatchObject({
      participant: 'WPGENCO',
      data: { reason: 'dead-letter', channel: CHANNEL, detail: expect.stringContaining(event.id) },
    });
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ faults: [] });
    expect(await deadLetters.count()).toBe(0);
    await waitFor('an empty queue', isQueueEmpty);
    await tracing.stop(5_000);
    await collector.stop();
    const span = collector.spans.find(({ attributes }) => attributes['cloudevents.event_type'] === TYPE);
    expect(span).toMatchObject({ failed: true, attributes: { 'settlement_bus.outcome': 'dropped' } });
  });
});

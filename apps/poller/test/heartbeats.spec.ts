import type { DetectedEvent } from '@ssb/events';
import { HEARTBEAT_TYPE } from '@ssb/config';
import { waitFor } from '@ssb/testing';
import { calculations, CALCULATIONS, factTime } from './support/market-responses.js';
import {
  CHANNELS,
  consume,
  lines,
  market,
  metric,
  participant,
  prefix,
  redis,
  setUpPollerTests,
  start,
  waitForEmptyQueue,
} from './support/running-poller.js';

type Heartbeat = DetectedEvent<typeof HEARTBEAT_TYPE>;

setUpPollerTests();

const isHeartbeat = (event: DetectedEvent): event is Heartbeat => event.type === HEARTBEAT_TYPE;

const queuedHeartbeats = async (url: string): Promise<number> =>
  Number(
    (await metric(url, `settlement_bridge_poller_events_total{type="${HEARTBEAT_TYPE}"}`))
      ?.split(' ')
      .at(-1) ?? 0,
  );

describe('heartbeats', () => {
  it('go to each channel, with the last successful poll of each interface, also of an earlier leader', async () => {
    const startedAt = new Date().toISOString();
    market.responses.set(CALCULATIONS, calculations(['09:00:00', '100000']));
    const { events, close } = consume();
    const onChannel = (channel: string): Heartbeat[] =>
      events.filter(isHeartbeat).filter(({ data }) => data.channel === channel);
    const first = await start({ HEARTBEAT_INTERVAL_MS: '100' });
    const hasSuccesses = ({ data: { polls } }: Heartbeat): boolean =>
      polls.prudential.lastSuccess !== undefined && polls.settlement.lastSuccess !== undefined;
    for (const channel of CHANNELS)
      await waitFor(`heartbeats on ${channel}`, () => onChannel(channel).some(hasSuccesses));
    const [earliest] = onChannel(CHANNELS[0]);
    // Sent before the first poll had ended.
    expect(earliest).toMatchObject({
      participant,
      data: { intervalMs: 100, polls: { prudential: { intervalMs: 100 }, settlement: { intervalMs: 200 } } },
    });
    expect(earliest?.data.polls.prudential).toEqual({ intervalMs: 100 });
    await first.close();
    await waitForEmptyQueue();
    events.length = 0;
    market.gate = new Promise(() => undefined);
    const { url } = await start({ HEARTBEAT_INTERVAL_MS: '60000', REQUEST_TIMEOUT_MS: '500' });
    await waitFor('heartbeats of the next leader', () => onChannel(CHANNELS[1]).length > 0);
    const { polls } = onChannel(CHANNELS[1])[0]?.data ?? {};
    for (const { lastSuccess = '' } of [polls?.prudential ?? {}, polls?.settlement ?? {}])
      expect(lastSuccess > startedAt && lastSuccess < new Date().toISOString()).toBe(true);
    const saved = [
      `settlement_bridge_poller_last_success_timestamp_seconds{participant="${participant}",poll="prudential"} ${Date.parse(polls?.prudential.lastSuccess ?? '') / 1_000}`,
      `settlement_bridge_poller_last_success_timestamp_seconds{participant="${participant}",poll="settlement"} ${Date.parse(polls?.settlement.lastSuccess ?? '') / 1_000}`,
      `settlement_bridge_poller_margin_level{participant="${participant}",level="WARNING"} 1`,
      `settlement_bridge_poller_last_calculation_timestamp_seconds{participant="${participant}"} ${Date.parse(factTime('09:00:00')) / 1_000}`,
    ];
    await waitFor('the saved values of the earlier leader', async () => {
      const shown = (await (await fetch(`${url}/metrics`)).text()).split('\n');
      return saved.every((line) => shown.includes(line));
    });
    await close();
  });

  it('wait once for each channel at most, leave no completed job, and come from the leader alone', async () => {
    const leader = await start({ HEARTBEAT_INTERVAL_MS: '100', LEASE_TTL_MS: '60000' });
    const standby = await start({ HEARTBEAT_INTERVAL_MS: '100', LEASE_TTL_MS: '60000' });
    await waitFor('many heartbeats', async () => (await queuedHeartbeats(leader.url)) > 4 * CHANNELS.length);
    expect(await queuedHeartbeats(standby.url)).toBe(0);
    await leader.close();
    await standby.close();
    const { events, close } = consume();
    await waitForEmptyQueue();
    await close();
    expect(events.filter(isHeartbeat).map(({ data }) => data.channel)).toEqual([...CHANNELS]);
    const completed = await redis.zrange(`${prefix}:settlement-events:completed`, '0', '-1');
    expect(completed.filter((id) => id.includes('heartbeat'))).toEqual([]);
    expect(lines.filter(({ msg, level }) => msg === 'heartbeat queued' && level !== 'debug')).toEqual([]);
  });
});

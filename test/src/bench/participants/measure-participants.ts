import { OperatorClient } from '@ssb/market/admin';
import { addDays, toMarketDate } from '@ssb/market';
import { waitFor } from '@ssb/testing';
import type { LogLine, ResourceStack } from '@ssb/tools';
import { Agent } from 'undici';
import { type MarketParticipant, MarketServices } from '../../harness/market-services.js';
import { formatInteger, formatMs, formatRatio, percentile, renderFencedTable } from '../figures.js';
import { reduced, type BenchOptions, type Section } from '../section.js';
import { MeasuredPoller } from './measured-poller.js';
import { PlayedDay } from './played-day.js';

const DAY_HOURS = 24;
/** Name of the measured process. */
const POLLER = 'poller';
/** The last calculation is queued within this time, and the first polls of a start have ended. */
const SETTLE_MS = 15_000;
const PEER_REQUESTS = 4_000;

/** One poller process that polls many participants of a sandbox operator, while a day is played at high speed. */
export const participants: Section = {
  name: 'participants',
  about:
    'one poller with --participants, while --hours are played --speed times faster than real time; one run',
  async run(options, print, resources) {
    const { participants: count, hours, speed } = options;
    const settleMs = reduced(SETTLE_MS, options);
    print('token service, reporting API and accounts …');
    let record: (line: LogLine) => void = () => undefined;
    const services = await MarketServices.start({
      onLog: (name, line) => {
        if (name === POLLER) record(line);
      },
    });
    await resources.defer(() => services.stop());
    const played: MarketParticipant[] = [];
    for (let number = 1; number <= count; number += 1)
      played.push(await services.createParticipant(`P${String(number).padStart(3, '0')}`));
    const single = await measureSingle(played.slice(0, 1), services, options, resources);
    const operator = new OperatorClient({
      baseUrl: services.market.operatorUrl,
      tokenSource: services.createTokenSource(await services.createOperatorAccount()),
    });
    await resources.defer(() => operator.close());
    const day = new PlayedDay(
      operator,
      played.map(({ code }) => code),
      speed,
    );
    record = (line) => day.record(line);
    await day.prepare();
    const poller = await MeasuredPoller.start(POLLER, played, services, { speed, resources });
    await pause(settleMs);
    const before = {
      processorMs: poller.processorMs,
      requests: await poller.sum('settlement_bridge_poller_requests_total'),
    };
    const started = performance.now();
    await day.play(hours, print);
    const elapsedMs = performance.now() - started;
    await pause(settleMs);
    // What is missed after this is a figure, not an error.
    await waitFor('the last events', () => day.result().missed === 0, SETTLE_MS).catch(() => undefined);
    const requests = (await poller.sum('settlement_bridge_poller_requests_total')) - before.requests;
    const processorMs = poller.processorMs - before.processorMs;
    const { resident, highest } = poller.memory();
    const lagMs = 1_000 * (await poller.sum('nodejs_eventloop_lag_p99_seconds'));
    const { delays, missed, repeated } = day.result();
    print('the same requests by a plain client …');
    const peerMs = await measurePeer(services, played, reduced(PEER_REQUESTS, options));
    const figures = {
      participants: count,
      hours,
      speed,
      requests,
      requestsPerSecond: requests / (elapsedMs / 1_000),
      requestsPerParticipantAndDay: (requests / count / hours) * DAY_HOURS,
      processorMsPerRequest: processorMs / requests,
      peerProcessorMsPerRequest: peerMs,
      coreShareInRealTime: processorMs / (elapsedMs * speed),
      residentMiB: resident,
      highestMiB: highest,
      residentOfOneMiB: single,
      eventLoopLagP99Ms: lagMs,
      events: delays.length,
      missed,
      repeated,
      delayMs: { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99), max: percentile(delays, 1) },
    };
    return { figures, report: describe(figures) };
  },
};

function describe(figures: {
  readonly [name: string]: number | { readonly p50: number; readonly p99: number; readonly max: number };
}): string {
  const value = (name: string): number => Number(figures[name]);
  const delay = figures['delayMs'] as { readonly p50: number; readonly p99: number; readonly max: number };
  const speed = value('speed');
  const played = (ms: number): string => `${((ms * speed) / 1_000).toFixed(1)} s of the played day`;
  const rows = [
    ['requests', formatInteger(value('requests')), `${formatInteger(value('requestsPerSecond'))}/s`],
    ['of a participant in a day', formatInteger(value('requestsPerParticipantAndDay')), ''],
    ['detection delay, p50', formatMs(delay.p50), played(delay.p50)],
    ['detection delay, p99', formatMs(delay.p99), played(delay.p99)],
    ['detection delay, maximum', formatMs(delay.max), played(delay.max)],
    ['events; missed; repeated', formatInteger(value('events')), `${value('missed')}; ${value('repeated')}`],
    ['memory of the poller', `${value('residentMiB')} MiB`, `highest ${value('highestMiB')} MiB`],
    ['with one participant', `${value('residentOfOneMiB')} MiB`, ''],
    [
      'processor time of a request',
      formatMs(value('processorMsPerRequest')),
      `plain client ${formatMs(value('peerProcessorMsPerRequest'))}, ratio ${formatRatio(value('processorMsPerRequest') / value('peerProcessorMsPerRequest'))}`,
    ],
    ['at the speed of a real day', `${(100 * value('coreShareInRealTime')).toFixed(1)} % of a core`, ''],
    ['event loop lag, p99', formatMs(value('eventLoopLagP99Ms')), ''],
  ];
  return [
    `One poller with ${value('participants')} participants, ${value('hours')} hours played ${speed} times faster: every interval is divided by ${speed}, the request`,
    'budgets are off. Each participant has a calculation every two hours, and a statement at 10:00 that is due all day. A delay is the time',
    'from the insertion at the operator to the event on the queue. The operator runs on the same machine.',
    '',
    renderFencedTable(['what', 'measured', ''], rows),
  ].join('\n');
}

/** @returns resident memory of a poller with one participant, MiB */
async function measureSingle(
  one: readonly MarketParticipant[],
  services: MarketServices,
  options: Pick<BenchOptions, 'speed' | 'divisor'>,
  resources: ResourceStack,
): Promise<number> {
  const { speed } = options;
  const poller = await MeasuredPoller.start('poller-single', one, services, { speed, resources });
  await pause(2 * reduced(SETTLE_MS, options));
  const { resident } = poller.memory();
  await poller.stop();
  return resident;
}

/** The poller's most frequent request by a client without anything else. @returns processor time of a request, milliseconds */
async function measurePeer(
  services: MarketServices,
  played: readonly MarketParticipant[],
  requests: number,
): Promise<number> {
  const today = toMarketDate(new Date());
  const path = `/api/v2/prudential?dateFrom=${addDays(today, -1)}&dateTo=${addDays(today, 31)}`;
  const { baseUrl } = services.clientOptions({});
  const clients = await Promise.all(
    played.map(async ({ account, tls }) => {
      const source = services.createTokenSource(account);
      const { value } = await source.token();
      await source.close();
      return { agent: new Agent({ connect: tls }), headers: { authorization: `Bearer ${value}` } };
    }),
  );
  const started = process.cpuUsage();
  for (let sent = 0; sent < requests; sent += clients.length)
    await Promise.all(
      clients.map(async ({ agent, headers }) => {
        const { statusCode, body } = await agent.request({ origin: baseUrl, path, method: 'GET', headers });
        await body.text();
        if (statusCode !== 200) throw new Error(`the operator responded with ${statusCode}`);
      }),
    );
  const { user, system } = process.cpuUsage(started);
  await Promise.all(clients.map(({ agent }) => agent.close()));
  return (user + system) / 1_000 / (Math.ceil(requests / clients.length) * clients.length);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

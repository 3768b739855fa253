import {
  addDays,
  parseDecimal,
  parseMarketDate,
  parseMarketDateTime,
  type SettlementStatementSummary,
  startOfDay,
} from '@ssb/market';
import { OperatorClient } from '@ssb/market/admin';
import { Agent } from 'undici';
import { MarketServices } from '../../harness/market-services.js';
import {
  buildRow,
  formatInteger,
  formatMs,
  formatRate,
  formatRatio,
  median,
  renderFencedTable,
} from '../figures.js';
import { type LoadRequest, type LoadResult, runAlternately, runLoad } from '../load.js';
import { startPeer } from '../peer-process.js';
import { readMemoryUsage } from '../process-usage.js';
import type { Section } from '../section.js';

const PARTICIPANT = 'WPGENCO';
const IN_FLIGHT = 50;

/** Repeated requests for one statement, at the reporting API and at plain Fastify that serves the same bytes. */
export const reporting: Section = {
  name: 'reporting',
  about: 'a settlement statement over TLS, and plain Fastify serving the same bytes',
  async run({ runs, requests }, print, resources) {
    const services = await MarketServices.start();
    await resources.defer(() => services.stop());
    const { url, operatorUrl, process } = services.market;
    const statement = buildStatement(PARTICIPANT);
    const tokenSource = services.createTokenSource(await services.createOperatorAccount());
    const operator = new OperatorClient({ baseUrl: operatorUrl, tokenSource });
    await operator.load({ kind: 'statements', record: { statement } });
    await operator.close();
    const { account, tls } = await services.createParticipant(PARTICIPANT);
    const client = new Agent({ connections: IN_FLIGHT, connect: tls });
    await resources.defer(() => client.close());
    const tokens = services.createTokenSource(account);
    const headers = { authorization: `Bearer ${(await tokens.token()).value}` };
    await tokens.close();
    const path = `/api/v2/settlements/WEM/summary/${statement.periodFrom.slice(0, 10)}/INITIAL`;
    const reportingRequest: LoadRequest = { client, origin: url, path, headers };

    const response = await client.request({ origin: url, path, method: 'GET', headers });
    const body = await response.body.text();
    const peer = await startPeer(new URL('./peer-server.js', import.meta.url), [
      services.writeFile('body.json', body),
      ...['reporting.pem', 'reporting.key', 'ca.pem'].map((name) => services.pathOf(name)),
    ]);
    await resources.defer(() => peer.stop());
    const peerRequest: LoadRequest = { ...reportingRequest, origin: `https://127.0.0.1:${peer.port}` };

    // A first pass without measurement warms up compilers and connections.
    for (const request of [reportingRequest, peerRequest]) await runLoad(request, requests, IN_FLIGHT);
    const measured: { reporting: LoadResult; fastify: LoadResult }[] = [];
    for (let run = 1; run <= runs; run += 1) {
      print(`run ${run} of ${runs}: ${requests} requests each …`);
      const [api, fastify] = await runAlternately(reportingRequest, peerRequest, requests, IN_FLIGHT);
      measured.push({ reporting: api, fastify });
    }
    const ratios = measured.map((run) => run.reporting.perSecond / run.fastify.perSecond);
    const rows = [
      buildRow(
        'reporting API, requests',
        measured.map((run) => run.reporting.perSecond),
        formatRate,
      ),
      buildRow(
        'plain Fastify, requests',
        measured.map((run) => run.fastify.perSecond),
        formatRate,
      ),
      buildRow('ratio (goal: at least 0.4)', ratios, formatRatio),
      buildRow(
        'reporting API, p50',
        measured.map((run) => run.reporting.p50),
        formatMs,
      ),
      buildRow(
        'reporting API, p99',
        measured.map((run) => run.reporting.p99),
        formatMs,
      ),
      buildRow(
        'plain Fastify, p99',
        measured.map((run) => run.fastify.p99),
        formatMs,
      ),
    ];
    const [memory] = readMemoryUsage([{ name: 'reporting', pid: process.pid }]);
    const report = [
      `${runs} runs of ${formatInteger(requests)} requests each, alternating, for a statement of ${formatInteger(body.length)} bytes, ${IN_FLIGHT} in flight, TLS with client certificates at both.`,
      `The reporting API also checks certificate, token and path. Resident memory afterwards: ${memory?.resident ?? 0} MiB, highest ${memory?.highest ?? 0} MiB.`,
      '',
      renderFencedTable(['what', 'median', 'runs'], rows),
    ].join('\n');
    return { figures: { measured, ratio: median(ratios), bytes: body.length, memory }, report };
  },
};

const VARIABLES = ['ENERGY_PAYMENT', 'CAPACITY_PAYMENT', 'ENERGY_CHARGE', 'SERVICES_CHARGE', 'MARKET_FEES'];

/** A WEM statement of one week. Its figures use all 23 digits. */
function buildStatement(participantCode: string): SettlementStatementSummary {
  const from = parseMarketDate('2026-03-01');
  const days = Array.from({ length: 7 }, (_, index) => addDays(from, index));
  return {
    runId: 1,
    publishedAt: parseMarketDateTime('2026-03-13T09:30:00'),
    marketService: 'WEM',
    designation: 'INITIAL',
    period: 'TW 01 MAR 2026',
    periodFrom: startOfDay(from),
    periodTo: startOfDay(addDays(from, 6)),
    participantCode,
    tradingDays: days.map((day) => ({
      tradingDay: startOfDay(day),
      variables: VARIABLES.map((variable, index) => ({
        variable,
        pOrC: index < 2 ? 'P' : 'C',
        gstApplicable: 'Y',
        value: parseDecimal(`12345678901234${index}.12345678`),
      })),
    })),
  };
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fenced, figure, milliseconds, whole } from '../figures.js';
import { load, loadByTurns, type LoadRequest, type LoadResult } from '../load.js';
import { memoryOf } from '../process-usage.js';
import type { Section } from '../section.js';
import { median } from '../statistics.js';
import { startPlainPeer } from './plain-peer.js';
import { startReporting } from './running-reporting.js';
import { oneStatement } from './statement.js';

const PARTICIPANT = 'WPGENCO';
const IN_FLIGHT = 50;

/** One statement, asked for again and again: the reporting API beside plain Fastify that serves the same bytes. */
export const reporting: Section = {
  name: 'reporting',
  about: 'a settlement statement over TLS, and plain Fastify serving the same bytes',
  async run({ runs, requests }, say, stops) {
    const running = await startReporting();
    stops.add(() => running.stop());
    const statement = oneStatement(PARTICIPANT);
    await running.operator.loadStatement(statement);
    const client = await running.connect(PARTICIPANT, IN_FLIGHT);
    stops.add(() => client.close());
    const headers = { authorization: `Bearer ${await running.token(PARTICIPANT)}` };
    const path = `/api/v2/settlements/WEM/summary/${statement.periodFrom.slice(0, 10)}/INITIAL`;
    const real: LoadRequest = { client, origin: running.url, path, headers };

    const answer = await client.request({ origin: running.url, path, method: 'GET', headers });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    const bodyFile = join(running.folder, 'body.json');
    writeFileSync(bodyFile, bytes);
    const peer = await startPlainPeer(bodyFile, running.server, running.ca);
    stops.add(() => peer.stop());
    const plain: LoadRequest = { ...real, origin: peer.url };

    // An unmeasured pass each: compilers and connections warm up.
    for (const request of [real, plain]) await load(() => request, requests, IN_FLIGHT);
    const measured: { ours: LoadResult; peer: LoadResult }[] = [];
    for (let run = 1; run <= runs; run += 1) {
      say(`run ${run} of ${runs}: ${requests} requests each …`);
      const [ours, peer] = await loadByTurns(real, plain, requests, IN_FLIGHT);
      measured.push({ ours, peer });
    }
    const ratios = measured.map(({ ours, peer }) => ours.perSecond / peer.perSecond);
    const perSecond = (value: number): string => `${whole(value)}/s`;
    const rows = [
      figure(
        'reporting API, requests',
        measured.map(({ ours }) => ours.perSecond),
        perSecond,
      ),
      figure(
        'plain Fastify, requests',
        measured.map(({ peer }) => peer.perSecond),
        perSecond,
      ),
      figure('ratio (goal: at least 0.6)', ratios, (value) => value.toFixed(2)),
      figure(
        'reporting API, p50',
        measured.map(({ ours }) => ours.p50),
        milliseconds,
      ),
      figure(
        'reporting API, p99',
        measured.map(({ ours }) => ours.p99),
        milliseconds,
      ),
      figure(
        'plain Fastify, p99',
        measured.map(({ peer }) => peer.p99),
        milliseconds,
      ),
    ];
    const [memory] = memoryOf([{ name: 'reporting', pid: running.process.pid }]);
    const report = [
      `${runs} runs of ${whole(requests)} requests each, by turns, for a statement of ${whole(bytes.length)} bytes, ${IN_FLIGHT} in flight, TLS with client certificates in both;`,
      `ours also checks certificate, token and path. Resident memory afterwards: ${memory?.resident ?? 0} MiB, highest ${memory?.highest ?? 0} MiB.`,
      '',
      fenced(['what', 'median', 'runs'], rows),
    ].join('\n');
    return { figures: { measured, ratio: median(ratios), bytes: bytes.length, memory }, report };
  },
};

import { fenced, figure, milliseconds, whole } from '../figures.js';
import { load, type LoadRequest, type LoadResult } from '../load.js';
import { memoryOf } from '../process-usage.js';
import type { Section } from '../section.js';
import { median } from '../statistics.js';
import { bareJose } from './bare-jose.js';
import { startToken } from './running-token.js';

const IN_FLIGHT = 16;
const SCOPES = ['PRUDENTIAL|WPGENCO|R', 'SETTLEMENT|WPGENCO|R'];

/** One client that asks for one token after the other, and jose signing the same tokens by itself. */
export const token: Section = {
  name: 'token',
  about: 'access tokens issued over TLS, and bare jose signing the same',
  async run({ runs, requests }, say, stops) {
    const running = await startToken(SCOPES, IN_FLIGHT);
    stops.add(() => running.stop());
    const { id, secret } = running.account;
    const request: LoadRequest = {
      client: running.client,
      origin: running.url,
      path: '/oauth/v1/token',
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
      }).toString(),
    };
    // The first token alone: it costs the memory-hard hash of the secret, which is remembered afterwards.
    const first = await load(() => request, 1, 1);
    await load(() => request, requests / 4, IN_FLIGHT);
    await bareJose(SCOPES.join(' '), requests / 4);
    const measured: { issued: LoadResult; signed: number }[] = [];
    for (let run = 1; run <= runs; run += 1) {
      say(`run ${run} of ${runs}: ${requests} tokens each …`);
      const issued = await load(() => request, requests, IN_FLIGHT);
      measured.push({ issued, signed: await bareJose(SCOPES.join(' '), requests) });
    }
    const ratios = measured.map(({ issued, signed }) => issued.perSecond / signed);
    const perSecond = (value: number): string => `${whole(value)}/s`;
    const rows = [
      figure(
        'tokens issued',
        measured.map(({ issued }) => issued.perSecond),
        perSecond,
      ),
      figure(
        'tokens signed by bare jose',
        measured.map(({ signed }) => signed),
        perSecond,
      ),
      figure('ratio', ratios, (value) => value.toFixed(2)),
      figure(
        'issued, p50',
        measured.map(({ issued }) => issued.p50),
        milliseconds,
      ),
      figure(
        'issued, p99',
        measured.map(({ issued }) => issued.p99),
        milliseconds,
      ),
      figure('first token of a client', [first.p50], milliseconds),
    ];
    const [memory] = memoryOf([{ name: 'token', pid: running.process.pid }]);
    const report = [
      `${runs} runs of ${whole(requests)} tokens, ${IN_FLIGHT} in flight over kept-alive TLS connections; bare jose signs one after the other. A secret that was`,
      'right is remembered in the process, so only the first token of a client costs the memory-hard hash.',
      `Resident memory afterwards: ${memory?.resident ?? 0} MiB, highest ${memory?.highest ?? 0} MiB.`,
      '',
      fenced(['what', 'median', 'runs'], rows),
    ].join('\n');
    return { figures: { measured, ratio: median(ratios), first, memory }, report };
  },
};

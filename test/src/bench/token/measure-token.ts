import { generateKeyPair, SignJWT } from 'jose';
import { randomUUID } from 'node:crypto';
import {
  buildRow,
  formatInteger,
  formatMs,
  formatRate,
  formatRatio,
  median,
  renderFencedTable,
} from '../figures.js';
import { type LoadRequest, type LoadResult, runLoad } from '../load.js';
import { readMemoryUsage } from '../process-usage.js';
import type { Section } from '../section.js';
import { startTokenService } from './running-token.js';

const IN_FLIGHT = 16;
const SCOPES = ['PRUDENTIAL|WPGENCO|R', 'SETTLEMENT|WPGENCO|R'];

/** One client that requests many tokens, and jose alone signing the same tokens. */
export const token: Section = {
  name: 'token',
  about: 'access tokens issued over TLS, and jose alone signing the same tokens',
  async run({ runs, requests }, print, resources) {
    const running = await startTokenService(SCOPES, IN_FLIGHT);
    await resources.defer(() => running.stop());
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
    // The first token is measured alone, because only it costs the memory-hard hash of the secret.
    const first = await runLoad(() => request, 1, 1);
    await runLoad(() => request, requests / 4, IN_FLIGHT);
    await signWithJose(SCOPES.join(' '), requests / 4);
    const measured: { issued: LoadResult; signed: number }[] = [];
    for (let run = 1; run <= runs; run += 1) {
      print(`run ${run} of ${runs}: ${requests} tokens each …`);
      const issued = await runLoad(() => request, requests, IN_FLIGHT);
      measured.push({ issued, signed: await signWithJose(SCOPES.join(' '), requests) });
    }
    const ratios = measured.map(({ issued, signed }) => issued.perSecond / signed);
    const rows = [
      buildRow(
        'tokens issued',
        measured.map(({ issued }) => issued.perSecond),
        formatRate,
      ),
      buildRow(
        'tokens signed by jose alone',
        measured.map(({ signed }) => signed),
        formatRate,
      ),
      buildRow('ratio', ratios, formatRatio),
      buildRow(
        'issued, p50',
        measured.map(({ issued }) => issued.p50),
        formatMs,
      ),
      buildRow(
        'issued, p99',
        measured.map(({ issued }) => issued.p99),
        formatMs,
      ),
      buildRow('first token of a client', [first.p50], formatMs),
    ];
    const [memory] = readMemoryUsage([{ name: 'token', pid: running.process.pid }]);
    const report = [
      `${runs} runs of ${formatInteger(requests)} tokens, ${IN_FLIGHT} in flight over persistent TLS connections; jose alone signs one after the other. The service`,
      'caches verified secrets, so only the first token of a client costs the memory-hard hash.',
      `Resident memory afterwards: ${memory?.resident ?? 0} MiB, highest ${memory?.highest ?? 0} MiB.`,
      '',
      renderFencedTable(['what', 'median', 'runs'], rows),
    ].join('\n');
    return { figures: { measured, ratio: median(ratios), first, memory }, report };
  },
};

/** Tokens per second that jose signs on one thread, with the same header, claims and curve. */
async function signWithJose(scope: string, tokens: number): Promise<number> {
  const { privateKey } = await generateKeyPair('ES256');
  const started = performance.now();
  for (let token = 0; token < tokens; token += 1)
    await new SignJWT({ client_id: 'bench', scope })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'bench' })
      .setIssuer('https://127.0.0.1')
      .setSubject('bench')
      .setAudience('urn:settlement-bus-bridge:data-exchange')
      .setIssuedAt()
      .setExpirationTime('1h')
      .setJti(randomUUID())
      .sign(privateKey);
  return tokens / ((performance.now() - started) / 1000);
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { REPOSITORY } from '../system/app-process.js';

/** A fact that the bridge must state. */
export interface ExpectedEvent {
  readonly type: string;
  readonly subject: string;
}

const scenarioSchema = z.object({ expect: z.array(z.tuple([z.string(), z.string()])).min(1) });

/** Market time is UTC+8 all year. */
const MARKET_OFFSET_MS = 8 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** What a scenario's page says must come of it, with its relative days counted from `now` in market time. */
export function expectedEvents(scenario: string, participant: string, now: Date): ExpectedEvent[] {
  const file = join(REPOSITORY, 'apps/simulator/scenarios', `${scenario}.yaml`);
  const { expect } = scenarioSchema.parse(parse(readFileSync(file, 'utf8')));
  return expect.map(([type, subject]) => ({ type, subject: resolve(subject, participant, now) }));
}

function resolve(template: string, participant: string, now: Date): string {
  return template
    .replaceAll('{participant}', participant)
    .replace(/\{today(?:([+-]\d+))?\}/g, (_, days = '0') =>
      new Date(now.getTime() + MARKET_OFFSET_MS + Number(days) * DAY_MS).toISOString().slice(0, 10),
    );
}

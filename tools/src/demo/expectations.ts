import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

/** A fact that the bridge must state. */
export interface ExpectedEvent {
  readonly type: string;
  readonly subject: string;
}

/** A scenario that does not say what must come of it, as one without an end cannot. */
export class NothingExpectedError extends Error {
  override readonly name = 'NothingExpectedError';

  constructor(options?: ErrorOptions) {
    super(
      'The scenario does not say what must come of it: it needs a list "expect" of [type, subject], which a scenario without an end has not.',
      options,
    );
  }
}

const scenarioSchema = z.object({ expect: z.array(z.tuple([z.string(), z.string()])).min(1) });

/** Market time is UTC+8 all year. */
const MARKET_OFFSET_MS = 8 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** The events that a scenario file says must come of a play that begins `now`. @throws NothingExpectedError */
export function readExpectations(file: string, participant: string, now: Date): ExpectedEvent[] {
  return expectedEvents(parse(readFileSync(file, 'utf8')), participant, now);
}

/**
 * What must come of a scenario, with its relative days counted from `now` in market time. Pure.
 * @throws NothingExpectedError
 */
export function expectedEvents(scenario: unknown, participant: string, now: Date): ExpectedEvent[] {
  const read = scenarioSchema.safeParse(scenario);
  if (!read.success) throw new NothingExpectedError({ cause: read.error });
  return read.data.expect.map(([type, subject]) => ({ type, subject: fillIn(subject, participant, now) }));
}

function fillIn(template: string, participant: string, now: Date): string {
  const today = new Date(now.getTime() + MARKET_OFFSET_MS);
  return template
    .replaceAll('{participant}', participant)
    .replace(/\{(today|month)([+-]\d+)?\}/g, (_, unit: string, count = '0') => {
      const day =
        unit === 'today'
          ? new Date(today.getTime() + Number(count) * DAY_MS)
          : new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + Number(count), 1));
      return day.toISOString().slice(0, 10);
    });
}

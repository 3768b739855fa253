import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

export interface ExpectedEvent {
  readonly type: string;
  readonly subject: string;
}

/** A scenario expects no events. */
export class NoExpectedEventsError extends Error {
  override readonly name = 'NoExpectedEventsError';

  constructor(options?: ErrorOptions) {
    super(
      'The scenario has no list "expect" of [type, subject]. Choose a scenario with an end, and list the events that it must cause.',
      options,
    );
  }
}

const expectSchema = z.array(z.tuple([z.string(), z.string()])).min(1);

/** The expected events of a scenario file. Their subjects contain placeholders. @throws NoExpectedEventsError */
export function readExpectedEvents(file: string): ExpectedEvent[] {
  const scenario = parse(readFileSync(file, 'utf8')) as { expect?: unknown } | null;
  return parseExpectedEvents(scenario?.expect);
}

/** @param expect pairs of type and subject, from a scenario or the simulator's log @throws NoExpectedEventsError */
export function parseExpectedEvents(expect: unknown): ExpectedEvent[] {
  const parsed = expectSchema.safeParse(expect);
  if (!parsed.success) throw new NoExpectedEventsError({ cause: parsed.error });
  return parsed.data.map(([type, subject]) => ({ type, subject }));
}

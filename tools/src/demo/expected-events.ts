import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

export interface ExpectedEvent {
  readonly type: string;
  readonly subject: string;
}

export class NothingExpectedError extends Error {
  override readonly name = 'NothingExpectedError';

  constructor(options?: ErrorOptions) {
    super(
      'The scenario does not say what must come of it: it needs a list "expect" of [type, subject], which a scenario without an end has not.',
      options,
    );
  }
}

const expectSchema = z.array(z.tuple([z.string(), z.string()])).min(1);

/** The events that a scenario file expects; their subjects have placeholders. @throws NothingExpectedError */
export function readExpectations(file: string): ExpectedEvent[] {
  const scenario = parse(readFileSync(file, 'utf8')) as { expect?: unknown } | null;
  return expectedEvents(scenario?.expect);
}

/** @param expect pairs of type and subject, of a scenario or of the simulator's log @throws NothingExpectedError */
export function expectedEvents(expect: unknown): ExpectedEvent[] {
  const read = expectSchema.safeParse(expect);
  if (!read.success) throw new NothingExpectedError({ cause: read.error });
  return read.data.map(([type, subject]) => ({ type, subject }));
}

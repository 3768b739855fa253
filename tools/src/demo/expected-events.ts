import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';

export interface ExpectedEvent {
  readonly type: string;
  readonly subject: string;
}

const NO_EVENTS =
  'The scenario has no list "expect" of events with type and subject. Choose a scenario with an end, and list the events that it must cause.';

/** An expectation of a scenario; `type` is the short name, such as `margin.breached`. */
const expectations = z.array(z.looseObject({ type: z.string(), subject: z.string() })).min(1);
/** What the simulator logs. */
const pairs = z.array(z.tuple([z.string(), z.string()])).min(1);

/** The expected events of a scenario file. Their subjects contain placeholders. @throws Error when it expects none */
export function readExpectedEvents(file: string): ExpectedEvent[] {
  const scenario = parse(readFileSync(file, 'utf8')) as { expect?: unknown } | null;
  const found = expectations.safeParse(scenario?.expect);
  if (!found.success) throw new Error(NO_EVENTS, { cause: found.error });
  return found.data.map(({ type, subject }) => ({ type: `settlementbus.${type}.v1`, subject }));
}

/** @param expect pairs of type and subject from the simulator's log @throws Error when it expects none */
export function parseExpectedEvents(expect: unknown): ExpectedEvent[] {
  const parsed = pairs.safeParse(expect);
  if (!parsed.success) throw new Error(NO_EVENTS, { cause: parsed.error });
  return parsed.data.map(([type, subject]) => ({ type, subject }));
}

import {
  choice,
  commonSettings,
  defineSettings,
  flag,
  httpUrl,
  list,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';
import { z } from 'zod';
import { isMarketDate, type MarketDate } from '@ssb/market';

/** Characters of a participant code that every resource takes (document 000, SettlementOutputDetails). */
const MAX_CODE_LENGTH = 20;

/** A day in market time. */
function marketDay(): z.ZodType<MarketDate | undefined> {
  return z.string().refine(isMarketDate).optional().describe('a date yyyy-MM-dd');
}

/** Settings of the simulator. */
export const definition = defineSettings({
  ...commonSettings,
  PORT: { schema: port(), default: '4005', doc: 'Health and metrics.' },
  SCENARIO: {
    schema: text('the name of a scenario of the simulator, or the path of a YAML file'),
    default: 'everyday',
    doc: 'The scenario to run: one of apps/simulator/scenarios (demo, everyday, normal-week …), or another file.',
  },
  PARTICIPANTS: {
    schema: list('participant codes, separated by commas')
      .pipe(z.array(z.string().max(MAX_CODE_LENGTH)).min(1))
      .refine((codes) => new Set(codes).size === codes.length)
      .describe('participant codes of at most 20 characters, separated by commas, each once'),
    default: 'WPGENCO',
    doc: 'The participants whose records are published.',
  },
  SEED: {
    schema: optional(text()),
    doc: "Determines all figures. When unset, the scenario's own seed.",
  },
  SPEED: {
    schema: z
      .string()
      .regex(/^(?:\d+(?:\.\d+)?|max)$/)
      .transform((text) => (text === 'max' ? Infinity : Number(text)))
      .refine((speed) => speed === Infinity || (speed >= 0.01 && speed <= 1_000_000))
      .describe('a number from 0.01 to 1000000, or max'),
    default: '1',
    doc: 'How many times faster than written the scenario runs; max does not wait.',
  },
  STEP: {
    schema: flag(),
    default: 'false',
    doc: 'Whether each line on standard input, such as the return key, starts the next step.',
  },
  FROM: {
    schema: marketDay(),
    doc: 'The first market day of a simulated clock that runs at SPEED. When unset, today and the real time.',
  },
  UNTIL: {
    schema: marketDay(),
    doc: 'The last market day of an endless scenario that begins on FROM. When unset, today with SPEED=max, otherwise no end.',
  },
  AT_END: {
    schema: choice(['stay', 'exit']),
    default: 'stay',
    doc: 'After the scenario, stay serves health and metrics; exit ends the process.',
  },
  STATE_FILE: {
    schema: text('the path of a file'),
    default: '.data/simulator/progress.json',
    doc: 'Where an endless scenario saves its progress, to resume it after a restart.',
  },
  OPERATOR_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4004',
    doc: 'The operator API of the reporting service.',
  },
  TOKEN_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4001',
    doc: 'The token service, without /oauth/v1/token.',
  },
  TOKEN_CLIENT_ID: {
    schema: text('an account of the token service'),
    doc: 'Account with MARKETRECORDS|OPERATOR|C, and MARKETFAULTS|OPERATOR|C for scenarios with an outage.',
  },
  TOKEN_CLIENT_SECRET: { schema: text(), doc: 'Secret of the account.', secret: true },
  CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Private authority of TOKEN_URL and OPERATOR_URL.',
  },
});

export type Settings = SettingsOf<typeof definition>;

/** Settings of the command line override the environment. @param given by variable name */
export function overrideEnvironment(given: Readonly<Record<string, string>>): void {
  Object.assign(process.env, given);
}

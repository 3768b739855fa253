import {
  commonSettings,
  defineSettings,
  httpUrl,
  list,
  optional,
  port,
  text,
  type SettingsOf,
} from '@ssb/platform';
import { z } from 'zod';

/** Settings of the simulator. */
export const definition = defineSettings({
  ...commonSettings,
  PORT: { schema: port(), default: '4005', doc: 'Health and metrics.' },
  SCENARIO: {
    schema: text('the name of a scenario that comes with the simulator, or the path of a YAML file'),
    default: 'everyday',
    doc: 'What is played: demo (some twelve seconds, with an end), everyday (endless), or a file of your own.',
  },
  PARTICIPANTS: {
    schema: list('participant codes, separated by commas')
      .pipe(z.array(z.string()).min(1))
      .describe('participant codes, separated by commas'),
    default: 'WPGENCO',
    doc: 'For whom records are published.',
  },
  SEED: {
    schema: optional(text()),
    doc: "The play's figures depend on it alone; the scenario's own seed when unset.",
  },
  SPEED: {
    schema: z
      .string()
      .regex(/^\d+(\.\d+)?$/)
      .transform(Number)
      .pipe(z.number().min(0.01).max(1_000))
      .describe('a number from 0.01 to 1000'),
    default: '1',
    doc: 'How many times faster than written the scenario is played.',
  },
  STATE_FILE: {
    schema: text('the path of a file'),
    default: '.data/simulator/progress.json',
    doc: 'Where an endless play notes how far it has come, to go on there after a restart.',
  },
  OPERATOR_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4004',
    doc: "The reporting API's operator's door.",
  },
  TOKEN_URL: {
    schema: httpUrl(),
    default: 'http://127.0.0.1:4001',
    doc: 'The token service, without /oauth/v1/token.',
  },
  TOKEN_CLIENT_ID: {
    schema: text('an account of the token service'),
    doc: 'Account that holds MARKETRECORDS|OPERATOR|C.',
  },
  TOKEN_CLIENT_SECRET: { schema: text(), doc: "The account's password.", secret: true },
  CA_FILE: {
    schema: optional(text('the path of a PEM file')),
    doc: 'Private authority behind TOKEN_URL and OPERATOR_URL, if they have one.',
  },
});

export type Settings = SettingsOf<typeof definition>;

import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { app } from '../../src/app.js';
import { definition } from '../../src/settings.js';
import { EXIT, STEP_INPUT } from '../../src/simulation-runner.js';

/** A line of the app's log. */
export interface Line {
  step?: string;
  msg: string;
  kind?: string;
  subject?: string;
  level: string;
  publishedAt?: string;
  expect?: [string, string][];
  published?: { kind: string; participant: string; records: number }[];
  loaded?: number;
  alreadyThere?: number;
  reason?: string;
}

export interface RunningSimulator {
  app: BuiltApp;
  lines: Line[];
  /** Resolves with the first line of this step. */
  untilStep(step: string): Promise<Line>;
}

/** Replaces standard input and the end of the process. */
export interface ProcessEdges {
  stepInput?: NodeJS.ReadableStream;
  exit?: () => void;
}

/** Starts the real app and collects its log. */
export async function runSimulator(
  environment: Record<string, string>,
  { stepInput, exit = () => undefined }: ProcessEdges = {},
): Promise<RunningSimulator> {
  const lines: Line[] = [];
  const stream = { write: (text: string) => void lines.push(JSON.parse(text) as Line) };
  const settings = readSettings(definition, {
    PORT: '0',
    TOKEN_CLIENT_ID: 'operator',
    TOKEN_CLIENT_SECRET: 'a secret',
    ...environment,
  });
  const log = createLogger({ name: 'simulator', level: 'info', format: 'json', stream });
  const module = async (given: typeof settings) => {
    const whole = await app.module(given);
    const edges = [
      { provide: STEP_INPUT, useValue: () => stepInput },
      { provide: EXIT, useValue: exit },
    ];
    return { ...whole, providers: [...(whole.providers ?? []), ...edges] };
  };
  const built = await buildApp({ ...app, module }, settings, log);
  await built.listen();
  return {
    app: built,
    lines,
    untilStep: (step) => waitFor(`the log line ${step}`, () => lines.find((line) => line.step === step)),
  };
}

import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { waitFor } from '@ssb/testing';
import { simulatorApp } from '../../src/simulator.app.js';
import { definition } from '../../src/settings.js';
import { EXIT, STEP_INPUT } from '../../src/simulation/simulation-runner.js';

/** A line of the log. */
export interface LogLine {
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
  lines: LogLine[];
  /** Resolves with the first line of this step. */
  untilStep(step: string): Promise<LogLine>;
}

/** Replacements for standard input and the exit of the process. */
export interface ProcessReplacements {
  stepInput?: NodeJS.ReadableStream;
  exit?: () => void;
}

/** Starts the real app and collects its log lines. */
export async function runSimulator(
  environment: Record<string, string>,
  { stepInput, exit = () => undefined }: ProcessReplacements = {},
): Promise<RunningSimulator> {
  const lines: LogLine[] = [];
  const stream = { write: (text: string) => void lines.push(JSON.parse(text) as LogLine) };
  const settings = readSettings(definition, {
    PORT: '0',
    TOKEN_CLIENT_ID: 'operator',
    TOKEN_CLIENT_SECRET: 'a secret',
    ...environment,
  });
  const log = createLogger({ name: 'simulator', level: 'info', format: 'json', stream });
  const module = async (moduleSettings: typeof settings) => {
    const original = await simulatorApp.module(moduleSettings, log);
    const replacements = [
      { provide: STEP_INPUT, useValue: () => stepInput },
      { provide: EXIT, useValue: exit },
    ];
    return { ...original, providers: [...(original.providers ?? []), ...replacements] };
  };
  const built = await buildApp({ ...simulatorApp, module }, settings, log);
  await built.listen();
  return {
    app: built,
    lines,
    untilStep: (step) => waitFor(`the log line ${step}`, () => lines.find((line) => line.step === step)),
  };
}

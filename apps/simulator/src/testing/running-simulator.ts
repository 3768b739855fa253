import { buildApp, createLogger, readSettings, type BuiltApp } from '@ssb/platform';
import { app } from '../app.js';
import { LEAVE, STEP_INPUT } from '../performance.js';
import { definition } from '../settings.js';

/** A line of the app's log. */
export interface Line {
  step?: string;
  kind?: string;
  subject?: string;
  level: string;
  publishedAt?: string;
  expect?: [string, string][];
  published?: { kind: string; participant: string; records: number }[];
  loaded?: number | boolean;
  alreadyThere?: number;
  reason?: string;
}

export interface RunningSimulator {
  app: BuiltApp;
  lines: Line[];
  /** Resolves with the first line of this step. */
  untilStep(step: string): Promise<Line>;
}

/** What stands outside of the app: where steps come from, and how it would end its process. */
export interface Outside {
  stepInput?: NodeJS.ReadableStream;
  leave?: () => void;
}

/** The real app, with its log kept for looking at. */
export async function runSimulator(
  environment: Record<string, string>,
  outside: Outside = {},
): Promise<RunningSimulator> {
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const stream = {
    write: (text: string): void => {
      lines.push(JSON.parse(text) as Line);
      for (const look of waiting) look();
    },
  };
  const settings = readSettings(definition, {
    PORT: '0',
    TOKEN_CLIENT_ID: 'operator',
    TOKEN_CLIENT_SECRET: 'a secret',
    ...environment,
  });
  const log = createLogger({ name: 'simulator', level: 'info', format: 'json', stream });
  const module = async (given: typeof settings) => {
    const whole = await app.module(given);
    const stepInput = { provide: STEP_INPUT, useValue: () => outside.stepInput };
    const leave = { provide: LEAVE, useValue: outside.leave ?? (() => undefined) };
    return { ...whole, providers: [...(whole.providers ?? []), stepInput, leave] };
  };
  const built = await buildApp({ ...app, module }, settings, log);
  await built.listen();
  return {
    app: built,
    lines,
    untilStep: (step) =>
      new Promise((resolve) => {
        const look = (): void => {
          const line = lines.find((each) => each.step === step);
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
      }),
  };
}

import { getLastStep, type EventTraces, type LogLine } from '@ssb/tools';

export interface Fact {
  readonly type: string;
  readonly subject: string;
}

export interface AppLine {
  readonly app: string;
  readonly line: LogLine;
}

/** How many of each app's last warnings are told. */
const LINES_TOLD = 4;
const WARN = 40;

/** For the message of a test that waited in vain: the last step that each missing fact was seen at, and what the apps had to say last. */
export function whereTheRoadStopped(
  missing: readonly Fact[],
  traces: EventTraces,
  lines: readonly AppLine[],
): string {
  const stops = new Map<string, number>();
  for (const { type, subject } of missing) {
    const trace = traces.find(type, subject);
    const step = (trace && getLastStep(trace)) ?? 'nowhere';
    stops.set(step, (stops.get(step) ?? 0) + 1);
  }
  const counted = [...stops].map(([step, count]) => `${count} last seen ${step}`).join(', ');
  return [`${missing.length} not delivered: ${counted}`, ...lastWords(lines)].join('\n');
}

function lastWords(lines: readonly AppLine[]): string[] {
  const told = new Map<string, string[]>();
  for (const { app, line } of lines) {
    const isWarning =
      Number(line['level']) >= WARN || ['warn', 'error', 'fatal'].includes(String(line['level']));
    if (isWarning) told.set(app, [...(told.get(app) ?? []), JSON.stringify(line)].slice(-LINES_TOLD));
  }
  const last = lines
    .slice(-LINES_TOLD)
    .map(({ app, line }) => `  last of all, ${app}: ${JSON.stringify(line)}`);
  return [...[...told].flatMap(([app, words]) => words.map((word) => `  ${app}: ${word}`)), ...last];
}

import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import {
  countEvents,
  type BackfillProgress,
  type BackfillRequest,
  type BackfillStore,
} from '@ssb/redis-queue';
import type { TextOutput } from '@ssb/platform';

const READ_INTERVAL_MS = 500;
/** Between two lines when the output is not a terminal. */
const LINE_INTERVAL_MS = 10_000;
/** A poller looks for requests every 5 s, acquires a lease in 15 s, and between two requests shows every 10 s that it works. */
const HINT_AFTER_MS = 60_000;

type Output = Pick<TextOutput, 'write' | 'writeLine' | 'replaceLine' | 'isTerminal'>;

/**
 * Shows the progress until the backfill is complete.
 * @returns its result; `interrupted` by SIGINT or SIGTERM; `paused` or `replaced` by another command
 */
export async function followBackfill(
  store: Pick<BackfillStore, 'read'>,
  { id, participant }: BackfillRequest,
  output: Output,
): Promise<BackfillProgress | 'interrupted' | 'paused' | 'replaced'> {
  const stopping = new AbortController();
  const interrupted = Promise.race([
    once(process, 'SIGINT', { signal: stopping.signal }),
    once(process, 'SIGTERM', { signal: stopping.signal }),
  ]).then(
    () => 'interrupted' as const,
    () => 'interrupted' as const,
  );
  const line = new ProgressLine(output);
  const startedAt = Date.now();
  let first: BackfillProgress | undefined;
  let updatedAt: string | undefined;
  let changedAt = startedAt;
  try {
    for (;;) {
      const { request, progress } = await store.read();
      if (request?.id !== id) return 'replaced';
      if (progress?.state === 'done') return progress;
      if (request.isPaused) return 'paused';
      first ??= progress;
      if (progress?.updatedAt !== updatedAt) changedAt = Date.now();
      updatedAt = progress?.updatedAt;
      if (Date.now() - changedAt > HINT_AFTER_MS) {
        changedAt = Date.now();
        line.end();
        output.writeLine(`No progress for 60 s. Check that a poller runs that polls ${participant}.`);
      } else if (progress !== undefined)
        line.show(describeProgress(participant, progress, first, startedAt, Date.now()));
      if ((await Promise.race([interrupted, pause(READ_INTERVAL_MS)])) === 'interrupted')
        return 'interrupted';
    }
  } finally {
    stopping.abort();
    line.end();
  }
}

/** One line: how far it is, and how long it takes from here. */
export function describeProgress(
  participant: string,
  progress: BackfillProgress,
  first: BackfillProgress | undefined,
  startedAt: number,
  now: number,
): string {
  const { stepsDone, stepsTotal, waitingFor } = progress;
  const parts = [
    stepsTotal === undefined
      ? `${stepsDone} records`
      : `${stepsDone} of ${stepsTotal} records (${Math.floor((100 * stepsDone) / Math.max(1, stepsTotal))} %)`,
    `${countEvents(progress)} events`,
  ];
  const done = stepsDone - (first?.stepsDone ?? 0);
  if (stepsTotal !== undefined && done > 0)
    parts.push(`about ${describeDuration(((now - startedAt) / done) * (stepsTotal - stepsDone))} left`);
  if (waitingFor !== undefined) parts.push(`waiting: ${waitingFor}`);
  return `${participant}: ${parts.join(', ')}`;
}

function describeDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** A line that replaces itself in a terminal, and is written again now and then elsewhere. */
class ProgressLine {
  private writtenAt = -Infinity;
  private isOpen = false;

  constructor(private readonly output: Output) {}

  show(text: string): void {
    if (this.output.isTerminal) {
      this.output.replaceLine(text);
      this.isOpen = true;
    } else if (Date.now() - this.writtenAt >= LINE_INTERVAL_MS) {
      this.output.writeLine(text);
      this.writtenAt = Date.now();
    }
  }

  end(): void {
    if (this.isOpen) this.output.write('\n');
    this.isOpen = false;
  }
}

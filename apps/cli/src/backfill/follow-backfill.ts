import { setTimeout as pause } from 'node:timers/promises';
import { standardError, type TextOutput } from '@ssb/platform/cli';
import type { ApiClient } from '../api/api-client.js';
import type { BackfillRow } from '../api/operations.js';
import { CommandError } from '../exit.js';
import { explainInterruption } from '../interruption.js';

const READ_INTERVAL_MS = 1_000;
/** Between two lines when the output is not a terminal. */
const LINE_INTERVAL_MS = 10_000;
/** A poller looks for requests every 5 s, acquires a lease in 15 s, and between two requests shows every 10 s that it works. */
const HINT_AFTER_MS = 60_000;

/** Shows the progress until the backfill is complete. @returns its end @throws CommandError when it was replaced */
export async function followBackfill(api: ApiClient, backfill: BackfillRow): Promise<BackfillRow> {
  const { participant } = backfill;
  const line = new ProgressLine(standardError);
  const command = `busbridge backfill --participant ${participant}`;
  const stopExplaining = explainInterruption(() => {
    line.end();
    return `The poller continues the backfill. "${command}" shows its progress and result, "${command} --cancel" ends it.`;
  });
  const startedAt = Date.now();
  let shown = backfill;
  let changedAt = startedAt;
  try {
    for (;;) {
      const present = await api.get('/v1/backfills/{participant}', { parts: { participant } });
      if (!isSameRange(present, backfill))
        throw new CommandError('Another command has ended or replaced this backfill.');
      if (present.state === 'done') return present;
      if (present.state === 'paused')
        throw new CommandError(
          'The backfill was paused by an earlier release. Start it again with the same --from and --to.',
        );
      if (present.updatedAt !== shown.updatedAt) changedAt = Date.now();
      shown = present;
      if (Date.now() - changedAt > HINT_AFTER_MS) {
        changedAt = Date.now();
        line.end();
        standardError.writeLine(`No progress for 60 s. Check that a poller runs that polls ${participant}.`);
      } else line.show(describeProgress(present, backfill, Date.now() - startedAt));
      await pause(READ_INTERVAL_MS);
    }
  } finally {
    stopExplaining();
    line.end();
  }
}

const isSameRange = (one: BackfillRow, other: BackfillRow): boolean =>
  one.from === other.from && one.to === other.to && one.dryRun === other.dryRun;

/** One line: how far it is, and how long it takes from here. */
function describeProgress(present: BackfillRow, first: BackfillRow, elapsedMs: number): string {
  const { participant, stepsDone, stepsTotal, events, waitingFor } = present;
  const parts = [
    stepsTotal === undefined
      ? `${stepsDone} records`
      : `${stepsDone} of ${stepsTotal} records (${Math.floor((100 * stepsDone) / Math.max(1, stepsTotal))} %)`,
    `${events} events`,
  ];
  const done = stepsDone - first.stepsDone;
  if (stepsTotal !== undefined && done > 0)
    parts.push(`about ${describeDuration((elapsedMs / done) * (stepsTotal - stepsDone))} left`);
  if (waitingFor !== undefined) parts.push(`waiting: ${waitingFor}`);
  return `${participant}: ${parts.join(', ')}`;
}

function describeDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

type Output = Pick<TextOutput, 'write' | 'writeLine' | 'replaceLine' | 'isTerminal'>;

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

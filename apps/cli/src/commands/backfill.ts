import { Command } from 'commander';
import type { BackfillOptions } from '../backfill/backfill.js';
import { EXIT } from '../exit.js';
import { parseDate } from '../options.js';
import { describe } from './api-command.js';

const DETAILS = `The poller that polls the participant requests the records of the range from the operator, within the request budget, and raises their events
again under the ids of their facts, with "backfilled": true. A subscriber drops those that its archive holds. alertsSince of the participant decides
which of the others alert. Events that follow from the time at which the poller looked cannot be raised later: overdue, payment.due,
disagreement-due, timeline.changed, stale, unreachable, forecasts.
Without --from, the command shows the latest backfill of the participant. Ctrl-C ends the command only: the poller continues.
Exit status: 0 when it is complete, 1 when a record could not be fetched or used, or it was refused, 130 after Ctrl-C.`;

/** `busbridge backfill`. */
export function backfillCommand(): Command {
  return describe(new Command('backfill'), {
    description: 'Raises, or lists, the events of a past range.',
    details: DETAILS,
    examples: [
      'backfill --from 2026-01-01 --to 2026-03-31 --dry-run           # lists the events',
      'backfill --from 2026-01-01 --to 2026-03-31                     # raises them',
      'backfill --participant WPGENCO --from 2026-01-01 --no-wait     # until today; the poller works alone',
      'backfill --participant WPGENCO                                 # shows the progress, then the result',
      'backfill --participant WPGENCO --cancel                        # ends it',
    ],
  })
    .option('--participant <code>', 'the participant (default: the only one that is polled)')
    .option('--from <date>', 'first market date, such as 2026-01-01', parseDate)
    .option('--to <date>', 'last market date (default: today)', parseDate)
    .option('--dry-run', 'list the events, and raise none', false)
    .option('--cancel', 'end the backfill of the participant', false)
    .option('--no-wait', 'do not wait for its end')
    .option('--comment <text>', 'why; it is in the audit log')
    .action(async (options: BackfillOptions, command: Command) => {
      const { from, to } = options;
      if (from !== undefined && to !== undefined && from > to)
        command.error(`error: --from ${from} is after --to ${to}.`, { exitCode: EXIT.usage });
      await (await import('../backfill/backfill.js')).backfill(options);
    });
}

import { Command, Option } from 'commander';
import { CHOICES } from '../api/operations.js';
import type { CalendarOptions } from '../market/calendar.js';
import { choicesOption, collectNames, LISTING_FORMS } from '../options.js';
import { addPaging, allowList, describe } from './api-command.js';

const { market: MARKETS, status: STATUSES, by: DATES, order: ORDERS } = CHOICES['/v1/settlement-calendar'];

const DETAILS = `Days are those of the market (UTC+8): 2026-03-19, or from today: 7d is 7 days ago, +7d in 7 days. --since is 31 days ago by default; with --overdue,
all that is overdue is listed. With --disagree: the newest statements of the last 60 days, or since --since, by the last day to disagree; there is no CSV of it. With --published: statements by the day of their publication or revision, and invoices by their date. In CSV the
column "what" is "statement" or "invoice".`;

/** `busbridge calendar`. */
export function calendarCommand(): Command {
  return allowList(
    addPaging(
      describe(
        new Command('calendar'),
        {
          description: 'The settlement runs of each market: expected, published, overdue, invoiced.',
          details: DETAILS,
          examples: [
            'calendar',
            'calendar --published --since 7d',
            'calendar --published --since 7d -o csv',
            'calendar --overdue',
            'calendar --disagree',
            'calendar --by payment --since 2026-03-01 --until 2026-04-01 -o csv',
          ],
        },
        LISTING_FORMS,
      ),
    ),
  )
    .addOption(
      new Option('--published', 'what was published').conflicts([
        'overdue',
        'by',
        'status',
        'order',
        'cursor',
      ]),
    )
    .addOption(
      new Option('--overdue', 'statements and invoices that are overdue, and since when').conflicts([
        'status',
        'by',
      ]),
    )
    .addOption(
      new Option('--disagree', 'statements that can still be disputed, and until when').conflicts([
        'published',
        'overdue',
        'by',
        'order',
        'cursor',
      ]),
    )
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(choicesOption('--market <market>', 'only of this market', MARKETS))
    .addOption(choicesOption('--status <status>', 'only with this status', STATUSES))
    .addOption(new Option('--by <date>', 'the date that sorts and limits it').choices(DATES))
    .addOption(
      new Option('--order <order>', 'published: the newest publication first; by default date').choices(
        ORDERS,
      ),
    )
    .option('--since <day>', 'runs with this date or a later one')
    .option('--until <day>', 'runs with a date before this one')
    .action(async (_list: unknown, options: CalendarOptions) =>
      (await import('../market/calendar.js')).showCalendar(options),
    );
}

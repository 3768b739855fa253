import { Command } from 'commander';
import type { PositionsOptions } from '../market/positions.js';
import { collectNames, LISTING_FORMS, timeOption } from '../options.js';
import { addPaging, allowList, describe } from './api-command.js';

/** `busbridge positions`. */
export function positionsCommand(): Command {
  return allowList(
    addPaging(
      describe(
        new Command('positions'),
        {
          description: 'Whether the margin is fine: level, thresholds, outstanding amount and forecasts.',
          details: 'With -o csv: the series of the trading margin, a line for each bucket.',
          examples: [
            'positions',
            'positions --participant WPGENCO --since 7d',
            'positions --since 30d --points 30 -o csv',
          ],
        },
        LISTING_FORMS,
      ),
    ),
  )
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(timeOption('--since <time>', 'beginning of the series; a day before its end by default'))
    .addOption(timeOption('--until <time>', 'end of the series; now by default'))
    .option('--points <number>', 'buckets of the series at most')
    .action(async (_list: unknown, options: PositionsOptions) =>
      (await import('../market/positions.js')).showPositions(options),
    );
}

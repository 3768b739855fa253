import { Command } from 'commander';
import { print } from '../print.js';
import { carryOut } from '../requests/carry-out.js';
import { addEventFilters, checkEventFilters, type EventFilters } from '../requests/filters.js';
import { addRequestOptions, parseName, parseTime, type RequestOptions } from '../options.js';
import { countDeliveries } from '../requests/render.js';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';

type ReplayOptions = RequestOptions & EventFilters & { readonly sink: string; readonly since: string };

const HELP = `
DATABASE_URL names the subscriber's database, with the role requests. While npm start runs, the command finds it in .data.
The subscriber adds the archived events that the sink has not had, whatever the rules say, in the order of the archive and within the rate limit of
the sink. They have the header bridge-replayed. --since and --until choose events by when they were archived. When the command ends before, the subscriber continues.

Examples:
  busbridge replay --sink warehouse --since 2026-01-01T00:00:00+08:00
  busbridge replay --sink warehouse --since 7d --type statement.published --participant WPGENCO
`;

/** `busbridge replay`. */
export function replayCommand(): Command {
  const command = new Command('replay')
    .description('Fills a sink from the archive.')
    .requiredOption('--sink <name>', 'a sink of CONFIG_FILE of the subscriber', parseName)
    .requiredOption(
      '--since <time>',
      'events archived since this time, or for so long: 2026-01-31T16:00:00+08:00, 7d',
      parseTime,
    )
    .option('--until <time>', 'events archived before this time (default: now)', parseTime);
  return addRequestOptions(addEventFilters(command), 3_600)
    .addHelpText('after', HELP)
    .action((options: ReplayOptions) => {
      const { sink, since, until, type, participant, json } = options;
      const parameters = { sink, since, until, types: type, participants: participant };
      return withSubscriberDatabase('requests', async (database) => {
        await checkEventFilters(database, options);
        const result = await carryOut(database, { kind: 'replay', parameters }, options);
        print(result, json, ({ changed }) =>
          changed === 0
            ? 'No archived event matches that the sink has not had; nothing was changed.'
            : `${countDeliveries(changed)} added.`,
        );
      });
    });
}

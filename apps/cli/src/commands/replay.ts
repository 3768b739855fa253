import { Command } from 'commander';
import type { ReplayOptions } from '../deliveries/deliveries.js';
import { collect, collectNames, parseName, timeOption } from '../options.js';
import { addRequestOptions, describe } from './api-command.js';

/** `busbridge replay`. */
export function replayCommand(): Command {
  const command = describe(new Command('replay'), {
    description: 'Fills a sink from the archive.',
    details: `The subscriber adds the archived events that the sink has not had, whatever the rules say, in the order of the archive and
within the rate limit of the sink. They have the header bridge-replayed. --since and --until choose events by when they
were archived. When the command ends before, the subscriber continues.`,
    examples: [
      'replay --sink warehouse --since 2026-01-01T00:00:00+08:00',
      'replay --sink warehouse --since 7d --type statement.published --participant WPGENCO',
    ],
  });
  return addRequestOptions(command, 3_600)
    .requiredOption('--sink <name>', 'a sink of CONFIG_FILE of the subscriber', parseName)
    .addOption(timeOption('--since <time>', 'events archived since').makeOptionMandatory())
    .addOption(timeOption('--until <time>', 'events archived before (default: now)'))
    .option('--type <type>', 'event type, such as margin.breached, or margin.*; may be repeated', collect())
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .action(async (options: ReplayOptions) =>
      (await import('../deliveries/deliveries.js')).replayEvents(options),
    );
}

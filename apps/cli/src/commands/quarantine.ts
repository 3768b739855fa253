import { Command } from 'commander';
import { print } from '../print.js';
import { carryOut, type RequestResult } from '../requests/carry-out.js';
import { addRequestOptions, DATABASE_HELP, type RequestOptions } from '../options.js';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';

const HELP = `${DATABASE_HELP}
Examples:
  busbridge quarantine recheck --comment 'The origin of WPGENCO is configured.'
`;

/** `busbridge quarantine recheck`. */
export function quarantineCommand(): Command {
  const command = new Command('quarantine').description('Works with messages that failed verification.');
  addRequestOptions(command.command('recheck'), 60)
    .description(
      'lets the running subscriber evaluate the quarantined messages again; those that pass are archived and alerted',
    )
    .addHelpText('after', HELP)
    .action((options: RequestOptions) =>
      withSubscriberDatabase('requests', async (database) =>
        print(
          await carryOut(database, { kind: 'recheck-quarantine', parameters: {} }, options),
          options.json,
          describeResult,
        ),
      ),
    );
  return command;
}

const describeResult = (result: RequestResult): string =>
  [
    ['evaluated', 'evaluated'],
    ['released', 'released'],
    ['still quarantined', 'stillQuarantined'],
  ]
    .map(([label = '', name = '']) => `${label} ${String(result[name])}`)
    .join(', ');

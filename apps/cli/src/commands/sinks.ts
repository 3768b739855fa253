import type { Database } from '@ssb/postgres';
import { Command } from 'commander';
import { findConfig } from '../operator-config.js';
import { print } from '../print.js';
import { carryOut, type RequestResult } from '../requests/carry-out.js';
import { DATABASE_HELP, addRequestOptions, parseName, type RequestOptions } from '../options.js';
import { table, toCell } from '../requests/render.js';
import { listSinks, type ListedSink } from '../requests/list-sinks.js';
import { withSubscriberDatabase } from '../requests/subscriber-database.js';

const LIST_HELP = `${DATABASE_HELP}
Sinks that have had no delivery are not listed; CONFIG_FILE has them. The state of a sink that it
does not have is "not in CONFIG_FILE": "busbridge deliveries skip --sink <name>" ends what is stored for it.

Examples:
  busbridge sinks list --json
`;

const TEST_HELP = `${DATABASE_HELP}
The subscriber makes one attempt to deliver a message of kind test, and records it. Exit status: 0 when the sink has accepted it, else 1.

Examples:
  busbridge sinks test treasury
`;

const DISABLE_HELP = `${DATABASE_HELP}
A disabled sink keeps its deliveries, and gets them when it is enabled again.

Examples:
  busbridge sinks disable treasury --comment 'Maintenance until noon.'
  busbridge sinks enable treasury
`;

/** `busbridge sinks`. */
export function sinksCommand(): Command {
  const command = new Command('sinks').description('Works with the receivers of deliveries.');
  command
    .command('list')
    .description('the sinks with what is pending for them')
    .option('--json', 'print JSON', false)
    .addHelpText('after', LIST_HELP)
    .action(({ json }: { json: boolean }) =>
      withSubscriberDatabase('requests', async (database) =>
        print(await listSinks(database, findConfig()), json, renderSinks),
      ),
    );
  addRequestOptions(command.command('test'))
    .description('sends a test and prints the response')
    .argument('<name>', 'a sink of CONFIG_FILE of the subscriber', parseName)
    .addHelpText('after', TEST_HELP)
    .action((sink: string, options: RequestOptions) =>
      withSubscriberDatabase('requests', (database) => test(database, sink, options)),
    );
  for (const [name, description] of [
    ['enable', 'delivers to the sink again'],
    ['disable', 'delivers nothing to the sink until it is enabled'],
  ] as const)
    addRequestOptions(command.command(name))
      .description(description)
      .argument('<name>', 'a sink of CONFIG_FILE of the subscriber', parseName)
      .addHelpText('after', DISABLE_HELP)
      .action((sink: string, options: RequestOptions) =>
        withSubscriberDatabase('requests', async (database) => {
          const result = await carryOut(database, { kind: `${name}-sink`, parameters: { sink } }, options);
          const already = result['changed'] === false ? ' already' : '';
          print(result, options.json, () => `The sink ${toCell(sink)} is ${name}d${already}.`);
        }),
      );
  return command;
}

async function test(database: Database, sink: string, options: RequestOptions): Promise<void> {
  const result = await carryOut(database, { kind: 'test', parameters: { sink } }, options);
  print(result, options.json, renderTest);
  if (result['outcome'] !== 'delivered') process.exitCode = 1;
}

/** The description of an attempt without a status says why it failed. */
function renderTest({ description, ...result }: RequestResult): string {
  const isExplained = result['outcome'] === 'delivered' || result['status'] !== undefined;
  const shown: RequestResult = { ...result, ...(!isExplained && { reason: description }) };
  return ['outcome', 'status', 'reason', 'durationMs', 'response', 'id']
    .filter((name) => shown[name] !== undefined)
    .map((name) => `${name.padEnd(10)} ${toCell(shown[name])}`)
    .join('\n');
}

function renderSinks(sinks: readonly ListedSink[]): string {
  if (sinks.length === 0) return 'No sink has had a delivery.';
  return table(
    ['sink', 'state', 'pending', 'parked', 'last outcome', 'since', 'by', 'reason'],
    sinks.map((each) => [
      each.sink,
      each.inConfigFile === false ? 'not in CONFIG_FILE' : each.state,
      each.pending,
      each.parked,
      each.lastOutcome,
      each.disabledAt ?? each.failingSince,
      each.disabledBy,
      each.disabledReason,
    ]),
  );
}

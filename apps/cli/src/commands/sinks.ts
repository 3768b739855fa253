import { Command } from 'commander';
import { parseName } from '../options.js';
import { listCommand, requestCommand, type ListOptions, type RequestOptions } from './api-command.js';

const load = () => import('../sinks/sinks.js');

/** `busbridge sinks`. */
export function sinksCommand(): Command {
  const command = new Command('sinks').description('The receivers of deliveries.');
  listCommand(command, 'list', {
    description: 'the sinks with what is pending for them',
    details:
      'A sink that CONFIG_FILE no longer has may have deliveries: "busbridge deliveries skip --sink <name> --state pending" ends them.',
    examples: ['sinks list', 'sinks list --json'],
  }).action(async (options: ListOptions) => (await load()).listSinks(options));
  requestCommand(command, 'test', {
    description: 'sends a test and prints the response',
    details:
      'The subscriber makes one attempt to deliver a message of kind test, and records it. Exit status 1: the sink has not accepted it.',
    examples: ['sinks test treasury'],
  })
    .argument('<name>', 'name of the sink', parseName)
    .action(async (sink: string, options: RequestOptions) => (await load()).testSink(sink, options));
  requestCommand(command, 'enable', {
    description: 'delivers to the sink again',
    examples: ['sinks enable treasury'],
  })
    .argument('<name>', 'name of the sink', parseName)
    .action(async (sink: string, options: RequestOptions) =>
      (await load()).changeSink('enable', sink, options),
    );
  requestCommand(command, 'disable', {
    description: 'delivers nothing to the sink until it is enabled; --comment is required',
    details: 'A disabled sink keeps its deliveries, and gets them when it is enabled again.',
    examples: ["sinks disable treasury --comment 'Maintenance until noon.'"],
  })
    .argument('<name>', 'name of the sink', parseName)
    .action(async (sink: string, options: RequestOptions) =>
      (await load()).changeSink('disable', sink, options),
    );
  return command;
}

import { Command } from 'commander';
import { CHOICES } from '../api/operations.js';
import { choicesOption, collect } from '../options.js';
import type { QuarantineOptions } from '../quarantine/quarantine.js';
import {
  apiCommand,
  listCommand,
  requestCommand,
  type ApiOptions,
  type RequestOptions,
} from './api-command.js';

const load = () => import('../quarantine/quarantine.js');

/** `busbridge quarantine`. */
export function quarantineCommand(): Command {
  const command = new Command('quarantine').description('Messages that failed verification.');
  listCommand(command, 'list', {
    description: 'the quarantined messages, the newest first',
    details: 'Nothing in such a message is verified. It needs access to all participants.',
    examples: [
      'quarantine list',
      'quarantine list --reason signer-mismatch',
      'quarantine list --state released --state open -o csv',
    ],
  })
    .addOption(
      choicesOption('--state <state>', 'only in this state (default: open)', CHOICES['/v1/quarantine'].state),
    )
    .option('--reason <reason>', 'only with this reason, such as signer-mismatch; may be repeated', collect())
    .option('--channel <name>', 'only of this channel; may be repeated', collect())
    .action(async (options: QuarantineOptions) => (await load()).listQuarantine(options));
  apiCommand(command, 'show <id>', {
    description: 'a quarantined message with its payload',
    examples: ['quarantine show 17', 'quarantine show 17 --json'],
  }).action(async (id: string, options: ApiOptions) => (await load()).showQuarantined(id, options));
  requestCommand(command, 'recheck', {
    description: 'evaluates the quarantined messages again; those that pass are archived and delivered',
    examples: ["quarantine recheck --comment 'The origin of WPGENCO is configured.'"],
  }).action(async (options: RequestOptions) => (await load()).recheck(options));
  return command;
}

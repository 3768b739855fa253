import { escapeCommandOutput } from '@ssb/platform';
import { Command } from 'commander';
import { backfillCommand } from './commands/backfill.js';
import { configCommand } from './commands/config.js';
import { deadLettersCommand } from './commands/dead-letters.js';
import { heartbeatCommand } from './commands/heartbeat.js';
import { keysCommand } from './commands/keys.js';
import { provisionCommand } from './commands/provision.js';
import { recordsCommand } from './commands/records.js';
import { quarantineCommand } from './commands/quarantine.js';

/** `busbridge`, the command line of the bridge. Each file of `commands` is one command. */
export function busbridge(): Command {
  const program = new Command('busbridge')
    .description('Operates the settlement bus bridge.')
    .addCommand(backfillCommand())
    .addCommand(configCommand())
    .addCommand(deadLettersCommand())
    .addCommand(heartbeatCommand())
    .addCommand(keysCommand())
    .addCommand(provisionCommand())
    .addCommand(quarantineCommand())
    .addCommand(recordsCommand());
  escapeCommandOutput(program);
  return program;
}

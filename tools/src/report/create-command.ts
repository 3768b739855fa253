import { escapeCommandOutput } from '@ssb/platform';
import { Command } from 'commander';

/** A command whose help and errors are escaped, because they repeat arguments. */
export function createCommand(name: string): Command {
  const command = new Command(name);
  escapeCommandOutput(command);
  return command;
}

import { Command } from 'commander';

const HELP = `
The link signs in once, within ten minutes, in a browser on this machine. It replaces an earlier one that was not used.
Elsewhere people sign in to the console at its own address.

Examples:
  busbridge console
  BUSBRIDGE_DATA=/tmp/bridge busbridge console     of the npm start with this data folder
`;

/** `busbridge console`. */
export function consoleCommand(): Command {
  return new Command('console')
    .description('Prints a link that opens the console of the running npm start.')
    .addHelpText('after', HELP)
    .action(async () => (await import('../console/print-link.js')).printLink());
}

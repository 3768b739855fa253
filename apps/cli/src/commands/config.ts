import { Command, Option } from 'commander';
import type { CheckOptions } from '../config/check-config.js';
import type { ShowConfigOptions } from '../config/show-config.js';
import { addOutput } from '../options.js';

const CHECK_HELP = `
Exit status: 0 without errors, also with warnings; 78 with errors. The apps check the same at their start.

Examples:
  busbridge config check                                  # the file of CONFIG_FILE, otherwise config/bridge.yaml
  busbridge config check --file config/bridge.yaml --allow-unset   # on a machine without the secrets
  busbridge config check --json                           # {"file": …, "errors": [{"line": …, "message": …}], "warnings": […]}
`;

const SHOW_HELP = `
The configuration as the apps apply it: with every default and the values of the environment variables; durations are in milliseconds. Secrets and
what follows the host of an address of a sink are hidden.

Examples:
  busbridge config show
  busbridge config show --file config/bridge.yaml --json
`;

const FILE = ['--file <path>', 'the file (default: CONFIG_FILE, otherwise config/bridge.yaml)'] as const;

/** `busbridge config`. */
export function configCommand(): Command {
  const command = new Command('config').description('Works with the configuration file of the operator.');
  addOutput(command.command('check'))
    .description('checks the configuration file: syntax, values, and whether they make sense')
    .option(...FILE)
    .option('--allow-unset', 'an unset environment variable of a ${NAME} is a warning, not an error')
    .addHelpText('after', CHECK_HELP)
    .action(async (options: CheckOptions) =>
      (await import('../config/check-config.js')).checkConfig(options),
    );
  command
    .command('show')
    .description('prints the configuration that is in effect')
    .option(...FILE)
    .addOption(
      new Option('-o, --output <form>', 'how it is printed').choices(['yaml', 'json']).default('yaml'),
    )
    .addOption(new Option('--json', 'as -o json').implies({ output: 'json' }))
    .addHelpText('after', SHOW_HELP)
    .action(async (options: ShowConfigOptions) =>
      (await import('../config/show-config.js')).showConfig(options),
    );
  return command;
}

import { checkOperatorConfig, formatProblem, type ConfigReport } from '@ssb/config';
import { EXIT_CONFIGURATION, standardOutput } from '@ssb/platform';
import { Command } from 'commander';
import { commandEnvironment } from '../settings.js';

interface CheckOptions {
  readonly file?: string;
  readonly allowUnset?: true;
  readonly json?: true;
}

const EXAMPLES = `
Exit status: 0 without errors, also with warnings; 78 with errors. The apps check the same at their start.

Examples:
  busbridge config check                                  # the file of CONFIG_FILE, otherwise config/bridge.yaml
  busbridge config check --file config/bridge.yaml --allow-unset   # on a machine without the secrets
  busbridge config check --json                           # {"file": …, "errors": [{"line": …, "message": …}], "warnings": […]}
`;

/** `busbridge config check`. */
export function configCommand(): Command {
  const command = new Command('config').description('Works with the configuration file of the operator.');
  command
    .command('check')
    .description('Checks the configuration file: syntax, values, and whether they make sense.')
    .option('--file <path>', 'the file (default: CONFIG_FILE, otherwise config/bridge.yaml)')
    .option('--allow-unset', 'an unset environment variable of a ${NAME} is a warning, not an error')
    .option('--json', 'print JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: CheckOptions) => {
      const path = options.file ?? (commandEnvironment()['CONFIG_FILE'] || 'config/bridge.yaml');
      const report = checkOperatorConfig(path, {
        environment: commandEnvironment(),
        allowUnset: options.allowUnset === true,
      });
      if (options.json)
        standardOutput.writeJson({ file: path, errors: report.errors, warnings: report.warnings });
      else for (const line of renderLines(path, report)) standardOutput.writeLine(line);
      if (report.errors.length > 0) process.exitCode = EXIT_CONFIGURATION;
    });
  return command;
}

function renderLines(path: string, { errors, warnings }: ConfigReport): string[] {
  const lines = [
    ...errors.map((problem) => `error: ${formatProblem(path, problem)}`),
    ...warnings.map((problem) => `warning: ${formatProblem(path, problem)}`),
    `${path}: ${count(errors.length, 'error')}, ${count(warnings.length, 'warning')}`,
  ];
  if (errors.some(({ unset }) => unset !== undefined))
    lines.push('Without these variables, check the file with --allow-unset.');
  return lines;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

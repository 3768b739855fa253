import { escapeCommandOutput } from '@ssb/platform';
import { Command } from 'commander';
import { definition } from './settings.js';

export type CommandLine =
  | { action: 'list'; json: boolean }
  /** `settings` by the names of their environment variables. */
  | { action: 'run'; settings: Record<string, string> };

/** Options that set an environment variable. An option without an argument sets it to `value`. */
const OPTIONS: readonly { flags: string; description: string; variable: string; value?: string }[] = [
  { flags: '--scenario <name or file>', description: 'the scenario to run', variable: 'SCENARIO' },
  {
    flags: '--participants <codes>',
    description: 'the participants, separated by commas',
    variable: 'PARTICIPANTS',
  },
  { flags: '--seed <text>', description: 'determines all figures', variable: 'SEED' },
  {
    flags: '--speed <number or max>',
    description: 'how many times faster than the scenario says',
    variable: 'SPEED',
  },
  {
    flags: '--step',
    description: 'each line on standard input starts one step',
    variable: 'STEP',
    value: 'true',
  },
  { flags: '--from <yyyy-MM-dd>', description: 'the first market day', variable: 'FROM' },
  {
    flags: '--until <yyyy-MM-dd>',
    description: 'the last market day of an endless scenario',
    variable: 'UNTIL',
  },
  { flags: '--exit', description: 'end the process after the scenario', variable: 'AT_END', value: 'exit' },
  { flags: '--json', description: 'one JSON object a line', variable: 'LOG_FORMAT', value: 'json' },
];

/** Each option overrides its environment variable. `--help` ends the process. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const command = new Command('simulator')
    .description('Simulates a market for the reporting API, through its operator API.')
    .option('--list', 'list the scenarios of the simulator and exit');
  for (const { flags, description, variable } of OPTIONS)
    command.option(flags, `${description} (${variable})`);
  command.addHelpText('after', settingsHelp());
  escapeCommandOutput(command);
  const given = command.parse(args, { from: 'user' }).opts<Record<string, string | true | undefined>>();
  if (given['list'] === true) return { action: 'list', json: given['json'] === true };
  const settings: Record<string, string> = {};
  for (const { flags, variable, value } of OPTIONS) {
    const option = given[/^--(\w+)/.exec(flags)?.[1] ?? ''];
    if (option !== undefined) settings[variable] = value ?? String(option);
  }
  return { action: 'run', settings };
}

function settingsHelp(): string {
  const lines = Object.entries(definition).map(([name, { schema, doc, ...setting }]) => {
    const unset = 'default' in setting ? ` Default: ${setting.default}.` : '';
    return `  ${name}\n      ${doc} It takes ${schema.description ?? 'any text'}.${unset}`;
  });
  return ['', 'Settings, as environment variables:', ...lines].join('\n');
}

import { Command } from 'commander';
import { definition } from './settings.js';

export type CommandLine =
  | { do: 'list'; json: boolean }
  /** Settings of the command line, by the names of their environment variables. */
  | { do: 'run'; settings: Record<string, string> };

/** Options that set an environment variable; a flag without an argument sets it to `value`. */
const OPTIONS: readonly { flags: string; about: string; variable: string; value?: string }[] = [
  { flags: '--scenario <name or file>', about: 'what is simulated', variable: 'SCENARIO' },
  { flags: '--participants <codes>', about: 'for whom, separated by commas', variable: 'PARTICIPANTS' },
  { flags: '--seed <text>', about: 'the figures depend on it alone', variable: 'SEED' },
  { flags: '--speed <number or max>', about: 'how many times faster than written', variable: 'SPEED' },
  { flags: '--step', about: 'each line on standard input starts one step', variable: 'STEP', value: 'true' },
  { flags: '--from <yyyy-MM-dd>', about: 'the first market day', variable: 'FROM' },
  { flags: '--until <yyyy-MM-dd>', about: 'the last market day of an endless scenario', variable: 'UNTIL' },
  { flags: '--exit', about: 'end the process after the scenario', variable: 'AT_END', value: 'exit' },
  { flags: '--json', about: 'one JSON object a line', variable: 'LOG_FORMAT', value: 'json' },
];

/** Reads the command line; each option overrides the environment variable that it names. Ends the process for `--help`. */
export function readCommandLine(words: readonly string[]): CommandLine {
  const command = new Command('simulator')
    .description('Simulates a market for the reporting API, through its operator API.')
    .option('--list', 'list the scenarios that come with the simulator, and end');
  for (const { flags, about, variable } of OPTIONS) command.option(flags, `${about} (${variable})`);
  command.addHelpText('after', settingsHelp());
  const given = command.parse(words, { from: 'user' }).opts<Record<string, string | true | undefined>>();
  if (given['list'] === true) return { do: 'list', json: given['json'] === true };
  const settings: Record<string, string> = {};
  for (const { flags, variable, value } of OPTIONS) {
    const option = given[/^--(\w+)/.exec(flags)?.[1] ?? ''];
    if (option !== undefined) settings[variable] = value ?? String(option);
  }
  return { do: 'run', settings };
}

function settingsHelp(): string {
  const lines = Object.entries(definition).map(([name, { schema, doc, ...setting }]) => {
    const unset = 'default' in setting ? ` Default: ${setting.default}.` : '';
    return `  ${name}\n      ${doc} It takes ${schema.description ?? 'any text'}.${unset}`;
  });
  return ['', 'Settings, as environment variables:', ...lines].join('\n');
}

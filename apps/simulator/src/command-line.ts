import { Command } from 'commander';
import { settingsHelp } from './help.js';
import { definition } from './settings.js';

/** What a command line asks for. */
export type Wish =
  | { do: 'list'; json: boolean }
  /** Settings that the command line gives, by the names of their environment variables. */
  | { do: 'play'; settings: Record<string, string> };

interface Options {
  list?: boolean;
  json?: boolean;
  scenario?: string;
  participants?: string;
  seed?: string;
  speed?: string;
  step?: boolean;
  from?: string;
  until?: string;
  exit?: boolean;
}

/** Reads the command line; each option stands above the environment variable that it names. Ends the process for `--help`. */
export function readCommandLine(words: readonly string[]): Wish {
  const command = new Command('simulator')
    .description("Plays a market into the reporting API, through its operator's door.")
    .option('--list', 'list the scenarios that come with the simulator, and end')
    .option('--json', 'one JSON object a line instead of text (LOG_FORMAT)')
    .option('--scenario <name or file>', 'what is played (SCENARIO)')
    .option('--participants <codes>', 'for whom, separated by commas (PARTICIPANTS)')
    .option('--seed <text>', 'the figures depend on it alone (SEED)')
    .option('--speed <number or max>', 'how many times faster than written (SPEED)')
    .option(
      '--step',
      'the next thing happens with each line on standard input, such as the return key (STEP)',
    )
    .option('--from <yyyy-MM-dd>', 'the market day on which the play begins (FROM)')
    .option('--until <yyyy-MM-dd>', 'the last market day of an endless scenario (UNTIL)')
    .option('--exit', 'end the process when the play has ended (AT_END)')
    .addHelpText('after', settingsHelp(definition));
  const options = command.parse(words, { from: 'user' }).opts<Options>();
  const json = options.json === true;
  if (options.list === true) return { do: 'list', json };
  return { do: 'play', settings: settingsOf(options) };
}

function settingsOf(options: Options): Record<string, string> {
  const { scenario, participants, seed, speed, from, until } = options;
  const given = {
    SCENARIO: scenario,
    PARTICIPANTS: participants,
    SEED: seed,
    SPEED: speed,
    FROM: from,
    UNTIL: until,
    STEP: options.step === true ? 'true' : undefined,
    AT_END: options.exit === true ? 'exit' : undefined,
    LOG_FORMAT: options.json === true ? 'json' : undefined,
  };
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

import type { Command, Option } from 'commander';

/** Where the last word stands. */
interface Place {
  readonly command: Command;
  /** Arguments before it. */
  readonly position: number;
  /** The option whose value it is. */
  readonly option: Option | undefined;
}

/**
 * What can stand in place of the last word: commands, options, values, names of profiles.
 * @param words what follows the name of the program; the last one is not complete
 */
export async function suggest(program: Command, words: readonly string[]): Promise<readonly string[]> {
  const last = words.at(-1) ?? '';
  const { command, position, option } = findPlace(program, words.slice(0, -1));
  const candidates = option === undefined ? listWords(command, position, last) : await listValues(option);
  return [...new Set(candidates)].filter((each) => each.startsWith(last));
}

function findPlace(program: Command, words: readonly string[]): Place {
  let command = program;
  let position = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith('-')) {
      const found = command.options.find((each) => each.long === word || each.short === word);
      if (found?.required === true || found?.optional === true) option = found;
    } else {
      const subcommand = position === 0 ? findSubcommand(command, word) : undefined;
      if (subcommand === undefined) position += 1;
      else command = subcommand;
    }
  }
  return { command, position, option };
}

const findSubcommand = (command: Command, word: string): Command | undefined =>
  command.commands.find((each) => each.name() === word || each.aliases().includes(word));

function listWords(command: Command, position: number, last: string): readonly string[] {
  const help = command.createHelp();
  if (last.startsWith('-')) return help.visibleOptions(command).flatMap(({ long }) => long ?? []);
  const commands = position === 0 ? help.visibleCommands(command).map((each) => each.name()) : [];
  const { registeredArguments } = command;
  const argument = registeredArguments[position] ?? registeredArguments.at(-1);
  const isAccepted = position < registeredArguments.length || argument?.variadic === true;
  return [...commands, ...((isAccepted ? argument?.argChoices : undefined) ?? [])];
}

async function listValues(option: Option): Promise<readonly string[]> {
  if (option.long !== '--profile') return option.argChoices ?? [];
  const [{ listProfiles, profilesPath }, { commandEnvironment }] = await Promise.all([
    import('../api/profiles.js'),
    import('../settings.js'),
  ]);
  return listProfiles(profilesPath(commandEnvironment()));
}

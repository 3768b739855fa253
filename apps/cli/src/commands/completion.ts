import { standardOutput } from '@ssb/platform/cli';
import { Argument, Command } from 'commander';

const HELP = `
The script asks busbridge for commands, options, their values and the names of profiles. Load it in each shell, or in its start file:

Examples:
  source <(busbridge completion bash)     # ~/.bashrc
  source <(busbridge completion zsh)      # ~/.zshrc, after compinit
`;

/** `busbridge completion`. @param loadProgram the program with the command of this name; with all for another */
export function completionCommand(loadProgram: (called: string) => Promise<Command>): Command {
  const command = new Command('completion')
    .description('Prints a script that completes commands and options in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', HELP)
    .action((shell: keyof typeof SCRIPTS) => standardOutput.writeExact(SCRIPTS[shell]));
  command
    .command('suggest', { hidden: true })
    .description('prints what can stand in place of the last word; the scripts call it')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const { suggest } = await import('../completion/suggest.js');
      const program = await loadProgram(words.length > 1 ? (words[0] ?? '') : '');
      for (const each of await suggest(program, words)) standardOutput.writeLine(each);
    });
  return command;
}

/** Without candidates, the shells complete names of files. */
const SCRIPTS = {
  bash: `_busbridge() {
  local IFS=$'\\n'
  COMPREPLY=($("$1" completion suggest -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _busbridge busbridge
`,
  zsh: `#compdef busbridge
_busbridge() {
  local -a candidates
  candidates=("\${(@f)$("\${words[1]}" completion suggest -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${candidates[1]}" ]]; then compadd -a candidates; else _files; fi
}
if [[ "\${funcstack[1]}" = _busbridge ]]; then _busbridge "$@"; else compdef _busbridge busbridge; fi
`,
} as const;
